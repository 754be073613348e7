"""kernels/triton.toml: what is in it is there, can be launched as it says, and is as varied as the search needs.

    python3 tests/tools/triton_kernels_test.py [build/dev/bin/pitot]

With the program each is also run on the emulator, at the spec's first size.
"""

import collections
import pathlib
import re
import subprocess
import sys
import tomllib
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
KERNELS = ROOT / "kernels"
PROGRAM = ""
CLASSES = {"elementwise", "reduction", "softmax", "norm", "attention", "matmul", "other"}
SEARCHED = 33  # kernels that were searched in the published work


class TritonKernels(unittest.TestCase):
    def setUp(self):
        self.kernels = tomllib.loads((KERNELS / "triton.toml").read_text())["kernel"]

    def each(self):
        for kernel in self.kernels:
            spec = KERNELS / (kernel["spec"] + ".kernel.toml")
            with self.subTest(kernel["name"]):
                yield kernel, spec, tomllib.loads(spec.read_text())

    def test_are_many_and_of_all_classes(self):
        self.assertEqual(len({k["name"] for k in self.kernels}), len(self.kernels))
        self.assertEqual(len({k["spec"] for k in self.kernels}), len(self.kernels))
        functions = {spec["entry"] for _, _, spec in self.each()}
        self.assertGreaterEqual(len(functions), SEARCHED)
        count = collections.Counter(k["class"] for k in self.kernels)
        self.assertEqual(set(count), CLASSES)
        self.assertGreaterEqual(min(count.values()), 5)

    def test_are_for_one_target_and_have_their_entry(self):
        for kernel, path, spec in self.each():
            text = (path.parent / kernel["ptx"]).read_text()
            self.assertEqual(re.search(r"^\.target\s+(\w+)", text, re.M)[1], "sm_90a")
            self.assertRegex(text, rf"\.entry {kernel.get('entry', spec['entry'])}\(")

    def test_are_the_right_ones_of_pairs(self):
        for kernel, _, spec in self.each():
            self.assertNotIn("wrong", kernel.get("entry", spec["entry"]))

    def test_have_the_sizes_of_their_specs(self):
        for kernel, _, spec in self.each():
            self.assertEqual(set(kernel["set"]), set(spec["sizes"][0]) - {"kind"})
            # The same kernel as at the spec's sizes: what Triton was promised of them still holds.
            for name, value in kernel["set"].items():
                if all(size[name] % 16 == 0 for size in spec["sizes"]):
                    self.assertEqual(value % 16, 0, name)

    def test_run(self):
        if not PROGRAM:
            self.skipTest("no program was given")
        for kernel, path, spec in self.each():
            command = [PROGRAM, "run", str(path), "--ptx", str(path.parent / kernel["ptx"]), "--size", "0",
                       "--entry", kernel.get("entry", spec["entry"])]
            done = subprocess.run(command, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        PROGRAM = sys.argv.pop(1)
    unittest.main()
