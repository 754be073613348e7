"""Nsight Compute's counters of the launches of launches.toml by `pitot profile --device cuda`, and beside them what the
emulator counts.

    python3 tools/gpu/counter_study.py count build/release/bin/pitot >data/h200/counters.jsonl    # with a GPU and ncu
    python3 tools/gpu/counter_study.py compare build/release/bin/pitot data/h200/counters.jsonl   # without; Markdown
    python3 tools/gpu/counter_study.py executed build/release/bin/pitot data/h200/counters.jsonl  # without; Markdown
    python3 tools/gpu/counter_study.py table data/h200/counters.jsonl                             # CSV for compare.py

`count` takes about three minutes; `--first N` launches only, `--seconds S` stops before the limit, `--executed` counts
executed instructions by kind instead (one launch takes two seconds). `executed` compares instructions that PTX and the machine have one to
one: those that access memory and have an active lane; `--most 1e7` keeps it to minutes.
"""

import argparse
import csv
import json
import pathlib
import re
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
# Columns of the table of which compare.py reads some.
TABLE = {
    "cycles": CYCLES,
    "instructions": INSTRUCTIONS,
    "load_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "load_sectors": LOADS,
    "load_hits": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
    "store_sectors": STORES,
    "wavefronts": "l1tex__data_pipe_lsu_wavefronts.sum",
    "dram_read_bytes": "dram__bytes_read.sum",
    "dram_write_bytes": "dram__bytes_write.sum",
    "warps_active_percent": "sm__warps_active.avg.pct_of_peak_sustained_active",
    "registers": "launch__registers_per_thread",
}
# Executed instructions by kind: sums of metrics, the first sum that the GPU has; the emulator's lines and their count.
# Requests are instructions with an active lane. An atom without a use of its result is a red in the machine.
L1 = "l1tex__t_requests_pipe_lsu_mem_global_op_"
SASS = "smsp__sass_inst_executed_op_"
KINDS = {
    "global loads": ([[L1 + "ld.sum"]], r"(ldu?|cp\.async)\b", "global_requests"),
    "global stores": ([[L1 + "st.sum"]], r"st\b", "global_requests"),
    "global atomics": ([[L1 + "atom.sum", L1 + "red.sum"]], r"(atom|red)\b", "global_requests"),
    "shared loads": ([[SASS + "shared_ld.sum"], ["smsp__inst_executed_op_shared_ld.sum"]], r"ld\b", "shared_requests"),
    "shared stores": ([[SASS + "shared_st.sum"], ["smsp__inst_executed_op_shared_st.sum"]], r"st\b", "shared_requests"),
    "ldmatrix": ([[SASS + "ldsm.sum"], ["smsp__inst_executed_op_ldsm.sum"]], r"ldmatrix\b", "shared_requests"),
    "shared atomics": ([[SASS + "shared_atom.sum"], ["smsp__inst_executed_op_shared_atom.sum"]], r"(atom|red)\b", "shared_requests"),
}
# Taken along where the GPU has them: what they say is read when a kind differs.
ALSO = ["smsp__sass_inst_executed_op_global_ld.sum", "smsp__sass_inst_executed_op_global_st.sum",
        "smsp__sass_inst_executed_op_ldgsts.sum", "smsp__inst_executed_op_branch.sum",
        "smsp__sass_inst_executed_op_branch.sum", "smsp__inst_executed.sum", "smsp__thread_inst_executed.sum"]


def launches():
    return tomllib.loads((ROOT / "tools/gpu/launches.toml").read_text())["launch"]


def arguments(launch, separator):
    spec = ROOT / "kernels" / (launch["spec"] + ".kernel.toml")
    size = separator.join(f"{k}={v}" for k, v in launch["set"].items())
    return [str(spec), "--ptx", str(spec.parent / launch["ptx"]), "--set", size]


def name_of(launch):
    return launch["spec"].split("/", 1)[1] + " " + " ".join(f"{k}={v}" for k, v in launch["set"].items())


def known_metrics():
    """Base names that ncu has for this GPU; none if it does not say."""
    done = subprocess.run(["ncu", "--query-metrics"], capture_output=True, text=True)
    return set(re.findall(r"^\s*((?:smsp|sm|l1tex)__\w+)", done.stdout, re.M))


def executed_metrics():
    known = known_metrics()
    wanted = [m for sums, _, _ in KINDS.values() for one in sums for m in one] + ALSO
    return [m for m in dict.fromkeys(wanted) if not known or m.rsplit(".", 1)[0] in known]


def count(pitot, first, seconds, executed):
    begin = time.monotonic()
    more = ["--metrics", ",".join(executed_metrics())] if executed else []
    for launch in launches()[:first]:
        if time.monotonic() - begin > seconds:
            print(f"stopped before {launch['spec']}: the time is used up", file=sys.stderr)
            break
        command = [pitot, "profile", *arguments(launch, ","), "--device", "cuda", "--format", "json", *more]
        done = subprocess.run(command, capture_output=True, text=True)
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


def profile(pitot, launch, *more):
    done = subprocess.run([pitot, "profile", *arguments(launch, ","), "--gpu", "H200", "--format", "json", *more],
                          capture_output=True, text=True)
    return json.loads(done.stdout)


def compare(pitot, path):
    print("| launch | warp instr. | global sectors | bank conflicts, ours / hardware | L2 hit %, ours / hardware | cycles |")
    print("|---|--:|--:|--:|--:|--:|")
    near = {"sectors": 0, "conflicts": 0}
    cycles, total = [], 0
    for line in open(path):
        row = json.loads(line)
        name = name_of(row["launch"])
        if "error" in row:
            print(f"| {name} | {row['error'][:80]} | | | | |")
            continue
        ours, hardware = profile(pitot, row["launch"]), row["counters"]
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


def executed_by(result, pattern, field):
    """Warp instructions with an active lane in the lines of a kind."""
    out = 0
    for line in result["lines"]:
        text = re.sub(r"^@!?\S+\s+", "", line["text"].strip())
        if re.match(pattern, text):
            out += line[field]
    return round(out)


def counted(counters, sums):
    """The first of these sums of which all parts were counted."""
    for one in sums:
        values = [counters.get(m) for m in one]
        if None not in values:
            return sum(values)
    return None


def executed(pitot, path, most):
    """Blocks that are not all alike make a sample inexact: then all of them run, up to `most` warp instructions."""
    rows = [json.loads(line) for line in open(path)]
    kinds = [k for k, (sums, _, _) in KINDS.items()
             if any(counted(r.get("counters", {}), sums) is not None for r in rows)]
    print("| launch | " + " | ".join(kinds) + " |\n|---|" + "--:|" * len(kinds))
    equal, judged = dict.fromkeys(kinds, 0), dict.fromkeys(kinds, 0)
    for row in rows:
        if "error" in row:
            print(f"| {name_of(row['launch'])} | {row['error'][:80]} |" + " |" * (len(kinds) - 1))
            continue
        for more in ([], ["--blocks", "all"]):
            result, pairs = profile(pitot, row["launch"], *more), {}
            for k in kinds:
                sums, pattern, field = KINDS[k]
                pairs[k] = (executed_by(result, pattern, field), counted(row["counters"], sums))
            if all(b is None or a == b for a, b in pairs.values()) or result["totals"]["warp_instructions"] > most:
                break
        cells = []
        for k, (a, b) in pairs.items():
            if b is not None and (a or b):
                judged[k] += 1
                equal[k] += a == b
            cells.append("–" if b is None or not (a or b) else f"{a} =" if a == b else f"{a} / {b:.0f}")
        print(f"| {name_of(row['launch'])} | " + " | ".join(cells) + " |", flush=True)
    print("\nEqual, of the launches that have such instructions: " +
          ", ".join(f"{k} {equal[k]} of {judged[k]}" for k in kinds if judged[k]))


def table(path):
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["spec", "ptx", "set", *TABLE])
    for line in open(path):
        row = json.loads(line)
        launch = row["launch"]
        if "error" not in row:
            size = " ".join(f"{k}={v}" for k, v in launch["set"].items())
            out.writerow([launch["spec"], launch["ptx"], size, *(f"{row['counters'][m]:.12g}" for m in TABLE.values())])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_subparsers(dest="what", required=True)
    counting = what.add_parser("count")
    counting.add_argument("pitot")
    counting.add_argument("--first", type=int, default=None)
    counting.add_argument("--seconds", type=float, default=1e9)
    counting.add_argument("--executed", action="store_true")
    for name in ("compare", "executed"):
        p = what.add_parser(name)
        p.add_argument("pitot")
        p.add_argument("counters")
        if name == "executed":
            p.add_argument("--most", type=float, default=3e8, help="warp instructions of a launch whose blocks may all run")
    what.add_parser("table").add_argument("counters")
    a = parser.parse_args()
    if a.what == "count":
        count(a.pitot, a.first, a.seconds, a.executed)
    elif a.what == "table":
        table(a.counters)
    elif a.what == "executed":
        executed(a.pitot, a.counters, a.most)
    else:
        compare(a.pitot, a.counters)


if __name__ == "__main__":
    main()
