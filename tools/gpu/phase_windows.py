"""Windows of hardware counters over running kernels on a GPU, each with the regime that its work and its time say.

    python3 tools/gpu/phase_windows.py --out phase [--minutes 4.5] [--streams 600]

tools/gpu/phase_kernels.cu is compiled (nvcc) and run twice: timed, each launch by events after L2 was emptied, and under
Nsight Compute, which tells five counters of every launch. A window is a stream of 20 launches of one kernel, or of two in
turns or one after the other. OUT/phase_windows.csv has a row a launch: the counters are what a detector sees; work, time
and the label that follows from them (label_of) are what it is judged by. Streams are counted in portions until the time
is up; what was counted is kept. OUT/phase_windows.tar.xz has all of it.
"""

import argparse
import collections
import csv
import io
import json
import pathlib
import subprocess
import sys
import tarfile
import time

STEPS = 20
METRICS = {
    "achieved_occupancy": "sm__warps_active.avg.pct_of_peak_sustained_active",
    "l2_hit_rate": "lts__t_sector_hit_rate.pct",
    "dram_bw_pct": "dram__throughput.avg.pct_of_peak_sustained_elapsed",
    "sm_active_pct": "sm__throughput.avg.pct_of_peak_sustained_active",
    "issue_pct": "sm__inst_issued.avg.pct_of_peak_sustained_active",
}
PROFILED_TIME = "gpu__time_duration.sum"
# What a multiprocessor does in a cycle, of an H100 or H200, and the GPU's multiprocessors, clock and bandwidth.
PER_CYCLE = {"fp32": 256, "fp64": 128, "int32": 64, "sfu": 16}
PEAK = {"NVIDIA H200": (132, 1.98e9, 4.8e12)}
HIGH, LOW = 0.5, 0.2


def bounds_us(work, gpu):
    """The least time that arithmetic and DRAM leave: of a launch's operations by pipe, and its bytes."""
    multiprocessors, clock, bandwidth = PEAK[gpu]
    compute = max(float(work[pipe]) / rate for pipe, rate in PER_CYCLE.items()) / (multiprocessors * clock)
    return compute * 1e6, float(work["bytes"]) / bandwidth * 1e6


def label_of(compute_us, memory_us, time_us):
    """The regime of a window from sums over its launches. Counters have no part in it."""
    compute, memory = compute_us / time_us, memory_us / time_us
    if max(compute, memory) >= HIGH:
        return "compute" if compute > memory else "memory"
    return "latency" if max(compute, memory) < LOW else "mixed"


def timed(program, streams):
    text = subprocess.run([program, "time", "0", str(streams)], check=True, capture_output=True, text=True).stdout
    return list(csv.DictReader(io.StringIO(text)))


def counted(program, first, last, seconds):
    """Counters of the launches of streams first to last, in order; nothing where ncu did not end or missed any."""
    command = ["ncu", "--csv", "--page", "raw", "--print-units", "base", "--clock-control", "none", "--cache-control", "all", "-k",
               "regex:^phase_", "--metrics", ",".join([*METRICS.values(), PROFILED_TIME]), program, "count", str(first),
               str(last)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return None, "ncu was stopped when the time was up"
    lines = [line for line in done.stdout.splitlines() if line.startswith('"')]
    rows = [r for r in csv.DictReader(lines) if r["ID"]]
    if len(rows) != (last - first) * STEPS:
        said = [line for line in (done.stdout + done.stderr).splitlines() if line.startswith("==")]
        return None, f"ncu reports {len(rows)} launches of {(last - first) * STEPS}: {said[-3:]}"
    return rows, ""


def number(row, metric):
    text = row.get(metric, "").replace(",", "")
    return float(text) if text else None


def windows(launches, counters, gpu):
    """Rows of the table, a launch each, of streams that have both."""
    out, left_out = [], 0
    for first in range(0, min(len(launches), len(counters)), STEPS):
        rows = list(zip(launches[first:first + STEPS], counters[first:first + STEPS]))
        names = [work["kernel"] for work, _ in rows]
        if any(counts["Kernel Name"].split("(")[0] != "phase_" + name for name, (_, counts) in zip(names, rows)):
            raise SystemExit(f"stream {rows[0][0]['stream']}: ncu saw other kernels than were timed")
        if any(number(counts, m) is None for _, counts in rows for m in METRICS.values()):
            left_out += 1
            continue
        bounds = [bounds_us(work, gpu) for work, _ in rows]
        label = label_of(sum(b[0] for b in bounds), sum(b[1] for b in bounds), sum(float(w["time_us"]) for w, _ in rows))
        for (work, counts), (compute, memory) in zip(rows, bounds):
            out.append({"window": work["stream"], "step": work["step"], "kernels": "+".join(sorted(set(names))),
                        "label": label, **{k: f"{number(counts, m):.2f}" for k, m in METRICS.items()},
                        "kernel": work["kernel"], "n": work["n"], "blocks": work["blocks"], "threads": work["threads"],
                        "compute_us": f"{compute:.4g}", "memory_us": f"{memory:.4g}", "time_us": work["time_us"],
                        "profiled_ns": f"{number(counts, PROFILED_TIME) or 0:.0f}"})
    return out, left_out


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--out", type=pathlib.Path, required=True)
    p.add_argument("--minutes", type=float, default=4.5)
    p.add_argument("--streams", type=int, default=600)
    a = p.parse_args()
    start = time.monotonic()
    end = start + 60 * a.minutes
    a.out.mkdir(parents=True, exist_ok=True)
    program = str((a.out / "phase_kernels").resolve())
    source = pathlib.Path(__file__).parent / "phase_kernels.cu"
    subprocess.run(["nvcc", "-O3", "-std=c++17", "-arch=native", str(source), "-o", program], check=True)
    gpu, driver = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"], check=True,
                                 capture_output=True, text=True).stdout.splitlines()[0].split(", ")
    if gpu not in PEAK:
        raise SystemExit(f"the peaks of a {gpu} are not known here")
    print(f"compiled after {time.monotonic() - start:.1f} s", flush=True)
    launches = timed(program, a.streams)
    print(f"{len(launches)} launches timed after {time.monotonic() - start:.1f} s", flush=True)
    counters, done, portion, problems = [], 0, 5, []
    while done < a.streams:
        began = time.monotonic()
        last = min(a.streams, done + portion)
        rows, problem = counted(program, done, last, max(1.0, end - began))
        if rows is None:
            problems.append(problem)
            print(problem, file=sys.stderr, flush=True)
            break
        counters += rows
        took = time.monotonic() - began
        print(f"streams {done} to {last} counted in {took:.1f} s", flush=True)
        left = end - time.monotonic()
        # A portion of about half a minute, and one that ends in time.
        rate = (last - done) / took
        done, portion = last, int(rate * min(30.0, 0.8 * left))
        if portion < 1:
            break
    rows, left_out = windows(launches, counters, gpu)
    path = a.out / "phase_windows.csv"
    with open(path, "w", newline="") as f:
        out = csv.DictWriter(f, list(rows[0]) if rows else ["window"], lineterminator="\n")
        out.writeheader()
        out.writerows(rows)
    firsts = [r for r in rows if r["step"] == "0"]
    ncu = subprocess.run(["ncu", "--version"], capture_output=True, text=True).stdout.strip().splitlines()
    provenance = {"schema": "pitot.phase-windows/1", "gpu": gpu, "driver": driver, "ncu": ncu[-1] if ncu else "",
                  "windows": len(firsts), "left_out": left_out, "steps": STEPS, "metrics": METRICS,
                  "per_cycle": PER_CYCLE, "peak": PEAK[gpu], "high": HIGH, "low": LOW, "problems": problems,
                  "labels": collections.Counter(r["label"] for r in firsts),
                  "kernels": collections.Counter(r["kernels"] for r in firsts if "+" not in r["kernels"])}
    (a.out / "phase_windows.provenance.json").write_text(json.dumps(provenance, indent=1) + "\n")
    with tarfile.open(a.out / "phase_windows.tar.xz", "w:xz") as tar:
        for name in ("phase_windows.csv", "phase_windows.provenance.json"):
            tar.add(a.out / name, name)
    print(json.dumps({k: provenance[k] for k in ("windows", "left_out", "labels", "problems")}))


if __name__ == "__main__":
    main()
