"""Times the nine right/wrong pairs on a GPU, and each right kernel against itself, at three problem sizes.

    python3 tools/gpu/pair_study.py build/release/bin/pitot >pairs.csv

A row a comparison: the change of the time from right to wrong with its interval, what right against right shows, the
least change that could have been found. `--quick` takes fewer placements. Needs a GPU; takes about five minutes.
"""

import argparse
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TARGET = "sm90a"


def element_wise(n):
    return {"n": n}, {"n": n - 1}


def rows(count):
    return {"rows": count, "n_cols": 1024}, {"rows": count, "n_cols": 1023}


def attention(count):
    return {"rows": count, "n_keys": 64}, {"rows": count, "n_keys": 63}


def flash(n):
    return {"n": n}, {"n": n - 17}


def square(n):
    return {"M": n, "N": n, "K": n}, {"M": n - 17, "N": n - 17, "K": n - 17}


# pair → variant, (full size, boundary size) from microseconds to milliseconds
PAIRS = {
    "gelu": ("", [element_wise(n) for n in (1 << 20, 1 << 26, 1 << 30)]),
    "silu": ("", [element_wise(n) for n in (1 << 20, 1 << 26, 1 << 30)]),
    "leaky_relu": ("", [element_wise(n) for n in (1 << 20, 1 << 26, 1 << 30)]),
    "softmax": ("", [rows(n) for n in (1 << 10, 1 << 16, 1 << 20)]),
    "l2norm": ("", [rows(n) for n in (1 << 10, 1 << 16, 1 << 20)]),
    "rmsnorm": ("", [rows(n) for n in (1 << 10, 1 << 16, 1 << 20)]),
    "attention": ("", [attention(n) for n in (1 << 12, 1 << 18, 1 << 22)]),
    "flash_attention": (".M64N64D64", [flash(n) for n in (1 << 10, 1 << 13, 1 << 16)]),
    "matmul": (".64x64x32", [square(n) for n in (1 << 9, 1 << 11, 1 << 13)]),
}


def study_spec(folder, pair, variant, to):
    """The pair's spec for this target: dynamic shared memory differs from target to target."""
    lines = (folder / f"{pair}{variant}.kernel.toml").read_text().splitlines()
    facts = json.loads((folder / f"{pair}_right{variant}.{TARGET}.json").read_text())
    out = []
    for line in lines:
        if line.startswith("shared ="):
            line = f"shared = {facts['shared']}"
        if line.startswith("ptx ="):
            line = f'ptx = "{folder / f"{pair}_right{variant}.{TARGET}.ptx"}"'
        if line.startswith("[oracle]"):
            break
        out.append(line)
    to.write_text("\n".join(out) + "\n")


def compare(pitot, a, b, spec, size, placements):
    command = [pitot, "compare", str(a), str(b), "--spec", str(spec), "--set",
               " ".join(f"{k}={v}" for k, v in size.items()), "--placements", str(placements),
               "--seconds", "0.3", "--time-limit", "300", "--format", "json"]
    done = subprocess.run(command, capture_output=True, text=True)
    if not done.stdout:
        raise SystemExit(f"{' '.join(command)}: {done.stderr}")
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pitot")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--pair", action="append", help="only these pairs")
    arguments = parser.parse_args()
    placements = 3 if arguments.quick else 20
    out = csv.writer(sys.stdout)
    out.writerow(["pair", "variant", "kind", "size", "against", "gpu", "right_ms", "wrong_ms", "change", "lo", "hi",
                  "noise_band", "least_detectable", "verdict", "rounds", "placements", "registers_right",
                  "registers_wrong", "sm_clock_mhz", "throttle", "reason"])
    with tempfile.TemporaryDirectory() as scratch:
        for pair, (variant, sizes) in PAIRS.items():
            if arguments.pair and pair not in arguments.pair:
                continue
            folder = ROOT / "kernels/pairs" / pair
            right, wrong = (folder / f"{pair}_{side}{variant}.{TARGET}.ptx" for side in ("right", "wrong"))
            spec = pathlib.Path(scratch) / f"{pair}.kernel.toml"
            study_spec(folder, pair, variant, spec)
            for size_pair in sizes:
                for kind, size in zip(("full", "boundary"), size_pair):
                    for against, b in (("wrong", wrong), ("itself", right)):
                        r = compare(arguments.pitot, right, b, spec, size, placements)
                        lo, hi = r["ci95"] or (None, None)
                        out.writerow([pair, variant[1:], kind, " ".join(f"{k}={v}" for k, v in size.items()), against,
                                      r["a"]["gpu"], r["a"]["median"], r["b"]["median"], r["delta"], lo, hi,
                                      r["noise_band"], r["mde"], r["verdict"], r["rounds"], r["placements"],
                                      r["a"]["regs"], r["b"]["regs"], r["a"]["after"]["sm_clock_mhz"],
                                      "; ".join(r["a"]["after"]["throttle_reasons"]), r["reason"]])
                        sys.stdout.flush()


if __name__ == "__main__":
    main()
