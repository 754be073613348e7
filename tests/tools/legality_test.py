"""tools/kernels/legality.py with scripts in the places of pitot and ptxas."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import tomllib
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/kernels"))
import kernel_specs  # noqa: E402
import legality  # noqa: E402

PTX = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n\tret;\n}\n"

# `transform` appends the names of what it applies, `none` changes nothing; `check` says different where
# the second program has the word.
PITOT = """#!{python}
import json, sys
a = sys.argv
if a[1] == "transform" and "--list" in a:
    names = ["none", "ld_nc", "vec_ld", "wrong", "refuse", "cache_cs", "cache_cg", "fma_contract"]
    print(json.dumps({{"actions": [{{"name": n, "group": n.split("_")[0], "exclusive": n.startswith("cache")}} for n in names]}}))
elif a[1] == "transform":
    names = a[a.index("--apply") + 1].split(",")
    text = open(a[a.index("--apply") + 2]).read()
    done = [n for n in names if n != "none"]
    open(a[a.index("-o") + 1], "w").write(text + "".join("// " + n + "\\n" for n in done))
    print(json.dumps({{"steps": [{{"action": n, "applied": n != "none", "declined": []}} for n in names]}}))
else:
    text = open(a[3]).read()
    wrong = "wrong" in text or "fma_contract" in text
    open({log!r}, "a").write("x")
    print(json.dumps({{"verdict": "different" if wrong else "same", "reasons": [], "bits_equal": not wrong}}))
"""
PTXAS = """#!{python}
import sys
if "refuse" in open(sys.argv[-1]).read():
    sys.exit("ptxas fatal: refused")
"""


class Legality(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.at = pathlib.Path(self.folder.name)
        (self.at / "kernels").mkdir()
        (self.at / "kernels/k.ptx").write_text(PTX)
        self.log = self.at / "checks"
        for name, text in (("pitot", PITOT), ("ptxas", PTXAS)):
            script = self.at / name
            script.write_text(text.format(python=sys.executable, log=str(self.log)))
            os.chmod(script, 0o755)

    def run_tool(self, actions, *more):
        command = [sys.executable, str(ROOT / "tools/kernels/legality.py"), str(self.at / "kernels")]
        for option in ("pitot", "ptxas"):
            command += [f"--{option}", str(self.at / option)]
        command += ["--actions", actions, "--out", str(self.at / "out.jsonl"), *more]
        return subprocess.run(command, capture_output=True, text=True)

    def records(self):
        return [json.loads(line) for line in (self.at / "out.jsonl").read_text().splitlines()]

    def test_same(self):
        p = self.run_tool("none,ld_nc", "--sequences", "0")
        self.assertEqual(p.returncode, 0, p.stderr)
        self.assertEqual([r["result"] for r in self.records()], ["unchanged", "same"])

    def test_different_and_refused(self):
        p = self.run_tool("wrong", "--sequences", "0")
        self.assertEqual((p.returncode, self.records()[0]["result"]), (1, "different"))
        p = self.run_tool("refuse", "--sequences", "0")
        self.assertEqual((p.returncode, self.records()[1]["result"]), (1, "refused"))
        self.assertIn("ptxas fatal: refused", p.stdout)

    def test_what_the_contraction_alone_does_is_rounding(self):
        p = self.run_tool("fma_contract,ld_nc", "--sequences", "1")
        self.assertEqual(p.returncode, 0, p.stdout)
        self.assertEqual({r["sequence"]: r["result"] for r in self.records()}["fma_contract"], "rounded")
        p = self.run_tool("fma_contract,wrong", "--sequences", "2")
        mixed = [r for r in self.records() if {"fma_contract", "wrong"} <= set(r["sequence"].split(","))]
        self.assertEqual({r["result"] for r in mixed}, {"different"})

    def test_goes_on_where_it_was(self):
        self.run_tool("none,ld_nc", "--sequences", "0")
        out = self.at / "out.jsonl"
        out.write_text(out.read_text() + '{"kernel": "half')
        self.run_tool("none,ld_nc,vec_ld", "--sequences", "0")
        self.assertEqual(len(self.records()), 3)
        self.assertEqual(len(self.log.read_text()), 2)

    def test_sequences(self):
        groups = legality.catalogue(str(self.at / "pitot"))
        self.assertEqual((groups["cache_cs"], groups["cache_cg"], groups["vec_ld"]), ("cache", "cache", "vec_ld"))
        drawn = legality.sequences(groups, "k", 40, 6, "1")
        self.assertEqual(drawn, legality.sequences(groups, "k", 40, 6, "1"))
        self.assertNotEqual(drawn, legality.sequences(groups, "k", 40, 6, "2"))
        self.assertEqual(drawn[: len(groups)], [(a,) for a in groups])
        for s in drawn[len(groups) :]:
            self.assertTrue(2 <= len(s) <= 6)
            taken = [groups[a] for a in s]
            self.assertEqual(len(taken), len(set(taken)), s)


SPEC = """schema = "pitot.kernel/1"
ptx = "{ptx}"
entry = "{entry}"

[[sizes]]
kind = "full"
n = 64
m = 10

[[sizes]]
kind = "boundary"
n = 96
m = 7

[[args]]
name = "x"

[tolerance]
rtol = 0.1
atol = 0.0
"""


class Specs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.at = pathlib.Path(folder.name)

    def write(self, name, text):
        path = self.at / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        return path

    def found(self, name, entry):
        specs = kernel_specs.Specs([self.at])
        path = self.write(name, f".version 8.0\n.target sm_80\n.visible .entry {entry}()\n")
        return specs.of(path, entry)

    def test_one_serves_all_targets_and_both_of_a_pair(self):
        spec = self.write("a/k.w4.kernel.toml", SPEC.format(ptx="k_right.w4.sm80.ptx", entry="k_right"))
        for name in ("k_right.w4.sm80.ptx", "k_right.w4.sm90a.ptx"):
            self.assertEqual(self.found(f"a/{name}", "k_right"), str(spec))
        self.assertEqual(self.found("a/k_wrong.w4.sm90a.ptx", "k_wrong"), str(spec))
        self.assertIsNone(self.found("a/k_right.w8.sm80.ptx", "k_right"))
        self.assertIsNone(self.found("a/k_right.w4.sm80.ptx", "other"))
        self.assertIsNone(self.found("b/k_right.w4.sm80.ptx", "k_right"))

    def test_of_before_and_after_each_has_its_own_if_there_are_two(self):
        before = self.write("a/b.kernel.toml", SPEC.format(ptx="before.sm90.ptx", entry="k"))
        self.assertEqual(self.found("a/after.sm75.ptx", "k"), str(before))
        after = self.write("a/c.kernel.toml", SPEC.format(ptx="after.sm90.ptx", entry="k"))
        self.assertEqual(self.found("a/after.sm75.ptx", "k"), str(after))
        self.assertEqual(self.found("a/before.sm75.ptx", "k"), str(before))

    def test_edits_have_the_spec_of_what_they_are_edits_of(self):
        spec = self.write("a/k.kernel.toml", SPEC.format(ptx="k.sm80.ptx", entry="k"))
        record = {"file": "variants/k.sm80.renamed.ptx", "base": "a/k.sm80.ptx"}
        self.write("manifest.json", json.dumps({"kernels": [record]}))
        self.assertEqual(self.found("variants/k.sm80.renamed.ptx", "renamed_k"), str(spec))

    def test_more_sizes_keep_what_all_are_multiples_of(self):
        spec = self.write("a/k.kernel.toml", SPEC.format(ptx="k.sm80.ptx", entry="k"))
        sizes = kernel_specs.more_sizes(spec, 40, "seed")
        self.assertGreater(len(sizes), 20)
        self.assertEqual(sizes, kernel_specs.more_sizes(spec, 40, "seed"))
        self.assertTrue(all(s["n"] % 32 == 0 and s["n"] <= 200 and 0 <= s["m"] <= 20 for s in sizes))
        text = kernel_specs.with_sizes(spec, sizes[:3])
        written = tomllib.loads(text)
        self.assertEqual(written["sizes"][2:], [{"kind": "boundary", **s} for s in sizes[:3]])
        self.assertEqual(written["ptx"], str((self.at / "a/k.sm80.ptx").resolve()))
        self.assertIn("uniform(-200000, 200000)", kernel_specs.other_values('init = "normal"'))
        loose = tomllib.loads(kernel_specs.without_tolerance(spec))
        self.assertNotIn("tolerance", loose)
        self.assertEqual(len(loose["args"]), 1)


if __name__ == "__main__":
    unittest.main()
