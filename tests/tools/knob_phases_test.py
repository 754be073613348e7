"""tools/knobs/phases.py: every phase of the knobs study runs from a clean clone, without a GPU and without nvcc.

    python3 tests/tools/knob_phases_test.py build/dev/bin/pitot

Briefly: whether each command works and writes what it says, not what is found.
"""

import csv
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PITOT = pathlib.Path(sys.argv.pop(1)).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
LEARNS = (PITOT.parent / "pitot-learn").exists()


class Phases(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.out = pathlib.Path(cls.folder.name) / "study"

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def phase(self, number):
        command = [sys.executable, ROOT / "tools" / "knobs" / "phases.py", PITOT, "--phase", str(number), "--brief",
                   "--out", self.out]
        # Nothing but the system's programs: no nvcc.
        done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PATH": "/usr/bin:/bin", "CUDA_HOME": "/nowhere"})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def rows(self, name):
        with open(self.out / name, newline="") as f:
            return list(csv.DictReader(f))

    def test_0_and_1_model_the_small_space(self):
        self.phase(0)
        times = self.rows("phase0_baseline.csv")
        self.assertEqual(len(times), 27)
        self.phase(1)
        counted = self.rows("phase1_result.csv")
        self.assertEqual({r["source"] for r in counted}, {"emulated"})
        self.assertEqual([r["time_ms_mean"] for r in counted], [r["time_ms_mean"] for r in times])
        # As they were recorded, but for what other machines round otherwise.
        with open(ROOT / "data/h200/knobs/emulated/phase1_result.csv", newline="") as f:
            recorded = {(r["kernel"], r["block_size"], r["reg_cap"]): float(r["time_ms_mean"])
                        for r in csv.DictReader(f) if r["matrix_size"] == "256"}
        for r in times:
            self.assertAlmostEqual(float(r["time_ms_mean"]) / recorded[r["kernel"], r["block_size"], r["reg_cap"]], 1, 6)

    def test_2_runs_the_suites_or_says_what_it_wants(self):
        said = self.phase(2)
        self.assertIn("test_kernels", said)

    def test_3_and_4_play_episodes(self):
        self.phase(3)
        self.assertEqual(len(self.rows("phase3_rollout.csv")), 9 * 20)
        self.assertEqual(len(self.rows("phase3_episode_summary.csv")), 9)
        said = self.phase(4)
        if not LEARNS:
            return self.assertIn("phase 4 is left out", said)
        self.assertEqual(len(self.rows("phase4_rollout.csv")), 9 * 5 * 20)
        self.assertRegex(said, r"softmax +1024 +\d")

    def test_5_trains_and_asks_a_detector(self):
        said = self.phase(5)
        self.assertEqual(len(self.rows("verdicts.csv")), 60)
        if LEARNS:
            self.assertTrue(self.rows("phase/phase5_eval.csv"))
        else:
            self.assertIn("phase 5 is left out", said)

    def test_6_embeds_kernels(self):
        said = self.phase(6)
        if LEARNS:
            self.assertEqual(said.count("learn embed"), 3)
        else:
            self.assertIn("phase 6 is left out", said)

    def test_7_compares_searches(self):
        said = self.phase(7)
        methods = {r["method"] for r in self.rows("phase7_comparison.csv")}
        self.assertEqual(methods - {"ppo", "training"}, {"default", "random", "greedy", "exhaustive", "ranker"})
        self.assertEqual("ppo" in methods, LEARNS, said)
        self.assertIn("ranker", {r["method"] for r in self.rows("phase7_softmax_large.csv")})


if __name__ == "__main__":
    unittest.main()
