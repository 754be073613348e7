"""How often `pitot compare` is wrong: a kernel against itself, and against itself with 2 % more work, many times.

    python3 tools/gpu/noise_study.py build/release/bin/pitot >noise.csv

Prints a row a comparison, and on standard error the rates with 95 % Wilson intervals. Needs a GPU.
"""

import argparse
import csv
import json
import math
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TIMING = ROOT / "tools/gpu/timing"
GELU = ROOT / "kernels/pairs/gelu"


def wilson(k, n):
    z, p = 1.96, k / n
    middle, spread = p + z * z / (2 * n), z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return (middle - spread) / (1 + z * z / n), (middle + spread) / (1 + z * z / n)


def comparisons(pitot, arguments, repeat, seed):
    command = [pitot, "compare", *map(str, arguments), "--repeat", str(repeat), "--seconds", "0.1", "--time-limit",
               "60", "--seed", str(seed), "--format", "json"]
    done = subprocess.run(command, capture_output=True, text=True)
    if not done.stdout:
        raise SystemExit(f"{' '.join(command)}: {done.stderr}")
    return json.loads(done.stdout)["pairs"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pitot")
    parser.add_argument("--repeat", type=int, default=100)
    arguments = parser.parse_args()
    spin, slower = TIMING / "spin.kernel.toml", TIMING / "slower.kernel.toml"
    gelu = [GELU / "gelu_right.sm90a.ptx", GELU / "gelu_right.sm90a.ptx", "--spec", GELU / "gelu.kernel.toml", "--set"]
    cases = [
        ("spin against itself", [spin, spin], "same"),
        ("gelu, 2^20 elements, against itself", [*gelu, "n=1048576"], "same"),
        ("gelu, 2^25 elements, against itself", [*gelu, "n=33554432"], "same"),
        ("spin, cold L2, against itself", [spin, spin, "--cold"], "same"),
        ("spin with 2 % more work", [spin, slower], "slower"),
        ("spin with 2 % less work", [slower, spin], "faster"),
    ]
    out = csv.writer(sys.stdout)
    out.writerow(["case", "verdict", "change", "lo", "hi", "noise_band", "least_detectable", "a_ms", "b_ms", "reason"])
    for number, (name, what, right) in enumerate(cases):
        results = comparisons(arguments.pitot, what, arguments.repeat, 1000 * (number + 1))
        for r in results:
            lo, hi = r["ci95"] or (None, None)
            out.writerow([name, r["verdict"], r["delta"], lo, hi, r["noise_band"], r["mde"], r["a"]["median"],
                          r["b"]["median"], r["reason"]])
        sys.stdout.flush()
        k, n = sum(r["verdict"] == right for r in results), len(results)
        lo, hi = wilson(k, n)
        changes = sorted(abs(r["delta"]) for r in results if r["delta"] is not None)
        print(f"{name}: {k} of {n} {right}, {100 * k / n:.1f} % [{100 * lo:.1f}, {100 * hi:.1f}]; median |change| "
              f"{100 * changes[len(changes) // 2]:.3f} %, a {results[0]['a']['median'] * 1e3:.1f} us", file=sys.stderr)


if __name__ == "__main__":
    main()
