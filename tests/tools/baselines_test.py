"""tools/bench/baselines.py over the driver that tests/fake makes of the emulator.

    python3 tests/tools/baselines_test.py build/dev/tests/pitot_fake_gpu
"""

import csv
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools/bench/baselines.py"
PROGRAM = ""
# Adds TERM to what is not masked, and writes FAR bytes further.
PARAMETERS = '[tuned.parameters]\nTERM = ["0f00000000", "0f3F800000"]\nFAR = [0, 1000000000]\n'


def made_task(folder):
    """A task whose tuned kernel is PTX, so that nothing compiles: one configuration is right, one wrong, one faults."""
    task = folder / "masked_fill"
    shutil.copytree(ROOT / "kernels/tasks/masked_fill", task, ignore=shutil.ignore_patterns("baseline*"))
    text = (task / "task.toml").read_text()
    sizes = iter([5000, 6000])
    text = re.sub(r"(\[\[timed\]\]\n)n = \d+", lambda m: f"{m[1]}n = {next(sizes)}", text)
    text = text[:text.index("[tuned]")] + '[tuned]\nsource = "tuned.ptx"\n'
    text += 'constraints = ["FAR == 0 || TERM == \'0f00000000\'"]\n' + PARAMETERS
    text += '[tuned.launch]\ngrid = ["ceil_div(n, 256) + FAR * 0"]\nblock = [256]\n'
    (task / "task.toml").write_text(text)
    ptx = (task / "start.sm90.ptx").read_text()
    ptx, changed = re.subn(r"(\tmul\.f32 \t(%f\d+), .*;\n)", r"\1\tadd.f32 \2, \2, ${TERM};\n", ptx)
    ptx, stores = re.subn(r"st\.global\.f32 (\t\[%rd\d+)\]", r"st.global.f32 \1+${FAR}]", ptx)
    assert changed == stores == 1
    (task / "tuned.ptx").write_text(ptx)


class Baselines(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.scratch.name)
        made_task(cls.folder / "tasks")
        cls.prepared = cls.start("prepare", PROGRAM, "--out", cls.folder / "made.tar.xz", "-j", "1")

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    @classmethod
    def start(cls, step, *arguments):
        command = [sys.executable, str(TOOL), step, *map(str, arguments), "--tasks", str(cls.folder / "tasks")]
        environment = os.environ | {"PITOT_CUDA_LIBRARY": "", "PITOT_NVML_LIBRARY": ""}
        return subprocess.run(command, capture_output=True, text=True, env=environment)

    def setUp(self):
        self.assertEqual(self.prepared.returncode, 0, self.prepared.stderr)

    def unpacked(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        with tarfile.open(self.folder / "made.tar.xz") as archive:
            archive.extractall(place.name)
        return pathlib.Path(place.name)

    def measure(self, made, *options):
        out = self.folder / f"{self.id()}.json"
        done = self.start("measure", PROGRAM, made, "--out", out, "--workers", "0", "--checkers", "2", "--date",
                          "2026-01-02", *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return out, json.loads(out.read_text())

    def manifest(self):
        return json.loads((self.unpacked() / "masked_fill/manifest.json").read_text())["variants"]

    def test_the_emulator_finds_what_is_wrong_before_it_is_measured(self):
        states = {v["name"]: (v["status"], v.get("state")) for v in self.manifest()}
        self.assertEqual(states, {
            "TERM0f00000000_FAR0": ("ok", "right"), "TERM0f00000000_FAR1000000000": ("wrong", "fault"),
            "TERM0f3F800000_FAR0": ("wrong", "wrong"), "TERM0f3F800000_FAR1000000000": ("refused", None),
            "start": ("ok", "right")})
        self.assertIn("y is off by", next(v["reason"] for v in self.manifest() if v.get("state") == "wrong"))

    def test_the_archive_is_the_same_each_time(self):
        first = (self.folder / "made.tar.xz").read_bytes()
        again = self.start("prepare", PROGRAM, "--out", self.folder / "again.tar.xz", "-j", "1")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual((self.folder / "again.tar.xz").read_bytes(), first)

    def test_the_fastest_right_kernel_is_chosen(self):
        out, results = self.measure(self.folder / "made.tar.xz")
        task = results["tasks"]["masked_fill"]
        self.assertEqual(results["gpu"], "NVIDIA Fake")
        self.assertEqual(task["states"]["start"]["state"], "right")
        # As if the tuned kernel had been twice as fast.
        for row in task["rows"]:
            if row["variant"] == "TERM0f00000000_FAR0":
                row["median_us"] = f"{float(row['median_us']) / 2:.6g}"
        out.write_text(json.dumps(results))
        done = self.start("choose", self.folder / "made.tar.xz", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("masked_fill: TERM0f00000000_FAR0, ", done.stdout)
        folder = self.folder / "tasks/masked_fill"
        baseline = tomllib.loads((folder / "baseline.toml").read_text())
        self.assertEqual(baseline["schema"], "pitot.baseline/1")
        self.assertEqual(baseline["launch"]["grid"], ["ceil_div(n, 256) + 0 * 0"])
        chosen = baseline["chosen"]
        self.assertEqual((chosen["gpu"], chosen["date"], chosen["among"]), ("NVIDIA Fake", "2026-01-02", 2))
        self.assertEqual([len(chosen["us"]), len(chosen["start_us"])], [2, 2])
        self.assertIn("add.f32", (folder / "baseline.sm90.ptx").read_text())
        with open(folder / "baseline.csv", newline="") as f:
            rows = list(csv.DictReader(f))
        self.assertEqual([(r["variant"], r["size"], r["status"], r["state"]) for r in rows], [
            ("TERM0f00000000_FAR0", "0", "ok", "right"), ("TERM0f00000000_FAR0", "1", "ok", "right"),
            ("TERM0f00000000_FAR1000000000", "0", "not_measured", "fault"),
            ("TERM0f00000000_FAR1000000000", "1", "not_measured", "fault"),
            ("TERM0f3F800000_FAR0", "0", "not_measured", "wrong"), ("TERM0f3F800000_FAR0", "1", "not_measured", "wrong"),
            ("start", "0", "ok", "right"), ("start", "1", "ok", "right")])

    def test_a_kernel_that_is_wrong_on_the_gpu_only_is_not_chosen(self):
        made = self.unpacked()
        path = made / "masked_fill/manifest.json"
        manifest = json.loads(path.read_text())
        for v in manifest["variants"]:
            if v["status"] == "wrong":
                v["status"] = "ok"
        path.write_text(json.dumps(manifest))
        out, results = self.measure(made)
        states = {n: s["state"] for n, s in results["tasks"]["masked_fill"]["states"].items()}
        self.assertEqual(states, {"TERM0f00000000_FAR0": "right", "TERM0f00000000_FAR1000000000": "fault",
                                  "TERM0f3F800000_FAR0": "wrong", "start": "right"})
        for row in results["tasks"]["masked_fill"]["rows"]:
            if row["variant"] == "TERM0f3F800000_FAR0":
                row["median_us"] = "0.001"
        out.write_text(json.dumps(results))
        done = self.start("choose", made, out)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("0f3F800000", done.stdout)

    def test_what_there_was_no_time_for_is_not_chosen(self):
        out, results = self.measure(self.folder / "made.tar.xz", "--minutes", "0")
        self.assertEqual({r["status"] for r in results["tasks"]["masked_fill"]["rows"]}, {"not_measured"})
        self.assertEqual({s["state"] for s in results["tasks"]["masked_fill"]["states"].values()}, {"unchecked"})
        done = self.start("choose", self.folder / "made.tar.xz", out)
        self.assertEqual(done.returncode, 1)
        self.assertIn("masked_fill: the start kernel is unchecked and has 0 times: nothing is chosen", done.stderr)

    def test_results_of_something_else(self):
        out = self.folder / "other.json"
        out.write_text('{"schema": "pitot.other/1"}')
        done = self.start("choose", self.folder / "made.tar.xz", out)
        self.assertEqual(done.returncode, 1)
        self.assertIn("other.json: the schema is not pitot.baselines/1", done.stderr)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
