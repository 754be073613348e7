"""What `pitot profile` says beside what Nsight Compute counted.

    python3 tools/gpu/compare.py build/release/bin/pitot docs/results/profile-h200.csv [GPU]

Prints a Markdown table, and how well the estimate orders the launches. Needs no GPU.
"""

import csv
import json
import math
import pathlib
import statistics
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from random import Random

ROOT = pathlib.Path(__file__).resolve().parents[2]


def profile(pitot, gpu, row):
    spec = ROOT / "kernels" / (row["spec"] + ".kernel.toml")
    command = [pitot, "profile", spec, "--ptx", spec.parent / row["ptx"], "--gpu", gpu, "-f", "json", "-j", "1"]
    for size in row["set"].split():
        command += ["--set", size]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def summary(pairs):
    """Median and geometric mean factor of the estimate, percent of pairs in the right order, and how many pairs."""
    errors = [abs(math.log(e / c)) for c, e, _ in pairs]
    agree = [
        (a[0] > b[0]) == (a[1] > b[1])
        for i, a in enumerate(pairs)
        for b in pairs[:i]
        if abs(math.log(a[0] / b[0])) > 0.1
    ]
    return math.exp(statistics.median(errors)), math.exp(statistics.mean(errors)), 100 * sum(agree) / len(agree), len(agree)


def main():
    pitot, table = sys.argv[1:3]
    gpu = sys.argv[3] if len(sys.argv) > 3 else "H200"
    rows = list(csv.DictReader(open(table)))
    with ThreadPoolExecutor(2) as pool:
        models = list(pool.map(lambda r: profile(pitot, gpu, r), rows))
    print("| launch | cycles | estimate | longest bound | instr. | load sectors | L1 hits | wavefronts | DRAM read MB |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|")
    pairs = []
    for r, m in zip(rows, models):
        t, cycles = m["totals"], float(r["cycles"])
        pairs.append((cycles, m["estimated_cycles"], m["cycles"]))
        loads = sum(x["global_sectors"] for x in m["lines"] if "ld." in x["text"] or "cp.async" in x["text"] or "wmma.load" in x["text"])
        sectors = float(r["load_sectors"])

        def ratio(a, b):
            return f"{a / b:.2f}" if b else "–"

        hits = f"{float(r['load_hits']) / sectors:.2f} / {t['l1_hit_rate']:.2f}" if sectors else "–"
        print(
            f"| {r['spec'].split('/', 1)[1]} {r['set']} | {cycles:.0f} | {ratio(m['estimated_cycles'], cycles)} "
            f"| {m['bound']} {ratio(m['cycles'], cycles)} | {ratio(t['machine_instructions'], float(r['instructions']))} "
            f"| {ratio(loads, sectors)} | {hits} | {ratio(t['lsu_wavefronts'], float(r['wavefronts']))} "
            f"| {float(r['dram_read_bytes']) / 1e6:.1f} / {t['dram_read_sectors'] * 32 / 1e6:.1f} |"
        )
    median, mean, order, count = summary(pairs)
    random = Random(1)
    again = [summary(random.choices(pairs, k=len(pairs))) for _ in range(2000)]

    def interval(n):
        values = sorted(s[n] for s in again)
        return f"[{values[50]:.2f}, {values[-51]:.2f}]"

    print(
        f"\n{len(pairs)} launches; 95 % intervals by bootstrap over launches. Estimate: off by a factor of {median:.2f} "
        f"{interval(0)} in the median, {mean:.2f} {interval(1)} on average (geometric); of {count} pairs that differ by "
        f"more than 10 %, {order:.1f} % {interval(2)} in the right order."
    )


if __name__ == "__main__":
    main()
