"""Windows of counters with labels, made of launches that were counted one by one on a GPU.

    python3 tools/knobs/phase_windows.py data/h200/knobs/phase/phase_launches.csv --windows 1500 -o windows.csv

Every launch was timed and counted with a cold L2, so that its counters do not depend on what ran before it: launches
stand in any order for a program that makes them in that order. A window is 20 launches of one kernel of about one size;
a third are of two kernels, in turns or one after the other. What a window is follows from work and time, summed over its
launches (label_of); the counters, which are all that a detector sees, have no part in it.
"""

import argparse
import collections
import csv
import math
import pathlib
import random

STEPS = 20
NEAR = 30  # launches of about one size that a window draws from
COUNTERS = ["achieved_occupancy", "l2_hit_rate", "dram_bw_pct", "sm_active_pct", "issue_pct"]
HIGH, LOW = 0.5, 0.2


def label_of(compute_us, memory_us, time_us):
    """The regime by the shares of the time that arithmetic and DRAM need at least, at the GPU's peaks."""
    compute, memory = compute_us / time_us, memory_us / time_us
    if max(compute, memory) >= HIGH:
        return "compute" if compute > memory else "memory"
    return "latency" if max(compute, memory) < LOW else "mixed"


def rows_of(name, launches):
    sums = [sum(float(r[k]) for r in launches) for k in ("compute_us", "memory_us", "time_us")]
    kernels = "+".join(sorted({r["kernel"] for r in launches}))
    return [{"window": name, "step": step, "kernels": kernels, "label": label_of(*sums), **{k: r[k] for k in COUNTERS}}
            for step, r in enumerate(launches)]


def write(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", newline="") as f:
        out = csv.DictWriter(f, list(rows[0]), lineterminator="\n")
        out.writeheader()
        out.writerows(rows)
    firsts = [r for r in rows if r["step"] == 0]
    print(f"{len(firsts)} windows: {dict(collections.Counter(r['label'] for r in firsts))}")


def near(launches, draws):
    """Those whose time is about one that is drawn, logarithmically, between the least and the most of the kernel."""
    times = [math.log(float(r["time_us"])) for r in launches]
    at = draws.uniform(min(times), max(times))
    return [r for _, r in sorted(zip(times, launches), key=lambda pair: abs(pair[0] - at))[:NEAR]]


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("launches", type=pathlib.Path)
    p.add_argument("--windows", type=int, default=1500)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("-o", "--output", type=pathlib.Path, required=True)
    a = p.parse_args()
    by_kernel = collections.defaultdict(list)
    for r in csv.DictReader(open(a.launches, newline="")):
        by_kernel[r["kernel"]].append(r)
    draws, names, rows = random.Random(a.seed), sorted(by_kernel), []
    for number in range(a.windows):
        first = near(by_kernel[names[number % len(names)]], draws)
        kind, second = draws.random(), first
        if kind < 1 / 3:
            second = near(by_kernel[draws.choice(names)], draws)
        change = draws.randrange(5, 16)
        pools = [(first, second)[k % 2 if kind < 1 / 6 else k >= change] for k in range(STEPS)]
        rows += rows_of(str(number), [draws.choice(pool) for pool in pools])
    write(a.output, rows)


if __name__ == "__main__":
    main()
