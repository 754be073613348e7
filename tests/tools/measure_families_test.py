"""tools/gpu/measure_families.py over the driver that tests/fake makes of the emulator.

    python3 tests/tools/measure_families_test.py build/dev/tests/pitot_fake_gpu
"""

import contextlib
import csv
import json
import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "tests/kernels/specs/families"
PROGRAM = ""


def manifest_of(folder, family):
    """What `pitot variants` would say of the compiled samples of a family, and of a variant that does not compile."""
    variants = []
    for spec in sorted((SAMPLES / family).glob("*.kernel.toml")):
        name = spec.name.removesuffix(".kernel.toml")
        ptx = name + ".sm90.ptx"
        for file in (spec.name, ptx):
            shutil.copy(SAMPLES / family / file, folder)
        variants.append({"name": name, "target": "sm_90", "status": "ok", "parameters": {"BLOCK": len(variants)},
                         "ptx": ptx, "spec": spec.name, "ptx_hash": "0"})
    variants.append({"name": "broken", "target": "sm_90", "status": "failed", "parameters": {"BLOCK": 7}})
    variants.append({"name": "refused", "target": "sm_90", "status": "refused", "parameters": {"BLOCK": 8}})
    parameters = [{"name": "BLOCK", "numeric": True, "values": [0, 1, 2, 7, 8]}]
    (folder / "manifest.json").write_text(json.dumps(
        {"schema": "pitot.variants/1", "family": family, "parameters": parameters, "variants": variants}))
    return [v["name"] for v in variants]


class MeasureFamilies(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.folder = pathlib.Path(self.scratch.name)
        for family in ("histogram", "linked_list"):
            (self.folder / "in" / family).mkdir(parents=True)
            manifest_of(self.folder / "in" / family, family)

    def start(self, *arguments):
        command = [sys.executable, str(ROOT / "tools/gpu/measure_families.py"), PROGRAM,
                   "--out", str(self.folder / "out"), "--workers", "0", *map(str, arguments)]
        environment = os.environ | {"PITOT_CUDA_LIBRARY": "", "PITOT_NVML_LIBRARY": ""}
        return subprocess.run(command, capture_output=True, text=True, env=environment)

    def run_tool(self, *options):
        done = self.start(self.folder / "in", *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def template(self, family, source):
        folder = self.folder / "templates" / family
        folder.mkdir(parents=True)
        (folder / f"{family}.variants.toml").write_text(f'name = "{family}"\nsource = "{source}"\n')
        return folder.parent

    def rows(self, family):
        with open(self.folder / "out" / f"{family}.csv", newline="") as f:
            return list(csv.DictReader(f))

    def starts(self):
        with contextlib.closing(sqlite3.connect(self.folder / "out/store.db")) as db:
            return sorted(db.execute("SELECT ptx_hash, size, started FROM measurement").fetchall())

    def test_every_variant_and_size_has_a_row(self):
        self.run_tool()
        rows = self.rows("histogram")
        self.assertEqual([(r["p_BLOCK"], r["size"]) for r in rows],
                         [(str(b), s) for b in (0, 1, 2, 7) for s in ("full", "boundary")])
        self.assertEqual({r["status"] for r in rows if r["p_BLOCK"] != "7"}, {"ok"})
        self.assertEqual({r["status"] for r in rows if r["p_BLOCK"] == "7"}, {"compile_failed"})
        for r in rows[:6]:
            self.assertLessEqual(float(r["ci_lo_us"]), float(r["median_us"]))
            self.assertGreaterEqual(float(r["ci_hi_us"]), float(r["median_us"]))
            self.assertGreater(float(r["median_us"]), 2)  # what a launch costs there
            self.assertGreaterEqual(int(r["samples"]), 20)
            self.assertEqual((r["gpu"], r["sm_mhz"], r["grid_y"]), ("NVIDIA Fake", "1980.0", "1"))
            self.assertIn("no-cycles", r["protocol"])
        self.assertEqual(len(self.rows("linked_list")), 8)

    def test_what_is_measured_stays(self):
        self.run_tool("--only", "histogram")
        before = self.starts()
        self.assertEqual(len(before), 6)
        self.run_tool()
        self.assertEqual([s for s in self.starts() if s in before], before)
        self.assertEqual(len(self.starts()), 12)

    def test_what_there_was_no_time_for_is_said(self):
        out = self.run_tool("--minutes", "0")
        self.assertEqual([r["status"] for r in self.rows("histogram")], 6 * ["not_measured"] + 2 * ["compile_failed"])
        self.assertIn("histogram 4 8 0 2 6", out)

    def test_all_in_one_archive(self):
        self.run_tool("--only", "histogram", "--pack")
        self.assertEqual([p.name for p in (self.folder / "out").iterdir()], ["families.tar.xz"])
        shutil.unpack_archive(self.folder / "out/families.tar.xz", self.folder / "again")
        names = sorted(p.name for p in (self.folder / "again").iterdir())
        self.assertEqual(names, ["histogram.csv", "store.db", "summary.csv"])

    def test_what_was_made_elsewhere_takes_the_place_of_its_template(self):
        templates = self.template("histogram", "histogram.py")
        archive = shutil.make_archive(str(self.folder / "made"), "xztar", self.folder / "in")
        done = self.start(templates, "--made", archive, "--only", "histogram")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([r["status"] for r in self.rows("histogram")], 6 * ["ok"] + 2 * ["compile_failed"])
        before = self.starts()
        # From a folder, and from the archive once more: it is the same that is measured.
        for made in (self.folder / "in", archive):
            done = self.start("--made", made, "--only", "histogram")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(self.starts(), before)

    def test_a_triton_template_that_nobody_compiled(self):
        done = self.start(self.template("softmax", "softmax.py"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("softmax: not measured: Triton compiles it", done.stderr)

    def test_an_archive_that_is_none(self):
        (self.folder / "made.tar.xz").write_text("no archive")
        done = self.start("--made", self.folder / "made.tar.xz")
        self.assertEqual(done.returncode, 1)
        self.assertIn("made.tar.xz: neither a folder nor an archive", done.stderr)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
