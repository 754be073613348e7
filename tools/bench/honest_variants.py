#!/usr/bin/env python3
"""Writes candidates that are right by construction, for `pitot bench eval`: none of them may be refused.

    python3 tools/bench/honest_variants.py --out honest/ --configurations 3 -j 2
    pitot bench eval honest/ --no-time

Of each task of kernels/tasks: the start kernel recompiled for its target, without contraction to fma, with less
optimisation, and for sm_80; its baseline; and configurations of its tuned kernel, drawn with a seed, whose sums have
another order. The launch of those that have another one stands in a comment. Needs nvcc, but for --configurations 0
--kept, which takes what lies in the tasks' folders.
"""
import argparse
import concurrent.futures
import itertools
import os
import random
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "kernels"))

import compile_tasks  # noqa: E402
import nvcc_build  # noqa: E402
from task_files import TASKS, evaluate, literal, tasks  # noqa: E402

TARGET = "sm_90"
COMPILED = {"recompiled": ["-O3"], "uncontracted": ["-O3", "-fmad=false"], "unoptimised": ["-Xcicc", "-O1"]}


def launch_comment(launch):
    """What the judge reads (docs/bench.md)."""
    parts = []
    for key in ("grid", "block", "cluster", "shared"):
        if key in launch:
            value = launch[key]
            parts.append(f"{key} = {literal([str(v) for v in value] if isinstance(value, list) else str(value))}")
    return "// pitot.launch: " + ", ".join(parts) + "\n"


def configurations(task, count, seed):
    """Of the tuned kernel: those that its constraints allow, as many as are wanted, drawn."""
    tuned = task.about.get("tuned")
    if not tuned or not tuned["source"].endswith(".cu"):
        return []
    names = list(tuned["parameters"])
    allowed = [dict(zip(names, values)) for values in itertools.product(*tuned["parameters"].values())]
    allowed = [p for p in allowed if all(evaluate(c, p) for c in tuned.get("constraints", []))]
    random.Random(f"{seed} {task.name}").shuffle(allowed)
    return allowed[:count]


def compiled(nvcc, task, source, options):
    with tempfile.TemporaryDirectory() as place:
        staging = Path(place)
        return nvcc_build.compile_source(nvcc, compile_tasks.stage(task.folder, staging), source, TARGET, options, staging)


def made_of(nvcc, task, count, seed):
    """Texts by file name."""
    found = {"start_sm80.ptx": (task.folder / "start.sm80.ptx").read_text()}
    baseline = task.folder / "baseline.toml"
    if baseline.exists():
        about = tomllib.loads(baseline.read_text())
        found["baseline.ptx"] = launch_comment(about["launch"]) + (task.folder / about["ptx"]).read_text()
    if nvcc:
        for name, options in COMPILED.items():
            found[f"{name}.ptx"] = compiled(nvcc, task, "start.cu", options)
        for parameters in configurations(task, count, seed):
            options = ["-O3", *(f"-D{k}={v}" for k, v in parameters.items())]
            name = "_".join(f"{k}{v}" for k, v in parameters.items())
            text = compiled(nvcc, task, task.about["tuned"]["source"], options)
            found[f"tuned_{name}.ptx"] = launch_comment(task.tuned_launch(parameters)) + text
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tasks", type=Path, default=TASKS)
    parser.add_argument("--only", action="append", metavar="NAME")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--configurations", type=int, default=3, help="of each tuned kernel")
    parser.add_argument("--kept", action="store_true", help="compile nothing")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    nvcc = None if options.kept else nvcc_build.find_tool("nvcc")
    if not nvcc and not options.kept:
        raise SystemExit("needs nvcc, which is not here; --kept does without")
    chosen = tasks(options.tasks, options.only)
    total = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        work = [pool.submit(made_of, nvcc, t, options.configurations, options.seed) for t in chosen]
        for task, done in zip(chosen, work):
            folder = options.out / task.name
            folder.mkdir(parents=True, exist_ok=True)
            for name, text in done.result().items():
                compile_tasks.put(folder / name, text)
                total += 1
    print(f"{len(chosen)} tasks, {total} candidates")


if __name__ == "__main__":
    main()
