"""Are the tasks of kernels/tasks right? Their start kernels against their oracles, and oracles against NumPy, on the emulator.

    python3 tests/tools/task_reference.py build/dev/bin/pitot [NAME …] [--draws N] [--tuned N] [-j N]

Every kernel runs with all checks of the emulator at all public sizes, and at N drawn private ones. Errors are in
the units of docs/bench-tasks.md: max(u(output) |exact|, u(arithmetic) scale). References in NumPy are in task_numpy.py,
for the oracles that have one; without NumPy that part is left out. --tuned also runs so many configurations of the
tuned kernel (0: none), which needs nvcc.
"""

import argparse
import concurrent.futures
import fnmatch
import itertools
import math
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
TASKS = ROOT / "kernels/tasks"
ROUNDOFF = {"f64": -53, "f32": -24, "tf32": -11, "f16": -11, "bf16": -8}
LARGEST = {"f64": sys.float_info.max, "f32": 3.4028234663852886e38, "f16": 65504.0, "bf16": 3.3895313892515355e38}
LEAST = {"f64": 5e-324, "f32": 2.0**-149, "f16": 2.0**-24, "bf16": 2.0**-133}
CODES = {"f64": "d", "f32": "f", "f16": "e", "s8": "b", "u8": "B", "s16": "h", "u16": "H", "s32": "i", "u32": "I",
         "s64": "q", "u64": "Q"}
FUNCTIONS = {"__builtins__": {}, "min": min, "max": max, "ceil_div": lambda a, b: -(-a // b)}


def decoded(data, kind):
    if kind == "bf16":
        return [struct.unpack("<f", struct.pack("<I", v << 16))[0] for (v,) in struct.iter_unpack("<H", data)]
    return [v for (v,) in struct.iter_unpack("<" + CODES[kind], data)]


def evaluate(expression, values):
    text = str(expression).replace("&&", " and ").replace("||", " or ").replace("/", "//")
    return eval(text, dict(FUNCTIONS), dict(values))


def literal(value):
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return "[" + ", ".join(literal(v) for v in value) + "]"
    return f'"{value}"' if isinstance(value, str) else str(value)


def table(name, values):
    return [name, *(f"{k} = {literal(v)}" for k, v in values.items()), ""]


def drawn(task, count, seed):
    """Private sizes: log-uniform multiples that fulfil the task's volume."""
    draws, sizes = random.Random(seed), []
    for _ in range(count * 1000):
        if len(sizes) == count:
            break
        size = {}
        for name, r in task["private"].items():
            if name != "volume":
                multiple = r.get("multiple", 1)
                v = math.exp(draws.uniform(math.log(r["from"]), math.log(r["to"] + 1)))
                size[name] = min(max(int(v) // multiple, -(-r["from"] // multiple)), r["to"] // multiple) * multiple
        if evaluate(task["private"].get("volume", "1"), size):
            sizes.append({"kind": "private", **size})
    return sizes


def spec_text(ptx, entry, launch, sizes, arguments):
    lines = ['schema = "pitot.kernel/1"', f'ptx = "{ptx}"', f'entry = "{entry}"', "", *table("[launch]", launch)]
    for size in sizes:
        lines += table("[[sizes]]", size)
    for argument in arguments:
        lines += table("[[args]]", argument)
    return "\n".join(lines)


class Failure(Exception):
    pass


def run(pitot, spec, seed, jobs=1):
    """What a spec's kernel leaves in its buffers, by size: {name: bytes}."""
    with tempfile.TemporaryDirectory() as out:
        done = subprocess.run([pitot, "-j", str(jobs), "--seed", str(seed), "run", str(spec), "--checks", "all", "--save",
                               out, "--format", "json", "--shown", "0"], capture_output=True, text=True)
        if done.returncode != 0:
            text = subprocess.run([pitot, "--seed", str(seed), "run", str(spec), "--checks", "all"], capture_output=True,
                                  text=True)
            raise Failure(f"{spec.name}: exit code {done.returncode}\n{(text.stdout + text.stderr)[:2000]}")
        found = {}
        for path in pathlib.Path(out).iterdir():
            parts = path.name.removesuffix(".bin").split(".")
            found.setdefault(int(parts[1]) if len(parts) > 1 else 0, {})[parts[0]] = path.read_bytes()
        return found


def errors_of(got, exact, scale, kind, arithmetic):
    """The largest error in units, and how many results are NaN or infinite where the oracle's is not, or the reverse."""
    u_out, u_in, worst, classes = 2.0 ** ROUNDOFF[kind], 2.0 ** ROUNDOFF[arithmetic], 0.0, 0
    edge = LARGEST[kind] * (1 - 8 * u_out)
    for g, e, s in zip(got, exact, scale, strict=True):
        if math.isfinite(g) and math.isfinite(e):
            unit = max(u_out * abs(e), u_in * abs(s) if math.isfinite(s) else 0, LEAST[kind])
            worst = max(worst, abs(g - e) / unit) if abs(e) <= LARGEST[kind] else worst
        elif math.isnan(g) != math.isnan(e) or (not math.isnan(g) and (g > 0) != (e > 0)) or (
                math.isfinite(e) and abs(e) < edge) or (math.isfinite(g) and not math.isnan(e)):
            classes += 1
    return worst, classes


class Task:
    def __init__(self, folder):
        self.folder, self.name = folder, folder.name
        self.about = tomllib.loads((folder / "task.toml").read_text())
        self.arguments = self.about["args"]
        # Inputs are saved like outputs, so that references have them, and shown to be unchanged.
        self.start_arguments = [a | {"role": "inout"} if a.get("role") == "in" else a for a in self.arguments]
        self.outputs = [a for a in self.arguments if a.get("role") in ("out", "inout")]
        self.floats = [a for a in self.arguments if a.get("role") == "out" and a["type"] in ROUNDOFF]
        self.oracle_arguments = [a | {"type": "f64"} if a in self.floats else a for a in self.start_arguments]
        self.oracle_arguments += [a | {"type": "f64", "name": a["name"] + "_scale"} for a in self.floats]
        self.arithmetic = self.about.get("accuracy", {}).get("arithmetic", "f32")

    def oracle_launch(self):
        counts = [a["count"] for a in self.outputs]
        most = counts[0]
        for c in counts[1:]:
            most = f"max({most}, {c})"
        return {"grid": [f"ceil_div({most}, 128)"], "block": [128]} | {
            k: self.about["oracle"][k] for k in ("grid", "block") if k in self.about["oracle"]}

    def limit(self, size):
        accuracy = self.about["accuracy"]
        length = evaluate(accuracy["length"], size)
        return 2 * accuracy["operations"] + 8 * (math.sqrt(length) if length > 1 else 0)

    def compare(self, got, expected, size, what):
        """The worst error of float outputs."""
        worst = 0.0
        for a in self.outputs:
            mine, right = got[a["name"]], expected[a["name"]]
            if a in self.floats:
                error, classes = errors_of(decoded(mine, a["type"]), decoded(right, "f64"),
                                           decoded(expected[a["name"] + "_scale"], "f64"), a["type"], self.arithmetic)
                if classes:
                    raise Failure(f"{what} at {size}: {a['name']}: {classes} NaN or infinities where the oracle has none")
                if error > self.limit(size):
                    raise Failure(f"{what} at {size}: {a['name']} is off by {error:.3g}, {self.limit(size):.3g} allowed")
                worst = max(worst, error)
            elif mine != right:
                m, r = decoded(mine, a["type"]), decoded(right, a["type"])
                at = next(i for i in range(len(m)) if m[i] != r[i])
                raise Failure(f"{what} at {size}: {a['name']}[{at}] is {m[at]} and should be {r[at]}")
        for a in self.arguments:
            if a.get("role") == "in" and got[a["name"]] != expected[a["name"]]:
                raise Failure(f"{what} at {size}: input {a['name']} was written")
        return worst

    def check(self, options):
        sizes = self.about["sizes"] + drawn(self.about, options.draws, options.seed)
        worst, tuned = 0.0, 0
        with tempfile.TemporaryDirectory() as place:
            place = pathlib.Path(place)

            def spec(name, ptx, entry, launch, arguments):
                path = place / f"{name}.kernel.toml"
                path.write_text(spec_text(ptx, entry, launch, sizes, arguments))
                return path

            start = spec("start", self.folder / "start.sm80.ptx", self.about["entry"], self.about["launch"],
                         self.start_arguments)
            oracle = spec("oracle", self.folder / self.about["oracle"]["ptx"], self.about["oracle"]["entry"],
                          self.oracle_launch(), self.oracle_arguments)
            expected = run(options.pitot, oracle, options.seed)
            got = run(options.pitot, start, options.seed)
            for i, size in enumerate(sizes):
                worst = max(worst, self.compare(got[i], expected[i], size, "the start kernel"))
                if options.references is not None:
                    options.references.check(self, expected[i], size)
            for number, (path, name) in enumerate(self.tuned(options, place, sizes)):
                result = run(options.pitot, path, options.seed)
                for i, size in enumerate(sizes):
                    self.compare(result[i], expected[i], size, name)
                tuned = number + 1
        return worst, tuned

    def configurations(self):
        about = self.about["tuned"]
        for values in itertools.product(*about["parameters"].values()):
            c = dict(zip(about["parameters"], values))
            if all(evaluate(e, c) for e in about.get("constraints", [])):
                yield c

    def tuned(self, options, place, sizes):
        """Compiled configurations with a spec each: (path, name)."""
        chosen = list(self.configurations())
        if options.tuned < len(chosen):
            chosen = random.Random(self.name).sample(chosen, options.tuned)
        for c in chosen:
            name = "_".join(f"{k}{v}" for k, v in c.items())
            ptx = place / f"{name}.ptx"
            done = subprocess.run(["nvcc", "-ptx", "-arch=sm_90", "-std=c++17", "-O3", *(f"-D{k}={v}" for k, v in c.items()),
                                   self.about["tuned"]["source"], "-o", str(ptx)], cwd=self.folder, capture_output=True,
                                  text=True)
            if done.returncode != 0:
                raise Failure(f"{name}: {done.stderr}")
            launch = {k: [self.bound(e, c) for e in v] if isinstance(v, list) else self.bound(v, c)
                      for k, v in self.about["tuned"]["launch"].items()}
            path = place / f"{name}.kernel.toml"
            path.write_text(spec_text(ptx, self.about["entry"], launch, sizes, self.start_arguments))
            yield path, name

    @staticmethod
    def bound(expression, values):
        """An expression of sizes with the parameters replaced by their values."""
        words = []
        for word in str(expression).replace("(", " ( ").replace(")", " ) ").replace(",", " , ").split():
            words.append(str(values.get(word, word)))
        return " ".join(words)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pitot")
    parser.add_argument("names", nargs="*", help="tasks, or patterns")
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
    tasks = [Task(p.parent) for p in sorted(TASKS.glob("*/task.toml"))
             if not options.names or any(fnmatch.fnmatch(p.parent.name, n) for n in options.names)]
    failed = 0

    def look(task):
        try:
            return task.check(options)
        except Failure as e:
            return e

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for task, found in zip(tasks, pool.map(look, tasks)):
            if isinstance(found, Failure):
                failed += 1
                print(f"{task.name}: FAILED {found}", flush=True)
            else:
                worst, tuned = found
                seen = f"worst error {worst:.3g} of {task.limit(task.about['sizes'][0]):.3g}" if task.floats else "exact"
                print(f"{task.name}: {seen}{f', {tuned} tuned' if tuned else ''}", flush=True)
    print(f"{len(tasks) - failed} of {len(tasks)} tasks are right")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
