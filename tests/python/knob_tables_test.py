"""The tables of the knobs study as pandas loads them: the published columns, in order, with the published types.

    python tests/python/knob_tables_test.py build/dev/bin/pitot

Recorded tables (data/h200/knobs) and those that `pitot knobs rollout` writes. Needs pandas, of this Python or of a
virtual environment at BUILD/python-venv; exit code 77, "skipped", without it.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = pathlib.Path(sys.argv[1]).resolve()
VENV = PROGRAM.parents[1] / "python-venv" / "bin" / "python"
try:
    import pandas as pd
except ImportError as e:
    if VENV.exists() and pathlib.Path(sys.executable) != VENV:
        os.execv(VENV, [str(VENV), *sys.argv])
    print(f"skipped: {e}; python3 -m venv {VENV.parent.parent} && {VENV} -m pip install pandas")
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "data" / "h200" / "knobs"
COUNTERS = ("achieved_occupancy", "l2_hit_rate", "dram_bw_pct", "sm_active_pct")
STATES = ("gpu_util", "mem_util", "mem_used", "temp")
# Column: kind of its type. i: whole numbers, f: numbers, b: truth, t: text.
PHASE0 = {"kernel": "t", "matrix_size": "i", "block_size": "i", "threads_per_block": "i", "reg_cap": "i", "est_regs": "i",
          "actual_regs": "i", "theor_occ": "f", "time_ms_mean": "f", "time_ms_std": "f", "time_ms_min": "f",
          "time_ms_max": "f"}
ACHIEVED = {"achieved_occ": "f"}
PHASE1 = {"ok": "b", "reason": "t", **{f"{c}_{form}": "f" for c in COUNTERS for form in ("raw", "norm")}, "source": "t"}
ROLLOUT = {"episode_id": "i", "episode_seed": "i", "step": "i", "kernel": "t", "matrix_size": "i", "block_size": "i",
           "reg_cap": "i", "time_ms": "f", "baseline_ms": "f", "speedup": "f", "reward": "f", "cupti_ok": "b",
           "cupti_reason": "t", **{f"cupti_{c}_norm": "f" for c in COUNTERS}, **{f"nvml_{s}_norm": "f" for s in STATES}}
EPISODES = {"episode_id": "i", "episode_seed": "i", "kernel": "t", "matrix_size": "i", "max_steps": "i", "use_cupti": "b",
            "use_nvml": "b", "baseline_ms": "f", "mean_time_ms": "f", "mean_reward": "f", "best_speedup": "f",
            "best_reward": "f", "steps": "i"}


def kind(column):
    if pd.api.types.is_bool_dtype(column):
        return "b"
    if pd.api.types.is_integer_dtype(column):
        return "i"
    return "f" if pd.api.types.is_float_dtype(column) else "t"


class Tables(unittest.TestCase):
    def held(self, path, columns, exact=True):
        """Loads a table; with `exact` false, numbers that happen to be whole and knobs behind are let pass."""
        table = pd.read_csv(path)
        self.assertEqual(list(table.columns)[:len(columns)] if not exact else list(table.columns), list(columns), path)
        for name, wanted in columns.items():
            found = kind(table[name])
            if table[name].isna().all():  # nobody had anything to say: pandas makes it numbers
                self.assertEqual(found, "f", f"{path}: {name}")
                self.assertIn(wanted, "ft", f"{path}: {name}")
            elif not (wanted == "f" and found == "i" and not exact):
                self.assertEqual(found, wanted, f"{path}: {name}")
        return table

    def test_phase_0(self):
        table = self.held(DATA / "phase0_baseline.csv", PHASE0)
        study = table[table.matrix_size <= 1024]
        self.assertEqual(len(study), 81)
        self.assertEqual(len(study.drop_duplicates(["kernel", "matrix_size", "block_size", "reg_cap"])), 81)
        self.assertTrue((table.time_ms_min <= table.time_ms_mean).all() and (table.time_ms_mean <= table.time_ms_max).all())

    def test_phase_1(self):
        table = self.held(DATA / "phase1_result.csv", {**PHASE0, **ACHIEVED, **PHASE1})
        self.assertEqual(len(table), 81)
        self.assertTrue(table.ok.all())
        for counter in COUNTERS:
            self.assertTrue(((table[f"{counter}_raw"] / 100).clip(0, 1) - table[f"{counter}_norm"]).abs().max() < 1e-9)

    def test_modelled(self):
        # A model's times have no spread, and its percentages may all be whole.
        self.held(DATA / "emulated" / "phase1_result.csv", {**PHASE0, **PHASE1}, exact=False)

    def test_large_spaces(self):
        for folder in (DATA, DATA / "emulated"):
            for path in sorted(folder.glob("*_large.csv")):
                table = self.held(path, PHASE0, exact=False)
                for knob in table.columns[len(PHASE0):]:
                    self.assertEqual(kind(table[knob]), "i", f"{path}: {knob}")

    def test_rollouts(self):
        with tempfile.TemporaryDirectory() as folder:
            steps, episodes = (pathlib.Path(folder) / f for f in ("phase3_rollout.csv", "phase3_episode_summary.csv"))
            subprocess.run([PROGRAM, "knobs", "rollout", DATA / "phase1_result.csv", "--episodes", "2", "--max-steps", "7",
                            "-o", steps, "--summary", episodes], check=True, stdout=subprocess.DEVNULL)
            played, summed = self.held(steps, ROLLOUT), self.held(episodes, EPISODES)
            self.assertEqual((len(played), len(summed)), (9 * 2 * 7, 9 * 2))
            mean = played.groupby("episode_id").reward.mean()
            self.assertTrue(abs(mean.to_numpy() - summed.mean_reward.to_numpy()).max() < 1e-12)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
