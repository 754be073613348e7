"""tools/triton_variants.py without Triton: what it compiles, what it leaves for pitot, what it does again."""
import importlib.util
import json
import pathlib
import sys
import tempfile
import types
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
spec = importlib.util.spec_from_file_location("triton_variants", ROOT / "tools" / "triton_variants.py")
triton_variants = importlib.util.module_from_spec(spec)
spec.loader.exec_module(triton_variants)
sys.path.insert(0, str(ROOT / "tools" / "kernels"))
import triton_build  # noqa: E402


class Kernel:
    arg_names = ["x", "n", "BLOCK"]


class TritonVariants(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.directory = pathlib.Path(self.folder.name)
        self.addCleanup(self.folder.cleanup)
        self.template = self.directory / "k.variants.toml"
        (self.directory / "k.py").write_text("# kernel\n")
        self.table = {"source": "k.py", "entry": "k",
                      "triton": {"signature": {"x": "*fp32", "n": "i32"}, "divisible_by_16": ["n"]}}
        self.manifest = {"targets": ["sm_90"], "variants": [
            {"name": f"BLOCK{b}", "target": "sm_90", "status": "refused" if b == 7 else "listed",
             "parameters": {"BLOCK": b, "num_warps": 8, "enable_fp_fusion": 0}} for b in (64, 128, 7)]}
        self.calls = []
        self.replace(triton_build, "load_source", lambda kernels, path: {"k": Kernel})
        self.replace(triton_build, "neutral_library", lambda: None)
        self.replace(triton_build, "compile_apart", self.compile)
        sys.modules["triton"] = types.SimpleNamespace(__version__="0.0")
        self.addCleanup(sys.modules.pop, "triton")

    def replace(self, module, name, value):
        self.addCleanup(setattr, module, name, getattr(module, name))
        setattr(module, name, value)

    def compile(self, names, entry, build, variant, target):
        self.calls.append((build, variant, target))
        if variant["constants"]["BLOCK"] == 128:
            raise SystemExit("k for sm_90: the compiler failed: too large")
        return "ptx\n", {"num_warps": variant["num_warps"], "shared": 16}

    def run_all(self):
        return triton_variants.compile_all(self.template, self.table, self.manifest, self.directory)

    def test_compiles_what_no_constraint_refuses(self):
        self.assertEqual(self.run_all(), "triton 0.0")
        self.assertEqual([c[1]["constants"] for c in self.calls], [{"BLOCK": 64}, {"BLOCK": 128}])
        build, variant, target = self.calls[0]
        self.assertEqual(build, {"signature": {"x": "*fp32", "n": "i32"}})
        self.assertEqual((variant["num_warps"], variant["num_stages"]), (8, 3))
        self.assertEqual(variant["options"], {"enable_fp_fusion": 0})
        self.assertEqual(variant["divisible_by_16"], ["n"])
        self.assertEqual(target, "sm_90")
        facts = json.loads((self.directory / "BLOCK64.json").read_text())
        self.assertEqual((facts["num_warps"], facts["shared"]), (8, 16))
        self.assertEqual((self.directory / "BLOCK64.ptx").read_text(), "ptx\n")
        self.assertIn("too large", (self.directory / "BLOCK128.failed").read_text())
        self.assertFalse((self.directory / "BLOCK128.ptx").exists())

    def test_goes_on_where_it_was(self):
        self.run_all()
        self.calls.clear()
        self.run_all()
        self.assertEqual([c[1]["constants"]["BLOCK"] for c in self.calls], [128], "failures are tried again")
        (self.directory / "k.py").write_text("# another kernel\n")
        self.calls.clear()
        self.run_all()
        self.assertEqual(len(self.calls), 2)

    def test_names_have_the_target_where_there_are_several(self):
        self.manifest["targets"].append("sm_80")
        self.run_all()
        self.assertTrue((self.directory / "BLOCK64.sm_90.ptx").exists())

    def test_a_kernel_that_is_not_there(self):
        self.table["entry"] = "other"
        with self.assertRaises(SystemExit):
            self.run_all()


if __name__ == "__main__":
    unittest.main()
