"""Windows of modelled counters, with the regime that measured times say.

    mkdir features && tar xJf data/h200/variants/features.tar.xz -C features
    python3 tools/knobs/phase_emulated.py features data/h200/variants -o emulated_windows.csv

FEATURES/FAMILY.features.csv are rows of `pitot features --rows` on an H200 (what the emulator's profile says of a
launch), MEASURED/FAMILY.csv the times of the same launches. A window is 20 configurations of one family at one size, in
the order of a seeded shuffle: what a search over configurations would meet. The label is label_of() of
phase_windows.py: modelled cycles of the busiest unit and modelled bytes of DRAM over the measured time.
"""

import argparse
import collections
import csv
import math
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "gpu"))
from phase_launches import PEAK  # noqa: E402
from phase_windows import COUNTERS, STEPS, rows_of, write  # noqa: E402

UNITS = ["issue", "fma", "alu", "half", "fp64", "sfu", "shuffle", "tensor", "lsu"]
ARITHMETIC = ["fma", "alu", "half", "fp64", "sfu", "tensor"]
SECTOR = 32


def percent(share):
    return 100 * min(max(share, 0.0), 1.0)


def read(path, measured):
    times = {(r["variant"], r["size"]): float(r["median_us"]) for r in csv.DictReader(open(measured, newline=""))
             if r["status"] == "ok"}
    multiprocessors, clock, bandwidth = PEAK["NVIDIA H200"]
    out = collections.defaultdict(list)
    for r in csv.DictReader(open(path, newline="")):
        value = {k: float(v) if v not in ("", "nan") else math.nan for k, v in r.items()
                 if k.startswith("emu_") or k in ("occupancy", "waves")}
        time = times.get((r["variant"], r["size"]))
        cycles = value["emu_estimate"]
        if time is None or not cycles > 0:
            continue
        unit = {u: value[f"emu_cycles_{u}"] for u in UNITS}
        row = {
            "achieved_occupancy": 100 * value["occupancy"] * min(1.0, value["waves"]),
            "l2_hit_rate": percent(value["emu_l2_hit_rate"]),
            "dram_bw_pct": percent(value["emu_cycles_dram"] / cycles),
            "sm_active_pct": percent(max(unit.values()) / cycles),
            "issue_pct": percent(unit["issue"] / cycles),
        }
        if any(math.isnan(v) for v in row.values()):
            continue
        compute = max(unit[u] for u in ARITHMETIC) / clock * 1e6
        memory = SECTOR * (value["emu_dram_reads"] + value["emu_dram_writes"]) / bandwidth * 1e6
        out[r["size"]].append({"kernel": path.name.removesuffix(".features.csv"), "compute_us": compute,
                               "memory_us": memory, "time_us": time, **{k: f"{row[k]:.2f}" for k in COUNTERS}})
    return out


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("features", type=pathlib.Path)
    p.add_argument("measured", type=pathlib.Path)
    p.add_argument("-o", "--output", type=pathlib.Path, required=True)
    p.add_argument("--seed", type=int, default=1)
    a = p.parse_args()
    draws, rows, number = random.Random(a.seed), [], 0
    for path in sorted(a.features.glob("*.features.csv")):
        measured = a.measured / path.name.replace(".features", "")
        if not measured.exists():
            continue
        for _, launches in sorted(read(path, measured).items()):
            draws.shuffle(launches)
            for first in range(0, len(launches) - STEPS + 1, STEPS):
                rows += rows_of(str(number), launches[first:first + STEPS])
                number += 1
    if not rows:
        raise SystemExit("no launch has both, features and a time")
    write(a.output, rows)


if __name__ == "__main__":
    main()
