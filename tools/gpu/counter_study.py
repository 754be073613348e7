"""Nsight Compute's counters of the launches of launches.toml by `pitot profile --device cuda`, and beside them what the
emulator counts.

    python3 tools/gpu/counter_study.py count build/release/bin/pitot >data/h200/counters.jsonl    # with a GPU and ncu
    python3 tools/gpu/counter_study.py compare build/release/bin/pitot data/h200/counters.jsonl   # without; Markdown

`count` takes about three minutes; `--first N` launches only, `--seconds S` stops before the limit.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import time
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
LOADS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
STORES = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"
CONFLICTS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"
INSTRUCTIONS = "smsp__inst_executed.sum"
CYCLES = "sm__cycles_elapsed.max"
L2_HITS = "lts__t_sector_hit_rate.pct"


def launches():
    return tomllib.loads((ROOT / "tools/gpu/launches.toml").read_text())["launch"]


def arguments(launch, separator):
    spec = ROOT / "kernels" / (launch["spec"] + ".kernel.toml")
    size = separator.join(f"{k}={v}" for k, v in launch["set"].items())
    return [str(spec), "--ptx", str(spec.parent / launch["ptx"]), "--set", size]


def count(pitot, first, seconds):
    begin = time.monotonic()
    for launch in launches()[:first]:
        if time.monotonic() - begin > seconds:
            print(f"stopped before {launch['spec']}: the time is used up", file=sys.stderr)
            break
        done = subprocess.run([pitot, "profile", *arguments(launch, ","), "--device", "cuda", "--format", "json"],
                              capture_output=True, text=True)
        row = json.loads(done.stdout) if done.returncode == 0 else {"error": done.stderr.strip()}
        print(json.dumps({"launch": launch, **row}), flush=True)


def ratio(ours, theirs):
    if theirs is None or ours is None:
        return "–", None
    if theirs == 0:
        return ("1.000" if ours == 0 else f"{ours:.0f} / 0"), (1.0 if ours == 0 else None)
    return f"{ours / theirs:.3f}", ours / theirs


def ranks(values):
    order = sorted(range(len(values)), key=values.__getitem__)
    out = [0] * len(values)
    for rank, i in enumerate(order):
        out[i] = rank
    return out


def spearman(a, b):
    a, b, n = ranks(a), ranks(b), len(a)
    return 1 - 6 * sum((x - y) ** 2 for x, y in zip(a, b)) / (n * (n * n - 1))


def compare(pitot, path):
    print("| launch | warp instr. | global sectors | bank conflicts, ours / hardware | L2 hit %, ours / hardware | cycles |")
    print("|---|--:|--:|--:|--:|--:|")
    near = {"sectors": 0, "conflicts": 0}
    cycles, total = [], 0
    for line in open(path):
        row = json.loads(line)
        launch = row["launch"]
        name = launch["spec"].split("/", 1)[1] + " " + " ".join(f"{k}={v}" for k, v in launch["set"].items())
        if "error" in row:
            print(f"| {name} | {row['error'][:80]} | | | | |")
            continue
        done = subprocess.run([pitot, "profile", *arguments(launch, ","), "--gpu", "H200", "--format", "json"],
                              capture_output=True, text=True)
        ours, hardware = json.loads(done.stdout), row["counters"]
        totals = ours["totals"]
        total += 1
        instructions, _ = ratio(totals["machine_instructions"], hardware[INSTRUCTIONS])
        sectors, sector_ratio = ratio(totals["global_sectors"], hardware[LOADS] + hardware[STORES])
        mine, theirs = totals["bank_conflicts"], hardware[CONFLICTS]
        near["sectors"] += sector_ratio is not None and abs(sector_ratio - 1) <= 0.02
        near["conflicts"] += abs(mine - theirs) <= 0.02 * max(theirs, 1)
        cycle_ratio, _ = ratio(ours["estimated_cycles"], hardware[CYCLES])
        cycles.append((ours["estimated_cycles"], hardware[CYCLES]))
        print(f"| {name} | {instructions} | {sectors} | {mine:.0f} / {theirs:.0f} | "
              f"{100 * totals['l2_hit_rate']:.0f} / {hardware[L2_HITS]:.0f} | {cycle_ratio} |")
    print(f"\n{total} launches: global sectors within 2 % in {near['sectors']}, bank conflicts in {near['conflicts']}; "
          f"rank correlation of modelled with measured cycles {spearman(*zip(*cycles)):.3f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["count", "compare"])
    parser.add_argument("pitot")
    parser.add_argument("counters", nargs="?")
    parser.add_argument("--first", type=int, default=None)
    parser.add_argument("--seconds", type=float, default=1e9)
    a = parser.parse_args()
    count(a.pitot, a.first, a.seconds) if a.what == "count" else compare(a.pitot, a.counters)


if __name__ == "__main__":
    main()
