#!/usr/bin/env python3
"""Chooses the strong baseline of each task of kernels/tasks: the fastest of its tuned kernels and its start kernel.

    python3 tools/bench/baselines.py prepare build/release/bin/pitot --out made.tar.xz
    python3 tools/bench/baselines.py measure build/release/bin/pitot made.tar.xz --out results.json --minutes 6
    python3 tools/bench/baselines.py choose made.tar.xz results.json

`prepare` needs nvcc: it makes a template (docs/variants.md) of each task's [tuned] table, compiles its configurations
and runs each on the emulator, with all checks, against the task's oracle. `measure` needs a GPU and nothing else: it times
each configuration and the start kernel at the timed sizes, and runs each at the public sizes against the oracle, on the GPU.
`choose` writes baseline.sm90.ptx, baseline.toml and baseline.csv beside each task that has results. Only kernels that
are right at every size, and have a time at every timed size, are chosen from; the fastest is so by the geometric mean.

The same `measure` command goes on where it was interrupted: times are kept in the store beside its output.
"""
import argparse
import concurrent.futures
import csv
import datetime
import hashlib
import io
import json
import math
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "gpu"))

import measure_families  # noqa: E402
from task_files import TASKS, Failure, literal, run, spec_text, table, tasks  # noqa: E402

TARGET = "sm_90"
START = "start"
SCHEMA = "pitot.baselines/1"
# Of `measure`: kernels checked at a time, and the share of the time that is kept for checking.
CHECKERS, CHECK_SHARE = 8, 0.3
FACTS = ["status", "median_us", "ci_lo_us", "ci_hi_us", "samples"]


def sizes_of(task):
    """Timed sizes, then the public ones, each with a kind that names it."""
    timed = [s | {"kind": f"timed{i}"} for i, s in enumerate(task.about["timed"])]
    return timed + [s | {"kind": f"public{i}"} for i, s in enumerate(task.about["sizes"])]


def public_of(task):
    """Numbers of the public sizes in specs, as options."""
    first = len(task.about["timed"])
    return [o for i in range(len(task.about["sizes"])) for o in ("--size", first + i)]


def template_of(task):
    tuned = task.about["tuned"]
    head = {"schema": "pitot.template/1", "name": task.name, "source": tuned["source"], "entry": task.entry,
            "targets": [TARGET]}
    if not tuned["source"].endswith(".ptx"):
        head["options"] = ["-O3"]
    lines = [f"{k} = {literal(v)}" for k, v in head.items()] + [""]
    lines += table("[parameters]", tuned["parameters"])
    lines += table("[constraints]", {"all": tuned.get("constraints", [])}) + table("[launch]", tuned["launch"])
    for size in sizes_of(task):
        lines += table("[[sizes]]", size)
    for argument in task.arguments:
        lines += table("[[args]]", argument)
    return "\n".join(lines)


def write(path, text):
    temporary = path.with_name(path.name + ".tmp")
    temporary.write_text(text)
    temporary.rename(path)


# prepare

def prepare_task(task, pitot, folder, jobs):
    """Compiles and checks the configurations of a task into folder/NAME; the number that is right, and that is not."""
    place = folder / task.name
    with tempfile.TemporaryDirectory() as staging:
        staged = Path(staging) / task.name
        staged.mkdir()
        for source in [*task.folder.glob("*.cu"), *task.folder.glob("*.cuh"), *task.folder.glob("tuned.ptx")]:
            shutil.copy(source, staged)
        for header in task.folder.parent.glob("*.cuh"):
            shutil.copy(header, staging)
        template = staged / f"{task.name}.variants.toml"
        template.write_text(template_of(task))
        done = subprocess.run([str(pitot), "--jobs", str(jobs), "variants", str(template), "-o", str(place)],
                              capture_output=True, text=True)
    if done.returncode > 1:
        raise SystemExit(f"{task.name}: pitot variants: {done.stderr}")
    shutil.copy(task.folder / "start.sm90.ptx", place / "start.ptx")
    (place / "start.kernel.toml").write_text(
        spec_text("start.ptx", task.entry, task.about["launch"], sizes_of(task), task.arguments))
    shutil.copy(task.folder / task.about["oracle"]["ptx"], place / "oracle.ptx")
    (place / "oracle.kernel.toml").write_text(
        spec_text("oracle.ptx", task.about["oracle"]["entry"], task.oracle_launch(), sizes_of(task),
                  task.oracle_arguments()))
    manifest = json.loads((place / "manifest.json").read_text())
    manifest["variants"].append({
        "name": START, "target": TARGET, "status": "ok", "parameters": {p["name"]: "" for p in manifest["parameters"]},
        "ptx": "start.ptx", "spec": "start.kernel.toml",
        "ptx_hash": hashlib.sha256((place / "start.ptx").read_bytes()).hexdigest()[:16]})
    expected = run(pitot, place / "oracle.kernel.toml", *public_of(task))
    counts = {}
    for variant in manifest["variants"]:
        if variant["status"] == "ok" and variant.get("launchable", "yes") == "no":
            variant |= {"status": "unlaunchable", "message": variant["launch_problem"]}
        if variant["status"] == "ok":
            variant |= check(task, pitot, place / variant["spec"], expected, "--checks", "all", "--jobs", 1)
            if variant["state"] != "right":
                variant["status"] = "wrong"
        counts[variant["status"]] = counts.get(variant["status"], 0) + 1
        if variant["status"] not in ("ok", "refused"):
            print(f"{task.name}: {variant['name']}: {variant['status']}: "
                  f"{variant.get('reason') or variant.get('message', '')}", file=sys.stderr)
    write(place / "manifest.json", json.dumps(manifest, indent=1))
    return counts


def check(task, pitot, spec, expected, *options):
    """State of a kernel: right, wrong or fault, with a reason, or its worst error in units."""
    try:
        got = run(pitot, spec, *public_of(task), *options)
        worst = max(task.compare(got[i], expected[i], size) for i, size in enumerate(task.about["sizes"]))
        return {"state": "right", "units": round(worst, 3)}
    except Failure as e:
        # Not where it lay: the archive is the same each time.
        reason = str(e).replace(f"{spec.parent}{os.sep}", "")
        return {"state": "fault" if "exit code" in reason else "wrong", "reason": reason}


def pack(folder, archive):
    """The same bytes for the same files."""
    def plain(info):
        info.mtime = info.uid = info.gid = 0
        info.uname = info.gname = ""
        return info

    temporary = archive.with_name(archive.name + ".tmp")
    with tarfile.open(temporary, "w:xz", preset=6) as to:
        for path in sorted(p for p in folder.rglob("*") if p.is_file()):
            to.add(path, path.relative_to(folder).as_posix(), filter=plain)
    temporary.rename(archive)


def prepare(options):
    folder = options.work or Path(tempfile.mkdtemp())
    folder.mkdir(parents=True, exist_ok=True)
    chosen, total = tasks(options.tasks, options.only), {}
    for number, task in enumerate(chosen, 1):
        counts = prepare_task(task, options.pitot, folder, options.jobs)
        print(f"{number}/{len(chosen)} {task.name}: {counts}", file=sys.stderr)
        for status, n in counts.items():
            total[status] = total.get(status, 0) + n
    pack(folder, options.out)
    if not options.work:
        shutil.rmtree(folder)
    print(f"{len(chosen)} tasks: " + ", ".join(f"{n} {s}" for s, n in sorted(total.items())) + f"; {options.out}: "
          f"{options.out.stat().st_size / 1e6:.1f} MB")


# measure

class Prepared(measure_families.Family):
    """A task's kernels, which measure_families times, at the timed sizes only."""

    def __init__(self, path, made, known):
        super().__init__(path, made)
        self.task = known[self.name]

    def measure(self, pitot, store, seconds):
        specs = [str(self.folder / v["spec"]) for v in self.compiled]
        wanted = [o for i in range(len(self.task.about["timed"])) for o in ("--size", str(i))]
        if not specs or seconds <= 0:
            return
        began = time.monotonic()
        try:
            done = subprocess.run([str(pitot), "measure", *specs, "--store", str(store), *wanted,
                                   *measure_families.PROTOCOL], text=True, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE, timeout=seconds)
            if done.returncode > 1:
                print(f"{self.name}: {done.stderr}", file=sys.stderr)
        except subprocess.TimeoutExpired:
            print(f"{self.name}: stopped when its time was up", file=sys.stderr)
        self.seconds = time.monotonic() - began

    def results(self, records):
        """Rows of times, of all that were meant to be."""
        found = []
        for v in self.manifest["variants"]:
            if v["status"] == "refused":
                continue
            for i in range(len(self.task.about["timed"])):
                record = records.get((self.folder.name, v["spec"], f"timed{i}")) if v["status"] == "ok" else None
                facts = measure_families.facts_of(record) if record else {"status": "not_measured"}
                found.append({"variant": v["name"], "size": i, **facts})
        return found

    def check_all(self, pitot, pool, end):
        """States of the kernels, run on the GPU against the oracle."""
        if time.monotonic() > end:
            return {v["name"]: {"state": "unchecked"} for v in self.compiled}
        try:
            expected = run(pitot, self.folder / "oracle.kernel.toml", *public_of(self.task), "--device", "cuda")
        except Failure as e:
            return {v["name"]: {"state": "unchecked", "reason": f"oracle: {e}"} for v in self.compiled}

        def state(variant):
            if time.monotonic() > end:
                return {"state": "unchecked"}
            return check(self.task, pitot, self.folder / variant["spec"], expected, "--device", "cuda")

        return dict(zip((v["name"] for v in self.compiled), pool.map(state, self.compiled)))


def measure(options):
    began = time.monotonic()
    end = began + options.minutes * 60
    known = {t.name: t for t in tasks(options.tasks)}
    store = options.out.with_suffix(".db")
    with tempfile.TemporaryDirectory() as place:
        os.environ.setdefault("CUDA_CACHE_PATH", str(Path(place) / "cache"))
        os.environ.setdefault("CUDA_CACHE_MAXSIZE", str(4 << 30))
        folder = measure_families.unpacked(options.made, Path(place))
        families = [Prepared(p, folder, known) for p in sorted(folder.rglob("manifest.json"))]
        families = [f for f in families if not options.only or f.name in options.only]
        with concurrent.futures.ThreadPoolExecutor(1) as ahead:
            waiting = [ahead.submit(f.prepare, options.pitot, options.workers, 0, end) for f in families]
            for number, (family, ready) in enumerate(zip(families, waiting), 1):
                ready.result()
                left = end - time.monotonic() - CHECK_SHARE * options.minutes * 60
                family.measure(options.pitot, store, left)
                print(f"{number}/{len(families)} {family.name}: {len(family.compiled)} kernels in {family.seconds:.1f} s",
                      file=sys.stderr)
        measured = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(options.checkers) as pool, \
                concurrent.futures.ThreadPoolExecutor(options.checkers) as outer:
            states = list(outer.map(lambda f: f.check_all(options.pitot, pool, end), families))
        records = measure_families.read_store(store)
        found, gpus, drivers = {}, set(), set()
        for family, state in zip(families, states):
            rows = family.results(records)
            gpus |= {r["gpu"] for r in rows if "gpu" in r}
            drivers |= {str(r["driver"]) for r in rows if "driver" in r}
            found[family.name] = {"rows": [{k: r[k] for k in ("variant", "size", *FACTS) if k in r} for r in rows],
                                  "states": state}
    result = {"schema": SCHEMA, "gpu": ", ".join(sorted(gpus)), "driver": ", ".join(sorted(drivers)),
              "date": options.date, "protocol": " ".join(measure_families.PROTOCOL), "tasks": found}
    write(options.out, json.dumps(result, indent=1) + "\n")
    kernels = [s["state"] for t in found.values() for s in t["states"].values()]
    print(f"{len(found)} tasks, {len(kernels)} kernels: " +
          ", ".join(f"{kernels.count(s)} {s}" for s in sorted(set(kernels))) +
          f"; {measured - began:.0f} s measuring, {time.monotonic() - measured:.0f} s checking; {options.out}")


# choose

def mean_of(times):
    return math.exp(sum(math.log(t) for t in times) / len(times))


def choose_task(task, manifest, result, about, folder):
    """Writes a task's three files; a line about it, or None where nothing can be chosen."""
    timed = len(task.about["timed"])
    variants = {v["name"]: v for v in manifest["variants"] if v["status"] != "refused"}
    times = {}
    for row in result["rows"]:
        if row["status"] == "ok":
            times.setdefault(row["variant"], {})[row["size"]] = float(row["median_us"])

    def state(name):
        v = variants[name]
        return result["states"].get(name) or {"state": v.get("state", v["status"]),
                                              "reason": v.get("reason") or v.get("message", "")}

    right = {n: [t[i] for i in range(timed)] for n, t in times.items() if state(n)["state"] == "right" and len(t) == timed}
    if START not in right:
        print(f"{task.name}: the start kernel is {state(START)['state']} and has {len(times.get(START, {}))} times: "
              "nothing is chosen", file=sys.stderr)
        return None
    best = min(right, key=lambda n: (mean_of(right[n]), n))
    parameters = [p["name"] for p in manifest["parameters"]]
    out = io.StringIO()
    columns = ["variant", *parameters, "size", *FACTS, "state", "reason"]
    writer = csv.DictWriter(out, columns, restval="", lineterminator="\n")
    writer.writeheader()
    for row in result["rows"]:
        said = state(row["variant"])
        writer.writerow(row | variants[row["variant"]]["parameters"] |
                        {"state": said["state"], "reason": " ".join(said.get("reason", "").split())[:200]})
    write(task.folder / "baseline.csv", out.getvalue())
    chosen = variants[best]
    ptx = (folder / chosen["ptx"]).read_bytes()
    launch = task.about["launch"] if best == START else task.tuned_launch(chosen["parameters"])
    lines = [f"# Generated by tools/bench/baselines.py; baseline.csv has all that was measured.",
             'schema = "pitot.baseline/1"', 'ptx = "baseline.sm90.ptx"', f'entry = "{chosen.get("entry", task.entry)}"', "",
             *table("[launch]", launch),
             *table("[chosen]", {"configuration": best, "gpu": about["gpu"], "driver": about["driver"],
                                 "date": about["date"], "among": len(right)})[:-1],
             f"us = [{', '.join(f'{t:.6g}' for t in right[best])}]  # at the timed sizes, warm; the start kernel's below",
             f"start_us = [{', '.join(f'{t:.6g}' for t in right[START])}]"]
    write(task.folder / "baseline.sm90.ptx", ptx.decode())
    write(task.folder / "baseline.toml", "\n".join(lines) + "\n")
    gain = mean_of([s / b for s, b in zip(right[START], right[best])])
    return f"{task.name}: {best}, {gain:.2f} times as fast as the start kernel, of {len(right)}"


def choose(options):
    results = json.loads(options.results.read_text())
    if results.get("schema") != SCHEMA:
        raise SystemExit(f"{options.results}: the schema is not {SCHEMA}")
    missing = 0
    with tempfile.TemporaryDirectory() as place:
        folder = measure_families.unpacked(options.made, Path(place))
        for task in tasks(options.tasks, options.only):
            if task.name not in results["tasks"]:
                continue
            manifest = json.loads((folder / task.name / "manifest.json").read_text())
            line = choose_task(task, manifest, results["tasks"][task.name], results, folder / task.name)
            missing += line is None
            if line:
                print(line)
    return 1 if missing else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    steps = parser.add_subparsers(required=True)

    def step(name, function, text):
        p = steps.add_parser(name, help=text)
        p.set_defaults(function=function)
        p.add_argument("--tasks", type=Path, default=TASKS, help="folder of the tasks")
        p.add_argument("--only", action="append", metavar="NAME", help="only this task (may be repeated)")
        return p

    p = step("prepare", prepare, "compile and check all configurations, into one archive")
    p.add_argument("pitot", type=Path)
    p.add_argument("--out", type=Path, required=True, help="the archive")
    p.add_argument("--work", type=Path, help="folder that is kept: what it has is not compiled again")
    p.add_argument("-j", "--jobs", type=int, default=os.cpu_count() or 1)
    p = step("measure", measure, "time and check them on the GPU of this machine")
    p.add_argument("pitot", type=Path)
    p.add_argument("made", type=Path, help="prepare's archive, or a folder of it")
    p.add_argument("--out", type=Path, required=True, help="results, JSON; times are kept in a store beside it")
    p.add_argument("--minutes", type=float, default=6, help="all in all; what is not done then is left")
    p.add_argument("--workers", type=int, default=max(1, (os.cpu_count() or 1) - 4), help="that compile ahead")
    p.add_argument("--checkers", type=int, default=CHECKERS, help="kernels checked at a time")
    p.add_argument("--date", default=datetime.date.today().isoformat())
    p = step("choose", choose, "write each task's baseline")
    p.add_argument("made", type=Path, help="prepare's archive, or a folder of it")
    p.add_argument("results", type=Path)
    options = parser.parse_args()
    for key in ("pitot",):
        if hasattr(options, key):
            setattr(options, key, getattr(options, key).resolve())
    return options.function(options) or 0


if __name__ == "__main__":
    sys.exit(main())
