"""What of the CUDA backend only a GPU can show: textures, surfaces and tensor maps against the emulator, kernels that
fault among others, runs that are killed, several devices, executed instructions.

    python3 tools/gpu/device_checks.py build/release/bin/pitot --out results/
    python3 tools/gpu/device_checks.py build/release/bin/pitot --out results/ --only images faults

Takes about four minutes with Nsight Compute, ninety seconds without (`--no-counters`). Writes images.jsonl (each spec, with the
first elements that differ), faults.json, summary.json and executed.jsonl (for `counter_study.py executed`). Exit code 1
if something is wrong.
"""

import argparse
import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor

import kill_resume

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Judged by the spec's tolerance: sums in another order than the machine's; mul and sub that ptxas makes one fma of.
INEXACT = {"tma_matmul", "texture_rotate"}
SPECS = ["kernels/cuda/texture_sample/texture_sample", "kernels/cuda/texture_rotate/texture_rotate",
         "kernels/cuda/surface_blur/surface_blur", "kernels/cuda/tma_copy/tma_copy",
         "tests/kernels/specs/cuda/texture_gather/texture_gather",
         "tests/kernels/specs/triton/tma_matmul/tma_matmul"]


def image_specs():
    own = sorted((ROOT / "tests/device/images").glob("*.kernel.toml"))
    return own + [ROOT / (s + ".kernel.toml") for s in SPECS]


def call(pitot, *arguments, seconds=120):
    try:
        return subprocess.run([pitot, *map(str, arguments)], capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired as late:
        return subprocess.CompletedProcess(late.cmd, 124, "", f"not done within {seconds} s")


def outputs(pitot, spec, device, folder):
    """{output: bytes} of every size, or what was said instead."""
    done = call(pitot, "run", spec, "--device", device, "--save", folder, "--format", "json")
    if done.returncode != 0:
        return None, (done.stderr + done.stdout)[:2000]
    return {p.name: p.read_bytes() for p in sorted(folder.glob("*.bin"))}, ""


NUMBERS = {"u8": "B", "s8": "b", "u16": "H", "s16": "h", "u32": "I", "s32": "i", "u64": "Q", "s64": "q", "f16": "e",
           "f32": "f", "f64": "d"}


def outside_tolerance(spec, name, a, b):
    """How many numbers of an output differ by more than the spec allows; `name` is that of its file."""
    table = tomllib.loads(spec.read_text())
    argument = next(x for x in table["args"] if x["name"] == name.split(".")[0])
    number = NUMBERS[re.sub(r"x\d$", "", argument.get("format", argument.get("type")))]
    allowed = table.get("tolerance", {})
    wrong = abs(len(a) - len(b))
    for (x,), (y,) in zip(struct.iter_unpack("<" + number, a), struct.iter_unpack("<" + number, b)):
        far = not abs(x - y) <= allowed.get("atol", 0) + allowed.get("rtol", 0) * abs(y)
        wrong += x != y and far and not (x != x and y != y)
    return wrong


def compare_spec(pitot, spec, device="cuda"):
    row = {"spec": str(spec.relative_to(ROOT)), "device": device}
    with tempfile.TemporaryDirectory() as name:
        sides = {d: outputs(pitot, spec, d, pathlib.Path(name) / d.replace(":", "_")) for d in ("emu", device)}
    for d, (values, said) in sides.items():
        if values is None:
            return row | {"verdict": "failed", "on": d, "said": said}
    ours, theirs = sides["emu"][0], sides[device][0]
    if not ours or ours.keys() != theirs.keys():
        return row | {"verdict": "failed", "said": f"outputs {sorted(ours)} and {sorted(theirs)}"}
    different = []
    for name, a in ours.items():
        b = theirs[name]
        different += [{"output": name, "byte": i, "emulator": a[i:i + 8].hex(), "gpu": b[i:i + 8].hex()}
                      for i in range(0, max(len(a), len(b)), 8) if a[i:i + 8] != b[i:i + 8]]
    row |= {"bytes": sum(map(len, ours.values())), "different_words": len(different), "first": different[:24]}
    name = spec.name.split(".")[0]
    if not different:
        return row | {"verdict": "same"}
    far = sum(outside_tolerance(spec, n, ours[n], theirs[n]) for n in ours) if name in INEXACT else None
    return row | {"verdict": "close" if far == 0 else "different", "outside_tolerance": far}


def images(pitot, out):
    with ThreadPoolExecutor(4) as pool:
        rows = list(pool.map(lambda s: compare_spec(pitot, s), image_specs()))
    with open(out / "images.jsonl", "w") as f:
        for row in rows:
            f.write(json.dumps(row) + "\n")
    bad = [r for r in rows if r["verdict"] in ("failed", "different")]
    for r in bad:
        print(f"  {r['spec']}: {r['verdict']} {r.get('different_words', '')} {r.get('said', '')[:400]}")
    count = {v: sum(r["verdict"] == v for r in rows) for v in ("same", "close")}
    return not bad, (f"{len(rows) - len(bad)} of {len(rows)} specs as they must be: {count['same']} bit for bit, "
                     f"{count['close']} within tolerance")


def refusals(pitot, out):
    """Specs that the emulator refuses must not run on the GPU either."""
    specs = sorted((ROOT / "tests/device/refused_images").glob("*.kernel.toml"))
    rows = []
    for spec in specs:
        row = {"spec": str(spec.relative_to(ROOT))}
        for device in ("emu", "cuda"):
            done = call(pitot, "run", spec, "--device", device, "--format", "json")
            told = json.loads(done.stdout) if done.stdout else {"ok": None}
            row[device] = {"ok": told["ok"], "said": [f["message"] for f in told.get("faults", [])] or done.stderr[:500]}
        rows.append(row)
    (out / "refused.json").write_text(json.dumps(rows, indent=1))
    bad = [r for r in rows if r["emu"]["ok"] is not False or r["cuda"]["ok"] is not False]
    for r in bad:
        print(f"  {r['spec']}: emulator {r['emu']}, GPU {r['cuda']}")
    return bool(rows) and not bad, f"{len(rows) - len(bad)} of {len(rows)} specs refused by both"


def timed(pitot):
    specs = [ROOT / (s + ".kernel.toml") for s in SPECS]
    done = call(pitot, "measure", *specs, "--seconds", "0.1", "--counters", "--format", "json", seconds=240)
    runs = json.loads(done.stdout)["runs"] if done.stdout else []
    bad = [r for r in runs if not r["ok"]]
    for r in bad:
        print(f"  measure {r['spec']} {r['size']}: {r['reason']}")
    counted = sum(r["achieved_occupancy"] is not None for r in runs)
    cold = call(pitot, "measure", *specs, "--seconds", "0.1", "--cold", "--format", "json", seconds=120)
    bad += [r for r in (json.loads(cold.stdout)["runs"] if cold.stdout else [{}]) if not r.get("ok")]
    same = call(pitot, "compare", specs[0], specs[0], "--seconds", "0.5", "--size", "0", "--format", "json")
    verdict = json.loads(same.stdout)["verdict"] if same.stdout else same.stderr
    return bool(runs) and not bad and verdict == "same", \
        f"{len(runs) - len(bad)} of {len(runs)} measured, {counted} with counters {done.stderr[:200]}; A against A: {verdict}"


HEAD = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 k_p, .param .u32 k_n)
.reqntid 32
{
.reg .pred %p<4>;
.reg .b32 %r<8>;
.reg .b64 %rd<4>;
.reg .f32 %f<4>;
ld.param.u64 %rd0, [k_p];
ld.param.u32 %r0, [k_n];
mov.u32 %r1, %tid.x;
mad.wide.u32 %rd1, %r1, 4, %rd0;
ld.global.f32 %f0, [%rd1];
"""
FAULTS = {  # body; what must be said
    "a_good": ("", None),
    "b_trap": ("trap;\n", "trap: "),
    "c_good": ("", None),
    # Waits for a flag that nobody sets: ptxas removes a loop that does nothing.
    "d_loop": ("again:\nld.volatile.global.f32 %f0, [%rd1];\nst.volatile.global.f32 [%rd1], %f0;\nmov.b32 %r2, %f0;\n"
               "setp.ne.u32 %p1, %r2, 0xffffffff;\n@%p1 bra again;\n", "timeout: "),
    "e_good": ("", None),
    "f_bounds": ("add.s64 %rd1, %rd1, 0x7000000000;\n", "out-of-bounds: "),
    "g_beside": ("add.s64 %rd1, %rd1, 256;\n", "out-of-bounds: written past the end of 'p' (128 bytes): bytes 256 to 383"),
    "h_good": ("", None),
    "i_misaligned": ("add.s64 %rd1, %rd1, 2;\n", "misaligned: "),
    "j_shared": ("", "300000 bytes of shared memory a block"),
    "k_good": ("", None),
}


def faults(pitot, out):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for kernel, (body, _) in FAULTS.items():
            (folder / f"{kernel}.ptx").write_text(HEAD + body + "st.global.f32 [%rd1], %f0;\nret;\n}\n")
            shared = "shared = 300000\n" if kernel == "j_shared" else ""
            (folder / f"{kernel}.kernel.toml").write_text(
                f'schema = "pitot.kernel/1"\nptx = "{kernel}.ptx"\nentry = "k"\n[launch]\ngrid = 1\nblock = 32\n{shared}'
                '[[sizes]]\nn = 32\n[[args]]\nname = "p"\nkind = "buffer"\ntype = "f32"\ncount = "n"\nrole = "inout"\n'
                '[[args]]\nname = "n"\nkind = "scalar"\ntype = "u32"\nvalue = "n"\n')
        done = call(pitot, "measure", folder, "--seconds", "0.05", "--time-limit", "10", "--format", "json")
    if not done.stdout:
        return False, f"no answer: {done.stderr[:300]}"
    runs = json.loads(done.stdout)["runs"]
    (out / "faults.json").write_text(json.dumps([{k: r[k] for k in ("ptx", "ok", "reason")} for r in runs], indent=1))
    bad = []
    for (kernel, (_, said)), run in zip(FAULTS.items(), runs):
        located = said is None or f"{kernel}." in (run["reason"] or "")
        if run["ok"] != (said is None) or (said and said not in run["reason"]) or not located:
            bad.append(f"{kernel}: {run['reason']}")
    for line in bad:
        print("  " + line)
    return len(runs) == len(FAULTS) and not bad, f"{len(runs) - len(bad)} of {len(FAULTS)} kernels as they must be, in one call"


def interruption(pitot, specs, seconds):
    r = kill_resume.run(pitot, specs, seconds, seed=1)
    for p in r["problems"][:5]:
        print("  " + p)
    done = "all measured once" if r["ended"] else "not to the end, for the time"
    return not r["problems"], f"{r['measured']} of {r['specs']} specs, {r['kills']} kills in {r['seconds']} s; {done}"


def devices(pitot):
    spec = ROOT / (SPECS[0] + ".kernel.toml")
    n = 1
    while (row := compare_spec(pitot, spec, f"cuda:{n}"))["verdict"] != "failed":
        if row["verdict"] not in ("same", "close"):
            return False, f"cuda:{n} differs"
        n += 1
    if n == 1 and "the driver sees one" in row["said"]:
        return True, "skipped: one GPU here"
    return "the driver sees" in row["said"], f"{n} devices give the same"


def counters(pitot, out, seconds):
    with open(out / "executed.jsonl", "w") as f:
        study = [sys.executable, str(ROOT / "tools/gpu/counter_study.py"), "count", pitot, "--executed"]
        subprocess.run([*study, "--seconds", str(seconds)], stdout=f, stderr=subprocess.PIPE, timeout=seconds + 60)
    rows = [json.loads(line) for line in open(out / "executed.jsonl")]
    bad = [r for r in rows if "error" in r]
    for r in bad[:3]:
        print(f"  {r['launch']['spec']}: {r['error'][:300]}")
    return bool(rows) and not bad, f"{len(rows) - len(bad)} of {len(rows)} launches counted"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pitot")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("."))
    parser.add_argument("--specs", type=int, default=1000, help="that are killed and started again")
    parser.add_argument("--kill-seconds", type=float, default=130)
    parser.add_argument("--counter-seconds", type=float, default=140)
    parser.add_argument("--no-counters", action="store_true")
    parser.add_argument("--only", nargs="+", metavar="PART", help="parts by their first words: images, refusals, timed, "
                        "faults, several, executed, interruption")
    a = parser.parse_args()
    a.out.mkdir(parents=True, exist_ok=True)
    pitot = str(pathlib.Path(a.pitot).resolve())
    parts = {"images": lambda: images(pitot, a.out), "refusals": lambda: refusals(pitot, a.out),
             "timed images": lambda: timed(pitot),
             "faults": lambda: faults(pitot, a.out), "several devices": lambda: devices(pitot)}
    if not a.no_counters:
        parts["executed instructions"] = lambda: counters(pitot, a.out, a.counter_seconds)
    parts["interruption"] = lambda: interruption(pitot, a.specs, a.kill_seconds)
    if a.only:
        parts = {name: part for name, part in parts.items() if name.split()[0] in a.only}
        if len(parts) != len(set(a.only)):
            parser.error(f"--only {' '.join(a.only)}: parts are images, refusals, timed, faults, several, executed, interruption")
    table = []
    for name, part in parts.items():
        begin = time.monotonic()
        try:
            good, said = part()
        except Exception as e:  # the other parts are still worth their time
            good, said = False, f"{type(e).__name__}: {e}"
        table.append({"part": name, "good": good, "said": said, "seconds": round(time.monotonic() - begin, 1)})
        (a.out / "summary.json").write_text(json.dumps(table, indent=1))
    for row in table:
        print(f"{'ok ' if row['good'] else 'BAD'} {row['part']:22} {row['seconds']:6.1f} s  {row['said']}")
    return 0 if all(row["good"] for row in table) else 1


if __name__ == "__main__":
    sys.exit(main())
