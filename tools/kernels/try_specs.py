#!/usr/bin/env python3
"""Launches every kernel spec on a GPU to check the specs themselves (needs numpy and cupy).

    python3 tools/kernels/try_specs.py [NAME…]

For each size: the kernel and its oracle run on the same inputs. Reported are launch errors, writes
past a buffer's end, outputs left unwritten, and whether the two agree within the tolerance. For
kernels listed in references.py the right result is also computed with numpy.
"""
import re
import sys
import tomllib
from pathlib import Path

import cupy
import numpy

import references
from kernel_spec import FUNCTIONS

KERNELS = Path(__file__).resolve().parents[2] / "kernels"
TYPES = {"f16": "float16", "f32": "float32", "f64": "float64", "bf16": "uint16", "u8": "uint8",
         "s8": "int8", "u16": "uint16", "u32": "uint32", "s32": "int32", "u64": "uint64", "s64": "int64"}
POISON, CANARY, GUARD = 0xA5, 0x5C, 256


def whole(expression, size):
    text = str(expression).replace("/", "//")
    return int(eval(text, {"__builtins__": {}}, {**FUNCTIONS, **size}))


def bf16_bits(values):
    return (values.astype("float32").view("uint32") >> 16).astype("uint16")


def initial(argument, count, rng):
    kind, dtype = argument["init"], TYPES[argument["type"]]
    if kind == "poison":
        return numpy.full(count * numpy.dtype(dtype).itemsize, POISON, "uint8").view(dtype)
    if kind == "zero":
        return numpy.zeros(count, dtype)
    if kind == "bits":
        return rng.integers(0, 256, count * numpy.dtype(dtype).itemsize, "uint8").view(dtype)
    if kind == "normal":
        values = rng.standard_normal(count)
        return bf16_bits(values) if argument["type"] == "bf16" else values.astype(dtype)
    bounds = re.fullmatch(r"uniform\((-?\d+), (-?\d+)\)", kind)
    if bounds:
        low, high = int(bounds[1]), int(bounds[2])
        integral = argument["type"][0] in "us"
        return (rng.integers(low, high, count) if integral else rng.uniform(low, high, count)).astype(dtype)
    step = int(re.fullmatch(r"iota\((-?\d+)\)", kind)[1])
    return (numpy.arange(count) * step).astype(dtype)


def run(directory, spec, ptx, entry, size):
    """Launches once; gives ({buffer: result}, faults)."""
    rng = numpy.random.default_rng(7)
    kernel = cupy.RawModule(path=str(directory / ptx)).get_function(entry)
    shared = spec["launch"]["shared"]
    if isinstance(shared, dict):
        target = re.search(r"^\.target\s+(\w+)", (directory / ptx).read_text(), re.M)[1]
        shared = shared.get(target, max(shared.values()))
    if shared > 48 * 1024:
        kernel.max_dynamic_shared_size_bytes = shared
    buffers, values = {}, []
    for argument in spec["args"]:
        if argument["kind"] == "buffer":
            host = initial(argument, whole(argument["count"], size), rng)
            padded = numpy.concatenate([host.view("uint8"), numpy.full(GUARD, CANARY, "uint8")])
            buffers[argument["name"]] = (cupy.asarray(padded), host)
            values.append(buffers[argument["name"]][0])
        else:
            text = argument["value"]
            number = float(text) if argument["type"][0] in "fb" else whole(text, size)
            values.append(numpy.array(number).astype(TYPES[argument["type"]])[()])
    grid = tuple(whole(g, size) for g in spec["launch"]["grid"])
    kernel(grid + (1,) * (3 - len(grid)), tuple(spec["launch"]["block"]), tuple(values), shared_mem=shared)
    cupy.cuda.runtime.deviceSynchronize()
    results, faults = {}, []
    for argument in spec["args"]:
        if argument["kind"] != "buffer":
            continue
        device, host = buffers[argument["name"]]
        back = device.get()
        if (back[-GUARD:] != CANARY).any():
            faults.append(f"writes past the end of {argument['name']}")
        data = back[:-GUARD].view(host.dtype)
        if argument["role"] == "in" and (data.view("uint8") != host.view("uint8")).any():
            faults.append(f"changes its input {argument['name']}")
        if argument["init"] == "poison" and (data.view("uint8").reshape(len(data), -1) == POISON).all(1).any():
            faults.append(f"leaves part of {argument['name']} unwritten")
        results[argument["name"]] = (host, data)
    return results, faults


def numbers(data, kind):
    if kind == "bf16":
        return (data.astype("uint32") << 16).view("float32").astype("float64")
    return data.astype("float64")


def worst(spec, got, want):
    """The largest excess over the tolerance, in units of it (<= 1 agrees)."""
    excess = 0.0
    tolerance = spec["tolerance"]
    for argument in spec["args"]:
        name = argument["name"]
        if name not in want or argument.get("role") == "in":
            continue
        a, b = numbers(got[name], argument["type"]), numbers(want[name], argument["type"])
        allowed = tolerance["atol"] + tolerance["rtol"] * numpy.abs(b)
        gap = numpy.where((a == b) | (numpy.isnan(a) & numpy.isnan(b)), 0.0, numpy.abs(a - b))
        gap = numpy.where(numpy.isnan(gap), numpy.inf, gap)
        excess = max(excess, (gap / numpy.maximum(allowed, 1e-300)).max(initial=0.0))
    return excess


def main():
    failures = 0
    for path in sorted(KERNELS.rglob("*.kernel.toml")):
        if sys.argv[1:] and not any(name in str(path) for name in sys.argv[1:]):
            continue
        spec = tomllib.loads(path.read_text())
        if any(a["kind"] in ("texture", "surface", "sampler") for a in spec["args"]):
            continue  # no images here: tests/data/texture has what a GPU gives for those
        label = path.relative_to(KERNELS).as_posix().removesuffix(".kernel.toml")
        notes = []
        for size in spec["sizes"]:
            size = dict(size)
            kind = size.pop("kind")
            sides = {"kernel": (spec["ptx"], spec["entry"])}
            if "oracle" in spec:
                sides["oracle"] = (spec["oracle"]["ptx"], spec["oracle"]["entry"])
            ran, cell = {}, []
            for side, (ptx, entry) in sides.items():
                try:
                    ran[side], faults = run(path.parent, spec, ptx, entry, size)
                    cell += [f"{side} {fault}" for fault in faults]
                except Exception as error:
                    cell.append(f"{side} fails: {str(error)[:80]}")
            outputs = {side: {n: d for n, (_, d) in r.items()} for side, r in ran.items()}
            if len(outputs) == 2:
                gap = worst(spec, outputs["kernel"], outputs["oracle"])
                cell.append("agrees" if gap <= 1 else f"differs ({gap:.3g} tolerances)")
            reference = references.TABLE.get(path.parent.relative_to(KERNELS).as_posix())
            right = "oracle" if "oracle" in sides else "kernel"
            if reference and right in ran:
                inputs = {n: h for n, (h, _) in ran[right].items()}
                gap = worst(spec, outputs[right], reference(inputs, size, spec))
                cell.append("reference agrees" if gap <= 1 else f"REFERENCE DIFFERS ({gap:.3g} tolerances)")
            notes.append(f"{kind} {size}: " + ("; ".join(cell) or "runs"))
        bad = any("fails" in n or "past" in n or "changes" in n or "REFERENCE" in n for n in notes)
        failures += bad
        print(("BAD  " if bad else "ok   ") + label)
        for note in notes:
            print("       " + note)
    print(f"{failures} specs with faults")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
