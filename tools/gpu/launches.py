"""Runs the launches of launches.toml once each, for Nsight Compute to count; and reads what it counted.

    ncu --target-processes all --csv --page raw --clock-control none --metrics $(python3 tools/gpu/launches.py metrics) \
        python3 tools/gpu/launches.py run >ncu.csv
    python3 tools/gpu/launches.py read ncu.csv >docs/results/profile-h200.csv

`run` needs CuPy and ptxas. Caches are cold: Nsight Compute flushes them before each kernel.
"""

import csv
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
METRICS = {
    "cycles": "sm__cycles_elapsed.max",
    "instructions": "smsp__inst_executed.sum",
    "load_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "load_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "load_hits": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
    "store_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "wavefronts": "l1tex__data_pipe_lsu_wavefronts.sum",
    "dram_read_bytes": "dram__bytes_read.sum",
    "dram_write_bytes": "dram__bytes_write.sum",
    "warps_active_percent": "sm__warps_active.avg.pct_of_peak_sustained_active",
    "registers": "launch__registers_per_thread",
}


def launches():
    return tomllib.loads((ROOT / "tools/gpu/launches.toml").read_text())["launch"]


def key(launch):
    return launch["spec"], launch["ptx"], " ".join(f"{k}={v}" for k, v in launch["set"].items())


def number(expression, sizes):
    if not isinstance(expression, str):
        return expression
    functions = {"ceil_div": lambda a, b: -(-a // b), "min": min, "max": max}
    return eval(expression.replace("/", "//"), functions | sizes)


def values(kind, dtype, count, random, numpy):
    if dtype == "bf16":
        return (values(kind, "f32", count, random, numpy).view(numpy.uint32) >> 16).astype(numpy.uint16)
    if dtype in ("e4m3", "e5m2"):
        return random.integers(0, 0x70, count, dtype=numpy.uint8)
    t = {"f": "float", "u": "uint", "s": "int", "b": "uint"}[dtype[0]] + re.sub(r"\D", "", dtype)
    if kind in ("zero", "poison"):
        return numpy.zeros(count, t)
    if kind == "bits":
        return numpy.frombuffer(random.bytes(count * numpy.dtype(t).itemsize), t).copy()
    if m := re.match(r"uniform\(([^,]+),([^)]+)\)", kind):
        v = random.uniform(float(m[1]), float(m[2]), count)
        return (v if t.startswith("float") else numpy.floor(v)).astype(t)
    if m := re.match(r"iota\(([^)]+)\)", kind):
        return (numpy.arange(count) * float(m[1])).astype(t)
    return random.standard_normal(count, dtype=numpy.float32).astype(t)


def run_one(launch):
    import cupy
    import numpy

    path = ROOT / "kernels" / (launch["spec"] + ".kernel.toml")
    spec = tomllib.loads(path.read_text())
    sizes = {k: v for k, v in spec["sizes"][0].items() if k != "kind"} | launch["set"]
    ptx, cubin = path.parent / launch["ptx"], os.path.join(tempfile.mkdtemp(), "k.cubin")
    subprocess.run(["ptxas", "-arch=sm_90a", str(ptx), "-o", cubin], check=True, capture_output=True)
    entries = re.findall(r"\.entry\s+(\w+)", ptx.read_text())
    kernel = cupy.RawModule(path=cubin).get_function(spec["entry"] if spec.get("entry") in entries else entries[0])

    def three(x):
        x = [int(number(e, sizes)) for e in (x if isinstance(x, list) else [x])]
        return tuple(x + [1] * (3 - len(x)))

    shared = int(number(spec["launch"].get("shared", 0), sizes))
    if shared > 48 << 10:
        kernel.max_dynamic_shared_size_bytes = shared
    random, arguments, buffers = numpy.random.default_rng(1), [], []
    for a in spec["args"]:
        if a["kind"] == "buffer":
            count = int(number(a["count"], sizes))
            buffers.append(cupy.asarray(values(a.get("init", "normal"), a["type"], count, random, numpy)))
            arguments.append(numpy.uint64(buffers[-1].data.ptr))
        else:
            t = {"f": "float", "u": "uint", "s": "int", "b": "uint"}[a["type"][0]] + a["type"][1:]
            text = str(a["value"])
            value = float(text) if re.fullmatch(r"-?[\d.]+(e[+-]?\d+)?", text) else number(text, sizes)
            arguments.append(numpy.dtype(t).type(value))
    kernel(three(spec["launch"]["grid"]), three(spec["launch"]["block"]), tuple(arguments), shared_mem=shared)
    cupy.cuda.Device().synchronize()


def run():
    """Each in a process of its own: a fault ends the process. What fails is missing in the results."""
    for i in range(len(launches())):
        done = subprocess.run([sys.executable, __file__, "one", str(i)], capture_output=True, text=True)
        print("launch" if done.returncode == 0 else "failed", i, done.stderr.strip().split("\n")[-1][:200], flush=True)


def read(path):
    head, rows, done = [], [], []
    for line in open(path):
        if line.startswith("launch "):
            done.append(int(line.split()[1]))
        if not line.startswith('"'):
            continue
        row = next(csv.reader([line]))
        if row[0] == "ID":
            head = row
        elif row[0] and row[head.index("Grid Size")] != "(0, 0, 0)":
            rows.append(dict(zip(head, row)))
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["spec", "ptx", "set", *METRICS])
    all_launches = launches()
    for i, row in zip(done, rows):
        out.writerow([*key(all_launches[i]), *(row[m].replace(",", "") for m in METRICS.values())])


def main():
    if sys.argv[1:] == ["metrics"]:
        print(",".join(METRICS.values()))
    elif sys.argv[1:] == ["run"]:
        run()
    elif len(sys.argv) == 3 and sys.argv[1] == "one":
        run_one(launches()[int(sys.argv[2])])
    elif len(sys.argv) == 3 and sys.argv[1] == "read":
        read(sys.argv[2])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
