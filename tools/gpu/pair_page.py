"""Tables of the nine-pair study as Markdown, from what pair_study.py measured and from `pitot diff` on every target.

    python3 tools/gpu/pair_page.py build/release/bin/pitot data/h200/pairs.csv
"""

import csv
import json
import pathlib
import subprocess
import sys

from pair_study import PAIRS, ROOT

TARGETS = {"sm75": "sm_75", "sm80": "sm_80", "sm90a": "sm_90a", "sm100a": "sm_100a"}


def percent(text):
    return f"{100 * float(text):+.2f}"


def time(ms):
    ms = float(ms)
    return f"{ms * 1e3:.2f} µs" if ms < 1 else f"{ms:.2f} ms"


def measured(path):
    rows = list(csv.DictReader(open(path)))
    itself = {(r["pair"], r["size"]): r for r in rows if r["against"] == "itself"}
    print("| pair | size | right | Δ wrong, % [95 %] | band ± % | verdict | Δ itself, % | least seen, % |")
    print("|---|---|--:|--:|--:|---|--:|--:|")
    for r in rows:
        if r["against"] != "wrong":
            continue
        same = itself[r["pair"], r["size"]]
        print(f"| {r['pair']} | {r['kind']} {r['size']} | {time(r['right_ms'])} | {percent(r['change'])} "
              f"[{percent(r['lo'])}, {percent(r['hi'])}] | {100 * float(r['noise_band']):.2f} | {r['verdict']} | "
              f"{percent(same['change'])} | {100 * float(r['least_detectable']):.2f} |")


def static(pitot):
    print("| pair | class | target | registers, virtual | instructions | registers, ptxas | Δ |")
    print("|---|---|---|--:|--:|--:|--:|")
    for pair, (variant, _) in PAIRS.items():
        for short, target in TARGETS.items():
            folder = ROOT / "kernels/pairs" / pair
            right, wrong = (folder / f"{pair}_{side}{variant}.{short}.ptx" for side in ("right", "wrong"))
            if not right.exists():
                continue
            done = subprocess.run([pitot, "diff", str(right), str(wrong), "--target", target, "--format", "json"],
                                  capture_output=True, text=True)
            k = json.loads(done.stdout)["kernels"][0]
            compat, p = k["compat"], k["ptxas"][target]
            print(f"| {pair}{variant} | {k['class']} | {target} | {compat['registers']:+d} | "
                  f"{compat['instructions']:+d} | {p['a']['registers']} → {p['b']['registers']} | "
                  f"{p['registers']:+d} |")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    measured(sys.argv[2])
    print()
    static(sys.argv[1])
