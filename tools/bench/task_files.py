"""A task's folder (kernels/tasks/NAME) for the tools: its description, kernel specs made of it, and how far results are off.

docs/bench-tasks.md has the format. Errors are in the units of `pitot bench`: max(u(output) |exact|, u(arithmetic) scale).
"""

import itertools
import math
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
TASKS = ROOT / "kernels" / "tasks"
ROUNDOFF = {"f64": -53, "f32": -24, "tf32": -11, "f16": -11, "bf16": -8}
LARGEST = {"f64": sys.float_info.max, "f32": 3.4028234663852886e38, "f16": 65504.0, "bf16": 3.3895313892515355e38}
LEAST = {"f64": 5e-324, "f32": 2.0**-149, "f16": 2.0**-24, "bf16": 2.0**-133}
CODES = {"f64": "d", "f32": "f", "f16": "e", "s8": "b", "u8": "B", "s16": "h", "u16": "H", "s32": "i", "u32": "I",
         "s64": "q", "u64": "Q"}
FUNCTIONS = {"__builtins__": {}, "min": min, "max": max, "ceil_div": lambda a, b: -(-a // b)}


class Failure(Exception):
    """A kernel that faults, or is wrong."""


def decoded(data, kind):
    if kind == "bf16":
        return [struct.unpack("<f", struct.pack("<I", v << 16))[0] for (v,) in struct.iter_unpack("<H", data)]
    return [v for (v,) in struct.iter_unpack("<" + CODES[kind], data)]


def evaluate(expression, values):
    text = re.sub(r"!(?!=)", " not ", str(expression).replace("&&", " and ").replace("||", " or ").replace("/", "//"))
    return eval(text, dict(FUNCTIONS), dict(values))


def bound(expression, values):
    """An expression of sizes with parameters replaced by their values."""
    return re.sub(r"[A-Za-z_]\w*", lambda m: str(values.get(m[0], m[0])), str(expression))


def literal(value):
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return "[" + ", ".join(literal(v) for v in value) + "]"
    return f'"{value}"' if isinstance(value, str) else str(value)


def table(name, values):
    return [name, *(f"{k} = {literal(v)}" for k, v in values.items()), ""]


def spec_text(ptx, entry, launch, sizes, arguments):
    """A kernel spec."""
    lines = ['schema = "pitot.kernel/1"', f'ptx = "{ptx}"', f'entry = "{entry}"', "", *table("[launch]", launch)]
    for size in sizes:
        lines += table("[[sizes]]", size)
    for argument in arguments:
        lines += table("[[args]]", argument)
    return "\n".join(lines)


def run(pitot, spec, *options):
    """What a spec's kernel leaves in its outputs, {name: bytes} by the number of the launch."""
    with tempfile.TemporaryDirectory() as out:
        command = [str(pitot), "run", str(spec), "--save", out, "--format", "json", "--shown", "0", *map(str, options)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            text = subprocess.run([str(pitot), "run", str(spec), *map(str, options)], capture_output=True, text=True)
            raise Failure(f"{spec.name}: exit code {done.returncode}: {(text.stdout + text.stderr)[:2000].strip()}")
        found = {}
        for path in pathlib.Path(out).iterdir():
            parts = path.name.removesuffix(".bin").split(".")
            found.setdefault(int(parts[1]) if len(parts) > 1 else 0, {})[parts[0]] = path.read_bytes()
        return found


def errors_of(got, exact, scale, kind, arithmetic, limit):
    """The largest error in units, the largest as a share of what is allowed, and how many results are NaN or infinite where
    the oracle's is not, or the reverse. `limit`: units that arithmetic may be off; a coarser output may be rounded besides."""
    u_out, u_in, worst, share, classes = 2.0 ** ROUNDOFF[kind], 2.0 ** ROUNDOFF[arithmetic], 0.0, 0.0, 0
    edge = LARGEST[kind] * (1 - 8 * u_out)
    for g, e, s in zip(got, exact, scale, strict=True):
        if math.isfinite(g) and math.isfinite(e):
            by_output, by_scale = max(u_out * abs(e), LEAST[kind]), u_in * abs(s) if math.isfinite(s) else 0
            unit = max(by_output, by_scale)
            allowed = limit * unit if u_out <= u_in else 2 * by_output + limit * by_scale
            if abs(e) <= LARGEST[kind]:
                worst, share = max(worst, abs(g - e) / unit), max(share, abs(g - e) / allowed if allowed else 0)
        elif math.isnan(g) != math.isnan(e):
            classes += 1
        elif not math.isnan(g):
            # An exact value beyond what the type holds is infinite there.
            classes += (g > 0) != (e > 0) or (math.isfinite(e) and abs(e) < edge) or math.isfinite(g)
    return worst, share, classes


class Task:
    def __init__(self, folder):
        self.folder, self.name = folder, folder.name
        self.about = tomllib.loads((folder / "task.toml").read_text())
        self.entry, self.arguments = self.about["entry"], self.about["args"]
        self.outputs = [a for a in self.arguments if a.get("role") in ("out", "inout")]
        self.floats = [a for a in self.arguments if a.get("role") == "out" and a["type"] in ROUNDOFF]
        self.arithmetic = self.about.get("accuracy", {}).get("arithmetic", "f32")

    def oracle_arguments(self):
        """Float outputs in double, and a scale for each."""
        return [a | {"type": "f64"} if a in self.floats else a for a in self.arguments] + [
            a | {"type": "f64", "name": a["name"] + "_scale"} for a in self.floats]

    def oracle_launch(self):
        most = self.outputs[0]["count"]
        for a in self.outputs[1:]:
            most = f"max({most}, {a['count']})"
        own = {k: self.about["oracle"][k] for k in ("grid", "block") if k in self.about["oracle"]}
        return {"grid": [f"ceil_div({most}, 128)"], "block": [128]} | own

    def oracle_spec(self, sizes):
        return spec_text(self.folder / self.about["oracle"]["ptx"], self.about["oracle"]["entry"], self.oracle_launch(),
                         sizes, self.oracle_arguments())

    def limit(self, size):
        """Units that the arithmetic of a right kernel may be off, as `pitot bench` has it."""
        accuracy = self.about["accuracy"]
        length = evaluate(accuracy.get("length", "1"), size)
        return 2 * accuracy.get("operations", 4) + 8 * (math.sqrt(length) if length > 1 else 0)

    def compare(self, got, expected, size):
        """The worst error of float outputs, in units. Raises Failure where a result is wrong."""
        worst = 0.0
        for a in self.outputs:
            mine, right = got[a["name"]], expected[a["name"]]
            if a in self.floats:
                error, share, classes = errors_of(
                    decoded(mine, a["type"]), decoded(right, "f64"), decoded(expected[a["name"] + "_scale"], "f64"),
                    a["type"], self.arithmetic, self.limit(size))
                if classes:
                    raise Failure(f"at {size}: {a['name']} has {classes} NaN or infinities too many or too few")
                if share > 1:
                    raise Failure(f"at {size}: {a['name']} is off by {share:.3g} times what is allowed, {error:.3g} units")
                worst = max(worst, error)
            elif mine != right:
                m, r = decoded(mine, a["type"]), decoded(right, a["type"])
                at = next((i for i in range(len(m)) if m[i] != r[i]), 0)
                raise Failure(f"at {size}: {a['name']}[{at}] is {m[at]} and should be {r[at]}")
        return worst

    def configurations(self):
        """Of the tuned kernel: {parameter: value}."""
        tuned = self.about["tuned"]
        for values in itertools.product(*tuned["parameters"].values()):
            c = dict(zip(tuned["parameters"], values))
            if all(evaluate(e, c) for e in tuned.get("constraints", [])):
                yield c

    def tuned_launch(self, parameters):
        """With the parameters' values in it."""
        launch = self.about["tuned"]["launch"]
        return {k: [bound(e, parameters) for e in v] if isinstance(v, list) else bound(v, parameters)
                for k, v in launch.items()}


def tasks(folder, only=None):
    """Those below a folder, by name; `only`: names."""
    found = [Task(p.parent) for p in sorted(folder.glob("*/task.toml"))]
    return [t for t in found if not only or t.name in only]
