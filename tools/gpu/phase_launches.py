"""Hardware counters of kernels whose work is known, launch by launch: what windows for the phase detector are made of.

    python3 tools/gpu/phase_launches.py --out phase [--minutes 4.5] [--streams 600]

tools/gpu/phase_kernels.cu is compiled (nvcc) and run twice: timed, each launch by events after L2 was emptied, and under
Nsight Compute, which tells five counters of every launch. A stream is 30 launches of one kernel, or of two in turns or one
after the other. OUT/phase_launches.csv has a row a launch: work, time and counters. Streams are counted in portions until
the time is up, first some with either of ncu's ways to replay, then with the quicker one; what was counted is kept.
OUT/phase_launches.tar.xz has all of it. tools/knobs/phase_windows.py makes windows of it.
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

LAUNCHES = 30  # of a stream
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


def bounds_us(work, gpu):
    """The least time that arithmetic and DRAM leave: of a launch's operations by pipe, and its bytes."""
    multiprocessors, clock, bandwidth = PEAK[gpu]
    compute = max(float(work[pipe]) / rate for pipe, rate in PER_CYCLE.items()) / (multiprocessors * clock)
    return compute * 1e6, float(work["bytes"]) / bandwidth * 1e6


def timed(program, streams):
    text = subprocess.run([program, "time", "0", str(streams)], check=True, capture_output=True, text=True).stdout
    return list(csv.DictReader(io.StringIO(text)))


def counted(program, first, last, seconds, replay):
    """Counters of the launches of streams first to last, in order; nothing where ncu did not end or missed any."""
    command = ["ncu", "--csv", "--page", "raw", "--print-units", "base", "--clock-control", "none", "--cache-control", "all",
               "--replay-mode", replay, "-k", "regex:^phase_", "--metrics", ",".join([*METRICS.values(), PROFILED_TIME]), program, "count", str(first),
               str(last)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return None, "ncu was stopped when the time was up"
    lines = [line for line in done.stdout.splitlines() if line.startswith('"')]
    rows = [r for r in csv.DictReader(lines) if r["ID"]]
    if len(rows) != (last - first) * LAUNCHES:
        said = [line for line in (done.stdout + done.stderr).splitlines() if line.startswith("==")]
        return None, f"ncu reports {len(rows)} launches of {(last - first) * LAUNCHES}: {said[-3:]}"
    return rows, ""


def number(row, metric):
    text = row.get(metric, "").replace(",", "")
    return float(text) if text else None


def table(launches, counters, gpu):
    """Rows of launches that have both, work and counters; and how many have no counters."""
    out, left_out = [], 0
    for work, counts in zip(launches, counters):
        if counts["Kernel Name"].split("(")[0] != "phase_" + work["kernel"]:
            raise SystemExit(f"stream {work['stream']}: ncu saw {counts['Kernel Name']}, not {work['kernel']}")
        if any(number(counts, m) is None for m in METRICS.values()):
            left_out += 1
            continue
        compute, memory = bounds_us(work, gpu)
        out.append({"stream": work["stream"], "launch": work["step"], "kernel": work["kernel"], "n": work["n"],
                    "blocks": work["blocks"], "threads": work["threads"],
                    **{k: f"{number(counts, m):.2f}" for k, m in METRICS.items()}, "compute_us": f"{compute:.4g}",
                    "memory_us": f"{memory:.4g}", "time_us": work["time_us"],
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
    counters, done, problems, rates = [], 0, [], {}
    while done < a.streams:
        untried = [r for r in ("application", "kernel") if r not in rates]
        replay = untried[0] if untried else max(rates, key=rates.get)
        left = end - time.monotonic()
        # A portion of about half a minute, and one that ends in time; of either way first a few.
        portion = {"application": 10, "kernel": 3}[replay] if untried else int(rates[replay] * min(30.0, 0.8 * left))
        if portion < 1 or left < 2:
            break
        began, last = time.monotonic(), min(a.streams, done + portion)
        rows, problem = counted(program, done, last, left, replay)
        took = time.monotonic() - began
        if rows is None:
            problems.append(f"{replay}: {problem}")
            print(problems[-1], file=sys.stderr, flush=True)
            if not untried:
                break
            rates[replay] = 0.0
            continue
        counters += rows
        rates[replay] = (last - done) / took
        print(f"streams {done} to {last} counted in {took:.1f} s, replay of the {replay}", flush=True)
        done = last
    rows, left_out = table(launches, counters, gpu)
    path = a.out / "phase_launches.csv"
    with open(path, "w", newline="") as f:
        out = csv.DictWriter(f, list(rows[0]) if rows else ["stream"], lineterminator="\n")
        out.writeheader()
        out.writerows(rows)
    ncu = subprocess.run(["ncu", "--version"], capture_output=True, text=True).stdout.strip().splitlines()
    provenance = {"schema": "pitot.phase-launches/1", "gpu": gpu, "driver": driver, "ncu": ncu[-1] if ncu else "",
                  "launches": len(rows), "left_out": left_out, "streams": done,
                  "replay": {k: round(v, 3) for k, v in rates.items()}, "metrics": METRICS, "per_cycle": PER_CYCLE,
                  "peak": PEAK[gpu], "problems": problems, "kernels": collections.Counter(r["kernel"] for r in rows)}
    (a.out / "phase_launches.provenance.json").write_text(json.dumps(provenance, indent=1) + "\n")
    with tarfile.open(a.out / "phase_launches.tar.xz", "w:xz") as tar:
        for name in ("phase_launches.csv", "phase_launches.provenance.json"):
            tar.add(a.out / name, name)
    print(json.dumps({k: provenance[k] for k in ("launches", "left_out", "streams", "replay", "problems")}))


if __name__ == "__main__":
    main()
