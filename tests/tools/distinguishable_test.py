"""tools/kernels/distinguishable.py: code sections, which file of a source, the table."""

import pathlib
import struct
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/kernels"))
import distinguishable  # noqa: E402
from kernel_specs import Kernel  # noqa: E402


def cubin(sections):
    """A 64-bit ELF file with these sections: name → bytes."""
    names, offsets = b"\0", {}
    for name in [*sections, ".shstrtab"]:
        offsets[name] = len(names)
        names += name.encode() + b"\0"
    body, headers, at = b"", [struct.pack("<IIQQQQIIQQ", *[0] * 10)], 64
    for name, data in [*sections.items(), (".shstrtab", names)]:
        headers.append(struct.pack("<IIQQQQIIQQ", offsets[name], 1, 0, 0, at + len(body), len(data), 0, 0, 1, 0))
        body += data
    elf = bytearray(64)
    struct.pack_into("<Q", elf, 0x28, at + len(body))
    struct.pack_into("<HHH", elf, 0x3A, 64, len(headers), len(headers) - 1)
    return bytes(elf) + body + b"".join(headers)


class Distinguishable(unittest.TestCase):
    def test_code_is_the_kernels_section(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "k.cubin"
            path.write_bytes(cubin({".text.k": b"code", ".text.k2": b"other", ".nv.info": b"names"}))
            self.assertEqual(distinguishable.code_of(path, "k"), b"code")
            self.assertEqual(distinguishable.code_of(path, "k2"), b"other")
            self.assertIsNone(distinguishable.code_of(path, "none"))

    def test_one_file_of_a_source(self):
        files = [("k.sm80.ptx", "sm_80"), ("k.sm90.ptx", "sm_90"), ("k.sm100.ptx", "sm_100"), ("t.sm90a.ptx", "sm_90a"),
                 ("t.sm80.ptx", "sm_80"), ("u.sm100a.ptx", "sm_100a"), ("v.sm89.ptx", "sm_89")]
        kernels = [Kernel(f"a/{name}", "k", target, None) for name, target in files]
        chosen = distinguishable.one_file_a_source(kernels, "sm_90a")
        self.assertEqual({k.path for k in chosen}, {"a/k.sm90.ptx", "a/t.sm90a.ptx", "a/v.sm89.ptx"})

    def test_table(self):
        records = [
            {"kernel": "a#k", "alone": {"x": "code", "y": "ptx"}},
            {"kernel": "a#l", "alone": {"x": "ptx", "y": "nothing"}},
            {"kernel": "b#m", "alone": {"x": "code", "y": "nothing"}},
        ]
        text = distinguishable.table(records, ["x", "y"], lambda key: key[0], "alone")
        self.assertEqual(text.splitlines()[0], "| action | a (2) | b (1) | all |")
        self.assertEqual(text.splitlines()[2:], ["| `x` | 1/2 | 1/1 | 2/3 |", "| `y` | 0/1 | – | 0/1 |"])


if __name__ == "__main__":
    unittest.main()
