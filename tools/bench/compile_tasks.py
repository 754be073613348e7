#!/usr/bin/env python3
"""Compiles the start kernels and oracles of kernels/tasks/ to PTX, and assembles each with ptxas.

    python3 tools/bench/compile_tasks.py [--only NAME] [--check] [-j N]

start.cu becomes start.sm80.ptx and start.sm90.ptx, oracle.cu oracle.sm80.ptx. The same sources and compiler give the
same bytes. --check writes nothing and fails where a file would change. Needs nvcc.
"""
import argparse
import concurrent.futures
import fnmatch
import os
import re
import shutil
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "kernels"))

import manifest  # noqa: E402
import nvcc_build  # noqa: E402
import ptxas_check  # noqa: E402

TASKS = ROOT / "kernels" / "tasks"
OPTIONS = ["-O3"]
# Of a module, without initial values.
VARIABLE = re.compile(r"^\s*(?:\.visible\s+)?\.global\s[^=;]*?([\w$]+)(?:\[\d*\])?;", re.M)
TARGETS = {"start": ["sm_80", "sm_90"], "oracle": ["sm_80"]}


def selected(folder, only):
    """The task folders of these names or patterns, sorted."""
    found = [p.parent for p in sorted(folder.glob("*/task.toml"))]
    return [p for p in found if not only or any(fnmatch.fnmatch(p.name, o) for o in only)]


def stage(task, staging):
    """Copies a task's sources and the headers that tasks share to the staging place."""
    staged = staging / task.name
    staged.mkdir(parents=True)
    for source in [*task.glob("*.cu"), *task.glob("*.cuh")]:
        shutil.copy(source, staged)
    for header in task.parent.glob("*.cuh"):
        shutil.copy(header, staging)
    return staged


def entry_of(task, kind):
    description = tomllib.loads((task / "task.toml").read_text())
    return description["entry"] if kind == "start" else description["oracle"]["entry"]


def made_of(nvcc, task, kind, target):
    """PTX of one source for one target, checked."""
    with tempfile.TemporaryDirectory() as place:
        staging = Path(place)
        text = nvcc_build.compile_source(nvcc, stage(task, staging), f"{kind}.cu", target, OPTIONS, staging)
        name = f"{kind}.{target.replace('_', '')}.ptx"
        if manifest.entry_names(text) != [entry_of(task, kind)]:
            raise SystemExit(f"{task.name}/{name}: has {manifest.entry_names(text)}, not {entry_of(task, kind)}")
        # Internal names have a hash of the source's path.
        if place in text or "_INTERNAL_" in text:
            raise SystemExit(f"{task.name}/{name}: depends on where it was compiled")
        if variable := VARIABLE.search(text):
            raise SystemExit(f"{task.name}/{name}: '{variable[1]}' stays from launch to launch")
        (staging / name).write_text(text)
        ptxas_check.check(staging, [{"file": name, "target": target}])
    return name, text


def put(path, text):
    """Writes a file in one step; whether that changed it."""
    if path.exists() and path.read_text() == text:
        return False
    temporary = path.with_suffix(".tmp")
    temporary.write_text(text)
    temporary.rename(path)
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", action="append", metavar="NAME", help="a task, or a pattern (may be repeated)")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a file would change")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count() or 1, help="compilations at a time")
    parser.add_argument("--tasks", type=Path, default=TASKS, help="folder of the tasks")
    arguments = parser.parse_args()

    nvcc = nvcc_build.find_tool("nvcc")
    if not nvcc:
        raise SystemExit("needs nvcc, which is not here")
    tasks = selected(arguments.tasks, arguments.only)
    if not tasks:
        raise SystemExit(f"no task in {arguments.tasks}" + (f" is called {arguments.only}" if arguments.only else ""))
    work = [(task, kind, target) for task in tasks for kind, targets in TARGETS.items() for target in targets]
    changed = []
    with concurrent.futures.ThreadPoolExecutor(max(1, arguments.jobs)) as pool:
        try:
            results = pool.map(lambda w: made_of(nvcc, *w), work)
            for done, ((task, _, _), (name, text)) in enumerate(zip(work, results), 1):
                path = task / name
                if arguments.check:
                    differs = not path.exists() or path.read_text() != text
                else:
                    differs = put(path, text)
                changed += [path] if differs else []
                print(f"{done}/{len(work)} {task.name}/{name}{' *' if differs else ''}", file=sys.stderr)
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    print(f"{len(tasks)} tasks, {len(work)} files, {len(changed)} {'would change' if arguments.check else 'changed'}")
    if arguments.check and changed:
        raise SystemExit("differs from what is there:\n" + "\n".join(map(str, changed)))


if __name__ == "__main__":
    main()
