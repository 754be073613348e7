"""Sweeps the compile knobs of kernels/knobs on a GPU, and writes the study's tables.

    python3 tools/gpu/knob_sweeps.py build/release/bin/pitot --out h200 [--parts small,counters,large] [--minutes 8]

small:    phase0_baseline.csv, the 27 configurations at all six sizes, by the default protocol but short.
counters: phase1_result.csv, the same with Nsight Compute's counters at 256 to 1024 (the 81 rows of the study).
large:    KERNEL_large.csv of every configuration of the large spaces at two sizes, quickly.

Templates are compiled here (nvcc), PTX by the driver ahead, on all cores. Timings are kept in OUT/store.db: the same
command again measures only what is missing, and --minutes ends it early without loss.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import measure_families  # noqa: E402

KERNELS = ("gemm", "reduction", "softmax")
# Matrices that are timed in the large space: one that a launch dominates and one that fills the GPU.
LARGE_SIZES = {"gemm": "1024,2048", "reduction": "1024,4096", "softmax": "1024,4096"}
SHORT = ["--warmup", "0.02", "--warmup-limit", "0.1", "--seconds", "0.25"]
# Configurations differ by whole factors.
QUICK = ["--warmup", "0.004", "--warmup-limit", "0.02", "--batch", "0.2", "--seconds", "0.02", "--ci", "1"]


def templates(space):
    return [f"kernels/knobs/{k}/{k}.{space}.variants.toml" for k in KERNELS]


def run(pitot, arguments, end):
    left = end - time.monotonic()
    if left <= 0:
        print("left out, the time is used up: knobs", *arguments[:2], file=sys.stderr)
        return
    start = time.monotonic()
    try:
        done = subprocess.run([pitot, "knobs", *arguments], timeout=left)
        print(f"exit {done.returncode} after {time.monotonic() - start:.1f} s: knobs {' '.join(arguments)}", flush=True)
    except subprocess.TimeoutExpired:
        print("stopped when the time was up: knobs", *arguments[:2], file=sys.stderr)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("pitot")
    p.add_argument("--out", type=pathlib.Path, required=True)
    p.add_argument("--work", type=pathlib.Path, help="where configurations are compiled; default OUT/made")
    p.add_argument("--parts", default="small,counters,large")
    p.add_argument("--minutes", type=float, default=60)
    a = p.parse_args()
    parts = a.parts.split(",")
    end = time.monotonic() + 60 * a.minutes
    work = a.work or a.out / "made"
    a.out.mkdir(parents=True, exist_ok=True)
    workers = len(os.sched_getaffinity(0))
    spaces = [s for s, wanted in (("small", {"small", "counters"}), ("large", {"large"})) if wanted & set(parts)]
    start = time.monotonic()
    for space in spaces:
        for kernel, template in zip(KERNELS, templates(space)):
            subprocess.run([a.pitot, "--jobs", str(workers), "variants", template, "-o",
                            str(work / f"{kernel}_{space}"), "--no-ptxas"], check=True, stdout=subprocess.DEVNULL)
    print(f"compiled to PTX in {time.monotonic() - start:.1f} s", flush=True)
    start = time.monotonic()
    measure_families.compile_ahead(sorted(f for s in spaces for k in KERNELS for f in (work / f"{k}_{s}").glob("*.ptx")),
                                   workers)
    print(f"compiled by the driver in {time.monotonic() - start:.1f} s", flush=True)
    common = ["--work", str(work), "--store", str(a.out / "store.db")]
    if "small" in parts:
        run(a.pitot, ["sweep", *templates("small"), "-o", str(a.out / "phase0_baseline.csv"), *common, *SHORT], end)
    if "large" in parts:
        for kernel, template in zip(KERNELS, templates("large")):
            run(a.pitot, ["sweep", template, "-o", str(a.out / f"{kernel}_large.csv"), "--sizes", LARGE_SIZES[kernel],
                          *common, *QUICK], end)
    if "counters" in parts:
        run(a.pitot, ["counters", *templates("small"), "-o", str(a.out / "phase1_result.csv"), "--sizes",
                      "256,512,1024", *common, *SHORT], end)


if __name__ == "__main__":
    main()
