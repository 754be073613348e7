"""tools/kernels/legality.py with scripts in the places of pitot and ptxas."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/kernels"))
import legality  # noqa: E402

PTX = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n\tret;\n}\n"

# `transform` appends the names of what it applies, `none` changes nothing; `check` says different where
# the second program has the word.
PITOT = """#!{python}
import json, sys
a = sys.argv
if a[1] == "transform" and "--list" in a:
    names = ["none", "ld_nc", "vec_ld", "wrong", "refuse", "cache_cs", "cache_cg"]
    print(json.dumps({{"actions": [{{"name": n, "group": n.split("_")[0], "exclusive": n.startswith("cache")}} for n in names]}}))
elif a[1] == "transform":
    names = a[a.index("--apply") + 1].split(",")
    text = open(a[a.index("--apply") + 2]).read()
    done = [n for n in names if n != "none"]
    open(a[a.index("-o") + 1], "w").write(text + "".join("// " + n + "\\n" for n in done))
    print(json.dumps({{"steps": [{{"action": n, "applied": n != "none", "declined": []}} for n in names]}}))
else:
    wrong = "wrong" in open(a[3]).read()
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


if __name__ == "__main__":
    unittest.main()
