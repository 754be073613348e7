"""Are the tasks of kernels/tasks right? Start kernels against oracles, and oracles against NumPy, on the emulator.

    python3 tests/tools/task_reference.py build/dev/bin/pitot [NAME …] [--given] [--draws N] [--tuned N] [-j N]

Every kernel runs with all checks of the emulator at all public sizes with data of every kind that the task is judged
on (--given: only with the data given), and at N drawn private ones. References in NumPy are in task_numpy.py, for the
oracles that have one; without NumPy that part is left out. --tuned also runs so many configurations of the tuned
kernel, which needs nvcc.
"""

import argparse
import concurrent.futures
import fnmatch
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/bench"))

from task_files import TASKS, Failure, evaluate, run, spec_text, tasks  # noqa: E402

# Kinds of data besides the given: pattern and special values of sample().
ANY = {"mixed": (0, 0), "equal": (1, 0), "large": (2, 0), "negative": (3, 0), "wide": (4, 0), "positive": (5, 0)}
SPECIAL = {"NaN": (0, 0x09), "infinite": (0, 0x06), "tiny": (0, 0xA8), "huge": (0, 0x50), "special": (0, 0xFF)}


def drawn(task, count, seed):
    """Private sizes: log-uniform multiples that fulfil the task's volume."""
    draws, sizes = random.Random(seed), []
    for _ in range(count * 1000):
        if len(sizes) == count:
            break
        size = {}
        for name, r in task.about["private"].items():
            if name != "volume":
                multiple = r.get("multiple", 1)
                v = math.exp(draws.uniform(math.log(r["from"]), math.log(r["to"] + 1)))
                size[name] = min(max(int(v) // multiple, -(-r["from"] // multiple)), r["to"] // multiple) * multiple
        if evaluate(task.about["private"].get("volume", "1"), size):
            sizes.append({"kind": "private", **size})
    return sizes


def kinds(task, only_given):
    accuracy = task.about.get("accuracy", {})
    found = {"given": None}
    if accuracy and not only_given and accuracy.get("values", "any") == "any":
        found |= ANY | (SPECIAL if accuracy.get("special", True) else {})
    return found


def saved(arguments):
    """Inputs are saved like outputs, so that references have them, and shown to be unchanged."""
    return [a | {"role": "inout"} if a.get("role") == "in" else a for a in arguments]


def compiled(task, count, place):
    """Configurations of the tuned kernel: name, PTX, launch."""
    chosen = list(task.configurations())
    if count < len(chosen):
        chosen = random.Random(task.name).sample(chosen, count)
    for c in chosen:
        name = "_".join(f"{k}{v}" for k, v in c.items())
        ptx = place / f"{name}.ptx"
        command = ["nvcc", "-ptx", "-arch=sm_90", "-std=c++17", "-O3", *(f"-D{k}={v}" for k, v in c.items()),
                   task.about["tuned"]["source"], "-o", str(ptx)]
        done = subprocess.run(command, cwd=task.folder, capture_output=True, text=True)
        if done.returncode != 0:
            raise Failure(f"{name}: {done.stderr}")
        yield name, ptx, task.tuned_launch(c)


class Check:
    def __init__(self, task, options, place):
        self.task, self.options, self.place = task, options, place

    def run(self):
        """The worst error, and how many tuned configurations ran."""
        public = self.task.about["sizes"]
        sizes = public + drawn(self.task, self.options.draws, self.options.seed)
        tuned = list(compiled(self.task, self.options.tuned, self.place))
        return max(self.data(sizes if kind == "given" else public, kind, data, tuned)
                   for kind, data in kinds(self.task, self.options.given).items()), len(tuned)

    def results(self, sizes, data, name, ptx, entry, launch, arguments):
        if data:
            arguments = [a | {"init": f"sample({self.options.seed * 1000 + i}, {data[0]}, {data[1]})"}
                         if a.get("init") == "normal" else a for i, a in enumerate(arguments)]
        path = self.place / f"{name}.kernel.toml"
        path.write_text(spec_text(ptx, entry, launch, sizes, saved(arguments)))
        return run(self.options.pitot, path, "--checks", "all", "--seed", self.options.seed, "--jobs", 1)

    def data(self, sizes, kind, data, tuned):
        task, about, worst = self.task, self.task.about, 0.0
        expected = self.results(sizes, data, "oracle", task.folder / about["oracle"]["ptx"], about["oracle"]["entry"],
                                task.oracle_launch(), task.oracle_arguments())
        start = ("start", task.folder / "start.sm80.ptx", about["launch"])
        for name, ptx, launch in [start, *tuned]:
            got = self.results(sizes, data, name, ptx, task.entry, launch, task.arguments)
            for i, size in enumerate(sizes):
                try:
                    worst = max(worst, task.compare(got[i], expected[i], size))
                except Failure as e:
                    raise Failure(f"{name}, data {kind}: {e}") from None
                for a in task.arguments:
                    if a.get("role") == "in" and got[i][a["name"]] != expected[i][a["name"]]:
                        raise Failure(f"{name} at {size}: input {a['name']} was written")
        if kind == "given" and self.options.references is not None:
            for i, size in enumerate(sizes):
                self.options.references.check(task, expected[i], size)
        return worst


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pitot")
    parser.add_argument("names", nargs="*", help="tasks, or patterns")
    parser.add_argument("--tasks", type=pathlib.Path, default=TASKS, help="folder of the tasks")
    parser.add_argument("--given", action="store_true", help="only the data that the task gives")
    parser.add_argument("--draws", type=int, default=3, help="private sizes")
    parser.add_argument("--tuned", type=int, default=0, help="configurations of the tuned kernel")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_intermixed_args()
    try:
        import task_numpy
        options.references = task_numpy
    except ImportError:
        print("NumPy is not here: oracles are not compared with it", file=sys.stderr)
        options.references = None
    chosen = [t for t in tasks(options.tasks) if not options.names or any(fnmatch.fnmatch(t.name, n) for n in options.names)]
    failed = 0

    def look(task):
        try:
            with tempfile.TemporaryDirectory() as place:
                return Check(task, options, pathlib.Path(place)).run()
        except (Failure, AssertionError) as e:
            return e

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for task, found in zip(chosen, pool.map(look, chosen)):
            if isinstance(found, Exception):
                failed += 1
                print(f"{task.name}: FAILED {found}", flush=True)
            else:
                worst, tuned = found
                seen = f"worst error {worst:.3g} of {task.limit(task.about['sizes'][0]):.3g}" if task.floats else "exact"
                print(f"{task.name}: {seen}{f', {tuned} tuned' if tuned else ''}", flush=True)
    print(f"{len(chosen) - failed} of {len(chosen)} tasks are right")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
