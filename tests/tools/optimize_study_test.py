"""tools/gpu/optimize_study.py over the driver that tests/fake makes of the emulator.

    python3 tests/tools/optimize_study_test.py build/dev/bin/pitot_fake_gpu
"""

import csv
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ""
LAUNCHES = """[[kernel]]
name = "small"
class = "elementwise"
spec = "saxpy"
set = { n = 256 }

[[kernel]]
name = "smaller"
spec = "saxpy"
ptx = "saxpy.sm90.ptx"
entry = "saxpy"
set = { n = 64 }
"""


class OptimizeStudy(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.folder = pathlib.Path(self.scratch.name)
        kernels = self.folder / "kernels"
        kernels.mkdir()
        for file in (ROOT / "kernels/cuda/saxpy").iterdir():
            (kernels / file.name).write_bytes(file.read_bytes())
        (kernels / "triton.toml").write_text(LAUNCHES)

    def study(self, *arguments, work="work", gpu=""):
        command = [sys.executable, str(ROOT / "tools/gpu/optimize_study.py"), PROGRAM, "--kernels",
                   str(self.folder / "kernels"), "--out", str(self.folder / "out"), "--work", str(self.folder / work),
                   "--parts", "triton,nvcc", *map(str, arguments)]
        environment = os.environ | {"PITOT_CUDA_LIBRARY": gpu, "PITOT_NVML_LIBRARY": "",
                                    "PITOT_PTXAS": "/nonexistent/ptxas"}
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        return done.stdout

    def rows(self, name, work="work"):
        with (self.folder / work / "tables" / f"{name}.csv").open(newline="") as f:
            return list(csv.DictReader(f))

    def test_records_resumes_and_checks(self):
        said = self.study("--minutes", 2)
        self.assertIn("nvcc.greedy: there are no kernels", said)
        greedy = self.rows("triton.greedy")
        self.assertEqual([r["name"] for r in greedy], ["small", "smaller"])
        self.assertEqual(greedy[0]["size"], "n=256")
        self.assertEqual({r["verified"] for r in greedy}, {"unchecked"})
        beam = self.rows("triton.beam")
        # What greedy had measured was free for beam.
        self.assertGreaterEqual(int(beam[0]["programs"]), int(greedy[0]["programs"]))
        log = (self.folder / "work/logs/triton/small.jsonl").read_text().splitlines()
        hashes = [json.loads(line)["hash"] for line in log[1:]]
        self.assertEqual(len(hashes), len(set(hashes)))
        self.assertGreaterEqual(len(hashes), int(beam[0]["programs"]))

        # Again: everything is known.
        self.study("--minutes", 2)
        self.assertEqual([r["measured"] for r in self.rows("triton.beam")], ["0", "0"])

        # From the archive, without a GPU, with the check.
        archive = self.folder / "out/optimize.tar.xz"
        with tarfile.open(archive) as tar:
            self.assertIn("logs/triton/smaller.jsonl", tar.getnames())
        self.study("--check", "--resume", archive, work="other", gpu="/nonexistent/libcuda.so")
        checked = self.rows("triton.greedy", "other")
        self.assertEqual({r["verified"] for r in checked}, {"yes"})
        self.assertEqual([r["before"] for r in checked], [r["before"] for r in greedy])
        self.assertTrue((self.folder / "other/best/triton.beam/small.ptx").exists())

    def test_the_time_is_kept(self):
        said = self.study("--minutes", 0.34)
        self.assertIn("triton.greedy: no time was left", said)
        self.assertTrue((self.folder / "out/summary.txt").exists())

    def test_kernels_are_shared_out_among_gpus(self):
        os.environ["PITOT_FAKE_GPUS"] = "2"
        self.addCleanup(os.environ.pop, "PITOT_FAKE_GPUS")
        self.study("--minutes", 2, "--gpus", 2)
        self.assertEqual([r["name"] for r in self.rows("triton.greedy")], ["small", "smaller"])


if __name__ == "__main__":
    PROGRAM = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
