"""What transforms do to kernels that were written against them (tests/data/transforms): verified, and the same to `pitot check`.

    python3 tests/tools/hard_kernels_test.py build/dev/bin/pitot

ptxas is not asked: this runs where there is none. Each kernel has one difficulty, which its name says: registers that hide
others, loads of what was just written, counters that wrap, comments in the way.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ""
# Those that move, merge or make instructions.
ACTIONS = ("vec_ld", "vec_st", "split_ld", "reorder_cp", "reorder_lf", "reorder_sl", "prefetch_L1", "ld_nc", "reuse_loads",
           "narrow_address", "unroll_2", "unroll_4", "fma_contract")


class HardKernels(unittest.TestCase):
    def test_stay_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "out.jsonl"
            command = [sys.executable, str(ROOT / "tools/kernels/legality.py"), str(ROOT / "tests/data/transforms")]
            command += ["--pitot", PROGRAM, "--ptxas", "true", "--actions", ",".join(ACTIONS), "--sequences", "1"]
            command += ["--trials", "4", "--budget", "50000", "--out", str(out)]
            done = subprocess.run(command, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            records = [json.loads(line) for line in out.read_text().splitlines()]
            judged = [r for r in records if r["result"] == "same"]
            # Every one of these finds something to do somewhere.
            alone = {r["sequence"] for r in judged if "," not in r["sequence"]}
            self.assertEqual(set(ACTIONS) - alone, {"ld_nc"})  # buffers are not stated distinct here


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
