#!/usr/bin/env python3
"""Searches for faster sequences of transforms of every task's start kernel, by times measured on a GPU.

    python3 tools/bench/search_tasks.py build/release/bin/pitot --out searched --seconds 200
    pitot bench eval searched --device cuda --cold --archive searched.db

Greedy search, then beam search (width 4) to a budget, each at the first timed size of a task (`pitot optimize --cost cuda`).
OUT/TASK/start.ptx is the start kernel and OUT/TASK/searched.ptx the best found, where it is another; whether it is right the
judge says. OUT/search.csv has the searches, of which the later knows what the earlier measured.
"""
import argparse
import csv
import io
import shutil
import subprocess
import time
from pathlib import Path

from task_files import TASKS, spec_text, tasks

SEARCHES = [("greedy", []), ("beam", ["--width", "4"])]


def write_spec(task, folder):
    """A kernel spec of the start kernel whose one size is the first that the task times."""
    start = sorted(task.folder.glob("start.sm*.ptx"))[-1]
    path = folder / f"{task.name}.kernel.toml"
    path.write_text(spec_text(start, task.entry, task.about["launch"], [{"kind": "full"} | task.about["timed"][0]],
                              task.arguments))
    return path


def search(args, policy, options, specs, until):
    # Folders, but of a single kernel files.
    out, log = args.work / policy, args.work / "logs"
    if len(specs) == 1:
        name = specs[0].name.removesuffix(".kernel.toml")
        out, log = out / f"{name}.ptx", log / f"{name}.jsonl"
    for path in (out, log):
        (path.parent if len(specs) == 1 else path).mkdir(parents=True, exist_ok=True)
    command = [args.pitot, "-j", str(args.jobs), "optimize", *specs, "--cost", args.cost, "--policy", policy,
               "--log", log, "-o", out, "-f", "csv", "--no-check",
               "--all-seconds", f"{max(1, until - time.monotonic()):.1f}", *options]
    if policy != "greedy":
        command += ["--budget", str(args.budget)]
    if args.cost.startswith("cuda"):
        command += ["--clock", "event"]
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if done.stderr.strip():
        print(done.stderr.strip()[-4000:])
    return list(csv.DictReader(io.StringIO(done.stdout)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pitot")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--work", type=Path, help="logs and results of the searches, to go on from; default: OUT.work")
    parser.add_argument("--only", nargs="*", help="names of tasks")
    parser.add_argument("--cost", default="cuda", help="cuda, cuda:N; or emu, which needs no GPU")
    parser.add_argument("--budget", type=int, default=120, help="programs a task of the beam search")
    parser.add_argument("--seconds", type=float, default=600, help="for all searches")
    parser.add_argument("--jobs", type=int, default=0)
    args = parser.parse_args()
    args.work = args.work or args.out.with_name(args.out.name + ".work")
    specs_folder = args.work / "specs"
    specs_folder.mkdir(parents=True, exist_ok=True)
    found = tasks(TASKS, args.only)
    specs = [write_spec(t, specs_folder) for t in found]
    until = time.monotonic() + args.seconds
    rows = []
    for policy, options in SEARCHES:
        table = search(args, policy, options, specs, until)
        rows += [{"policy": policy} | r for r in table]
    best = {}  # by task: cost, folder
    for r in rows:
        if not r["error"] and r["after"] and float(r["after"]) < float(r["before"]):
            name = r["name"]
            cost = float(r["after"]) / float(r["before"])
            if name not in best or cost < best[name][0]:
                best[name] = (cost, args.work / r["policy"])
    for t in found:
        folder = args.out / t.name
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(sorted(t.folder.glob("start.sm*.ptx"))[-1], folder / "start.ptx")
        if t.name in best:
            made = [p for p in best[t.name][1].glob("*.ptx") if p.name.split(".")[0] == t.name]
            if len(made) == 1:
                shutil.copy(made[0], folder / "searched.ptx")
            else:
                print(f"{t.name}: no file of what was found")
    with open(args.out / "search.csv", "w", newline="") as f:
        if rows:
            writer = csv.DictWriter(f, rows[0].keys(), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    print(f"{len(found)} tasks searched, {len(best)} have something faster")


if __name__ == "__main__":
    main()
