"""Are the folders of kernels/tasks whole, and does their PTX come of their sources?

    python3 tests/tools/bench_tasks_test.py
"""

import collections
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools/bench"), str(ROOT / "tools/kernels")]

import manifest  # noqa: E402
import ptxas_check  # noqa: E402
from task_files import TASKS, bound, errors_of, evaluate, tasks  # noqa: E402

TOOL = ROOT / "tools/bench/compile_tasks.py"
KINDS = 20  # at least


def compile_tasks(*arguments):
    return subprocess.run([sys.executable, str(TOOL), *map(str, arguments)], capture_output=True, text=True)


class Folders(unittest.TestCase):
    def setUp(self):
        self.tasks = tasks(TASKS)

    def test_there_are_enough(self):
        self.assertGreaterEqual(len(self.tasks), 44)
        self.assertGreaterEqual(len({t.about["kind"] for t in self.tasks}), KINDS)
        self.assertEqual({t.about["difficulty"] for t in self.tasks}, {1, 2, 3, 4, 5})

    def test_each_has_its_files_and_entries(self):
        for t in self.tasks:
            with self.subTest(t.name):
                for kind, target in (("start", "sm80"), ("start", "sm90"), ("oracle", "sm80")):
                    text = (t.folder / f"{kind}.{target}.ptx").read_text()
                    entry = t.entry if kind == "start" else t.about["oracle"]["entry"]
                    self.assertEqual(manifest.entry_names(text), [entry])
                    self.assertIn(f".target {target.replace('sm', 'sm_')}", text)
                    parameters = len(re.findall(r"^\t\.param ", text, re.M))
                    self.assertEqual(parameters, len(t.arguments) + (len(t.floats) if kind == "oracle" else 0))
                self.assertTrue((t.folder / "tuned.cu").exists())

    def test_sizes_have_the_same_names(self):
        for t in self.tasks:
            with self.subTest(t.name):
                names = set(t.about["sizes"][0]) - {"kind"}
                for size in [*t.about["sizes"], *t.about["timed"]]:
                    self.assertEqual(set(size) - {"kind"}, names)
                self.assertEqual(set(t.about["private"]) - {"volume"}, names)
                self.assertIn("boundary", {s["kind"] for s in t.about["sizes"]})

    def test_private_ranges_have_the_public_sizes(self):
        for t in self.tasks:
            for size in t.about["sizes"]:
                with self.subTest(t.name, size=size):
                    for name, r in t.about["private"].items():
                        if name != "volume":
                            self.assertGreaterEqual(size[name], r["from"])
                            self.assertEqual(size[name] % r.get("multiple", 1), 0)

    def test_what_is_not_judged_says_why(self):
        for t in self.tasks:
            accuracy = t.about.get("accuracy", {})
            with self.subTest(t.name):
                self.assertEqual(bool(accuracy), any(a["type"] in ("f16", "bf16", "f32", "f64") for a in t.outputs))
                if not accuracy.get("special", True) or accuracy.get("values") == "given":
                    self.assertRegex((t.folder / "task.toml").read_text(), r"\n# .*\n\[accuracy\]")
                self.assertFalse([a["name"] for a in t.outputs if a["role"] == "inout" and a["type"].endswith(("f16", "f32"))])

    def test_configurations_are_some_but_not_many(self):
        for t in self.tasks:
            with self.subTest(t.name):
                found = list(t.configurations())
                self.assertGreaterEqual(len(found), 8)
                self.assertLessEqual(len(found), 48)
                for c in found:
                    for size in [*t.about["timed"], *t.about["sizes"]]:
                        launch = t.tuned_launch(c)
                        block = 1
                        for e in launch["block"]:
                            block *= evaluate(e, size)
                        self.assertLessEqual(block, 1024)
                        self.assertGreater(min(evaluate(e, size) for e in launch["grid"]), 0)
                        self.assertLessEqual(evaluate(launch["shared"], size), 232448)

    def test_the_table_has_all(self):
        text = (TASKS / "README.md").read_text()
        rows = dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", text, re.M))
        self.assertEqual(sorted(rows), [t.name for t in self.tasks])
        for t in self.tasks:
            about = t.about
            arithmetic = about.get("accuracy", {}).get("arithmetic", "exact")
            row = [about["title"], about["kind"], str(about["difficulty"]), arithmetic, str(len(list(t.configurations())))]
            self.assertEqual(rows[t.name].split(" | "), row)

    def test_no_two_are_alike(self):
        for key in ("title", "description"):
            counts = collections.Counter(t.about[key] for t in self.tasks)
            self.assertEqual([k for k, n in counts.items() if n > 1], [])


class Values(unittest.TestCase):
    def test_units(self):
        def errors(got, exact, scale, kind="f32"):
            return errors_of(got, exact, scale, kind, "f32", 8)

        self.assertEqual(errors([1.0 + 2**-23], [1.0], [1.0]), (2.0, 0.25, 0))
        self.assertEqual(errors([0.0], [2**-22], [4.0]), (1.0, 0.125, 0))
        self.assertEqual(errors([float("nan"), float("inf")], [float("nan"), 1e39], [1, 1]), (0.0, 0.0, 0))
        self.assertEqual(errors([float("nan")], [1.0], [1.0])[2], 1)
        self.assertEqual(errors([1.0], [float("nan")], [1.0])[2], 1)
        self.assertEqual(errors([float("-inf")], [float("inf")], [1.0])[2], 1)
        self.assertEqual(errors([float("inf")], [1e30], [1.0])[2], 1)
        self.assertEqual(errors([1e30], [float("inf")], [1.0])[2], 1)

    def test_coarse_outputs_do_not_allow_for_coarse_sums(self):
        # f16 of a sum in f32: two units of the output, and 8 of f32.
        self.assertLess(errors_of([1.0 + 2**-10], [1.0], [1.0], "f16", "f32", 8)[1], 1)
        self.assertGreater(errors_of([1.0 + 2**-9], [1.0], [1.0], "f16", "f32", 8)[1], 1.9)
        self.assertLess(errors_of([1.0 + 2**-9], [1.0], [64.0], "f16", "f16", 8)[1], 1)

    def test_expressions(self):
        self.assertEqual(evaluate("ceil_div(n, 4) + max(1, n / 8)", {"n": 17}), 7)
        self.assertTrue(evaluate("A == 1 || A != 2 && !(B == 3)", {"A": 4, "B": 4}))
        self.assertEqual(bound("ceil_div(n, BN) * B", {"BN": 64, "B": 2}), "ceil_div(n, 64) * 2")


@unittest.skipUnless(ptxas_check.find_tool("nvcc"), "needs nvcc")
class Compile(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        shutil.copytree(TASKS / "masked_fill", self.folder / "masked_fill")
        shutil.copy(TASKS / "oracle.cuh", self.folder)

    def test_the_same_bytes_elsewhere(self):
        done = compile_tasks("--tasks", self.folder, "--check")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("1 tasks, 3 files, 0 would change", done.stdout)

    def test_check_writes_nothing(self):
        path = self.folder / "masked_fill/start.sm90.ptx"
        path.write_text("old")
        done = compile_tasks("--tasks", self.folder, "--check")
        self.assertEqual(done.returncode, 1)
        self.assertIn("start.sm90.ptx", done.stderr)
        self.assertEqual(path.read_text(), "old")
        self.assertEqual(compile_tasks("--tasks", self.folder).returncode, 0)
        self.assertEqual(path.read_text(), (TASKS / "masked_fill/start.sm90.ptx").read_text())

    def test_another_entry_is_refused(self):
        path = self.folder / "masked_fill/task.toml"
        path.write_text(path.read_text().replace('entry = "masked_fill"', 'entry = "other"'))
        done = compile_tasks("--tasks", self.folder)
        self.assertEqual(done.returncode, 1)
        self.assertIn("masked_fill/start.sm80.ptx: has ['masked_fill'], not other", done.stderr)

    def test_variables_of_the_module_are_refused(self):
        path = self.folder / "masked_fill/start.cu"
        path.write_text("static __device__ int count;\n" + path.read_text().replace("{\n", "{\n  if (n < 0) y[0] = ++count;\n", 1))
        done = compile_tasks("--tasks", self.folder)
        self.assertEqual(done.returncode, 1)
        self.assertIn("start.sm80.ptx: 'count' stays from launch to launch", done.stderr)

    def test_no_such_task(self):
        done = compile_tasks("--tasks", self.folder, "--only", "nothing")
        self.assertEqual(done.returncode, 1)
        self.assertIn("is called ['nothing']", done.stderr)


if __name__ == "__main__":
    unittest.main()
