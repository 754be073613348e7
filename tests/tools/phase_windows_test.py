"""tools/knobs/phase_windows.py: labels, and windows made of counted launches."""

import collections
import csv
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "knobs"))
import phase_windows  # noqa: E402

LAUNCHES = ROOT / "data" / "h200" / "knobs" / "phase" / "phase_launches.csv"


class Labels(unittest.TestCase):
    def test_shares_of_the_time_say_the_regime(self):
        for compute, memory, label in ((50, 0, "compute"), (50, 60, "memory"), (60, 50, "compute"), (0, 19.9, "latency"),
                                       (20, 0, "mixed"), (49.9, 49.9, "mixed"), (0, 0, "latency"), (0, 150, "memory")):
            self.assertEqual(phase_windows.label_of(compute, memory, 100), label, (compute, memory))

    def test_a_window_is_labelled_by_its_sums(self):
        slow = {"kernel": "b", "compute_us": "0", "memory_us": "90", "time_us": "100", **dict.fromkeys(phase_windows.COUNTERS, "1")}
        fast = {"kernel": "a", "compute_us": "1", "memory_us": "0", "time_us": "1", **dict.fromkeys(phase_windows.COUNTERS, "2")}
        rows = phase_windows.rows_of("w", [fast] * 19 + [slow])
        self.assertEqual({r["label"] for r in rows}, {"memory"})
        self.assertEqual({r["kernels"] for r in rows}, {"a+b"})
        self.assertEqual([r["step"] for r in rows], list(range(20)))
        self.assertNotIn("time_us", rows[0])


class Windows(unittest.TestCase):
    def test_they_are_drawn_from_one_kernel_or_two_and_again_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            texts = []
            for name in "ab":
                out = pathlib.Path(folder) / f"{name}.csv"
                subprocess.run([sys.executable, ROOT / "tools" / "knobs" / "phase_windows.py", LAUNCHES, "--windows", "81",
                                "-o", out], check=True, stdout=subprocess.DEVNULL)
                texts.append(out.read_text())
        self.assertEqual(*texts)
        windows = collections.defaultdict(list)
        for r in csv.DictReader(texts[0].splitlines()):
            windows[r["window"]].append(r)
        self.assertEqual(len(windows), 81)
        counted = {tuple(r[k] for k in phase_windows.COUNTERS) for r in csv.DictReader(open(LAUNCHES, newline=""))}
        kernels = collections.Counter()
        for rows in windows.values():
            self.assertEqual(len(rows), phase_windows.STEPS)
            self.assertEqual(len({r["label"] for r in rows}), 1)
            kernels.update(set(rows[0]["kernels"].split("+")))
            for r in rows:
                self.assertIn(tuple(r[k] for k in phase_windows.COUNTERS), counted)
        self.assertEqual(len(kernels), 27)
        self.assertGreaterEqual(min(kernels.values()), 3)


if __name__ == "__main__":
    unittest.main()
