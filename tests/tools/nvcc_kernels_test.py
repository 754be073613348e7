"""kernels/nvcc.toml beside kernels/triton.toml: specs, PTX, entries and sizes are there, and its launches fill the GPU.

    python3 tests/tools/nvcc_kernels_test.py [build/dev/bin/pitot]

With the program the CUDA kernels are also run on the emulator, at their specs' first size.
"""

import collections
import math
import pathlib
import re
import subprocess
import sys
import tomllib
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
KERNELS = ROOT / "kernels"
PROGRAM = ""
MULTIPROCESSORS = 132
MOST_BYTES = 60_000_000_000
ELEMENT = {"f8": 1, "u8": 1, "s8": 1, "f16": 2, "bf16": 2, "u16": 2, "s16": 2, "f32": 4, "u32": 4, "s32": 4,
           "f64": 8, "u64": 8, "s64": 8}


def evaluate(expression, sizes):
    """An expression of a kernel spec: integers, + - * / %, ceil_div, min and max."""
    text = str(expression).replace("/", "//")
    if not re.fullmatch(r"[\w\s+\-*/%(),]*", text):
        raise ValueError(f"{expression} is no expression")
    known = {"ceil_div": lambda a, b: -(-a // b), "min": min, "max": max, **sizes}
    return eval(text, {"__builtins__": {}}, known)  # noqa: S307: of this repository's own files


def bytes_of(kind):
    """Of an element of a buffer, or of a texel of a format such as unorm8x4."""
    texel = re.fullmatch(r"([a-z]+)(\d+)(?:x(\d))?", kind)
    if kind in ELEMENT:
        return ELEMENT[kind]
    return int(texel[2]) // 8 * int(texel[3] or 1) if texel else 1


def argument_bytes(arg, sizes):
    if arg["kind"] == "buffer":
        return evaluate(arg["count"], sizes) * bytes_of(arg["type"])
    if arg["kind"] == "tensor_map":
        return math.prod(evaluate(n, sizes) for n in arg["size"]) * bytes_of(arg["type"])
    if arg["kind"] in ("texture", "surface"):
        extents = (evaluate(arg.get(n, 1), sizes) for n in ("width", "height", "depth", "layers"))
        return math.prod(extents) * bytes_of(arg["format"])
    return 0


class Lists(unittest.TestCase):
    def setUp(self):
        self.lists = {n: tomllib.loads((KERNELS / n).read_text())["kernel"] for n in ("nvcc.toml", "triton.toml")}

    def each(self, *names):
        for name in names or self.lists:
            for kernel in self.lists[name]:
                path = KERNELS / (kernel["spec"] + ".kernel.toml")
                with self.subTest(f"{name} {kernel['name']}"):
                    yield kernel, path, tomllib.loads(path.read_text())

    def test_are_many_and_of_many_classes(self):
        ours = self.lists["nvcc.toml"]
        self.assertGreaterEqual(len(ours), 25)
        self.assertEqual(len({k["name"] for k in ours}), len(ours))
        self.assertEqual(len({k["spec"] for k in ours}), len(ours))
        wanted = {"elementwise", "reduction", "scan", "gemm", "stencil", "transpose", "histogram", "sparse", "conv", "nbody"}
        self.assertLessEqual(wanted, set(collections.Counter(k["class"] for k in ours)))

    def test_ptx_has_the_entry(self):
        for kernel, path, spec in self.each():
            text = (path.parent / kernel["ptx"]).read_text()
            self.assertIn(re.search(r"^\.target\s+(\w+)", text, re.M)[1], ("sm_90", "sm_90a"))
            self.assertRegex(text, rf"\.entry {kernel.get('entry', spec['entry'])}\(")

    def test_is_compiled_by_nvcc(self):
        for kernel, path, _ in self.each("nvcc.toml"):
            self.assertIn("NVIDIA NVVM Compiler", (path.parent / kernel["ptx"]).read_text()[:400])

    def test_sizes_are_those_of_the_spec_and_evaluate(self):
        for kernel, _, spec in self.each():
            self.assertEqual(set(kernel["set"]), set(spec["sizes"][0]) - {"kind"})
            for g in spec["launch"]["grid"]:
                self.assertGreater(evaluate(g, kernel["set"]), 0, g)
            taken = sum(argument_bytes(a, kernel["set"]) for a in spec["args"])
            self.assertTrue(0 < taken < MOST_BYTES, taken)
            for arg in spec["args"]:
                if arg["kind"] == "scalar" and re.search(r"[a-z]", str(arg["value"])) and "f" not in arg["type"]:
                    self.assertLess(evaluate(arg["value"], kernel["set"]), 1 << 31, arg["name"])

    def test_fills_the_gpu(self):
        for kernel, _, spec in self.each("nvcc.toml"):
            blocks = math.prod(evaluate(g, kernel["set"]) for g in spec["launch"]["grid"])
            self.assertGreaterEqual(blocks, MULTIPROCESSORS)

    def test_states_bytes_and_time(self):
        for kernel, _, spec in self.each("nvcc.toml"):
            self.assertEqual(kernel["bytes"], sum(argument_bytes(a, kernel["set"]) for a in spec["args"]))
            self.assertTrue(20 <= kernel["about_us"] <= 5000)

    def test_run(self):
        if not PROGRAM:
            self.skipTest("no program was given")
        for kernel, path, spec in self.each("nvcc.toml"):
            command = [PROGRAM, "run", str(path), "--ptx", str(path.parent / kernel["ptx"]), "--size", "0",
                       "--entry", kernel.get("entry", spec["entry"])]
            done = subprocess.run(command, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        PROGRAM = sys.argv.pop(1)
    unittest.main()
