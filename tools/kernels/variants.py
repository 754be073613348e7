#!/usr/bin/env python3
"""Makes kernels/variants/: edits of compiled kernels whose change class is known by construction.

    python3 tools/kernels/variants.py

For each base kernel: `identical` (the same bytes), `renamed` (registers permuted and renamed, labels,
kernel and parameters renamed), `reordered` (two neighbouring independent instructions of different
opcodes swapped), `constants` (one immediate changed), `modifiers` (one rounding or
cache modifier changed) and `structural` (one arithmetic instruction added). ptxas checks each.
"""
import json
import random
import re
from pathlib import Path

import manifest
import ptxas_check

KERNELS = Path(__file__).resolve().parents[2] / "kernels"
OUT = KERNELS / "variants"
BASES = [
    "pairs/gelu/gelu_right.sm80.ptx",
    "pairs/softmax/softmax_right.sm90a.ptx",
    "pairs/rmsnorm/rmsnorm_right.sm75.ptx",
    "pairs/matmul/matmul_right.sm80.ptx",
    "pairs/flash_attention/flash_attention_right.M64N64D64.sm90a.ptx",
    "cuda/saxpy/saxpy.sm80.ptx",
    "cuda/layernorm/layernorm.sm90.ptx",
    "cuda/stencil_3d/stencil_3d.sm75.ptx",
    "cuda/f64_nbody/f64_nbody.sm80.ptx",
    "cuda/spmv_csr/spmv_csr.sm100.ptx",
]
REGISTER = re.compile(r"%[A-Za-z_]\w*")
INSTRUCTION = re.compile(r"^\t([a-z][\w.:]*)[ \t]+(.+);\s*(//.*)?$")
PURE = {"add", "sub", "mul", "mad", "fma", "shl", "shr", "and", "or", "xor", "neg", "abs", "min", "max",
        "cvt", "setp", "selp", "mov", "not", "ex2", "sqrt", "rcp"}


def ranged_registers(text):
    """Declared register ranges: prefix -> count."""
    return {m[1]: int(m[2]) for m in re.finditer(r"\.reg\s+\.\w+\s+%(\w+?)<(\d+)>", text)}


def renamed(text, entry, rng):
    """Permutes and renames ranged registers; renames labels, the kernel and its parameters."""
    ranges = ranged_registers(text)
    number = {}
    for prefix, count in ranges.items():
        order = list(range(1, count))
        rng.shuffle(order)
        number[prefix] = [0, *order]

    def register(match):
        parts = re.fullmatch(r"%([A-Za-z_]+)(\d+)", match[0])
        if not parts or parts[1] not in ranges:
            return match[0]
        return f"%x{parts[1]}{number[parts[1]][int(parts[2])]}"

    text = re.sub(r"(\.reg\s+\.\w+\s+)%(\w+?)<(\d+)>",
                  lambda m: f"{m[1]}%x{m[2]}<{m[3]}>", REGISTER.sub(register, text))
    text = re.sub(r"\$L__BB(\d+)_(\d+)", lambda m: f"$block_{m[1]}_{int(m[2]) + 100}", text)
    return re.sub(rf"\b{re.escape(entry)}", f"renamed_{entry}", text)


def parts_of(line):
    """(opcode, registers written, registers read) of a plain arithmetic line, else None."""
    match = INSTRUCTION.match(line)
    if not match or match[1].split(".")[0] not in PURE or "[" in match[2] or "{" in match[2]:
        return None
    if ".cc" in match[1] or match[1].startswith(("addc", "subc", "madc")):
        return None
    target, _, rest = match[2].partition(",")
    return match[1], set(REGISTER.findall(target)), set(REGISTER.findall(rest))


def inside_assembly(lines):
    """Line numbers between the marks of inline assembly, where order is the author's."""
    held, inside = set(), False
    for i, line in enumerate(lines):
        inside = inside or "begin inline asm" in line
        if inside:
            held.add(i)
        if "end inline asm" in line:
            inside = False
    return held


def middle(candidates):
    return candidates[len(candidates) // 2] if candidates else None


def reordered(text):
    lines = text.split("\n")
    assembly = inside_assembly(lines)
    found = []
    for i in range(len(lines) - 1):
        a, b = parts_of(lines[i]), parts_of(lines[i + 1])
        if not a or not b or a[0] == b[0] or i in assembly or i + 1 in assembly:
            continue
        if a[1] & (b[1] | b[2]) or b[1] & a[2]:
            continue
        found.append(i)
    at = middle(found)
    if at is None:
        return None
    lines[at], lines[at + 1] = lines[at + 1], lines[at]
    return "\n".join(lines)


def constants(text):
    found = [m for m in re.finditer(r"0f([0-9A-F]{8})\b|0d([0-9A-F]{16})\b", text)
             if set(m[1] or m[2]) != {"0"}]
    at = middle(found)
    if at is None:
        return integer_constant(text)
    # A high bit of the fraction: the value moves by a little and stays an ordinary number.
    digits = at[1] or at[2]
    place = 3 if at[1] else 5
    changed = digits[:place] + f"{int(digits[place], 16) ^ 1:X}" + digits[place + 1:]
    return text[:at.start()] + at[0][:2] + changed + text[at.end():]


def integer_constant(text):
    """Moves the bound of one integer comparison by one."""
    at = middle(list(re.finditer(r"(\tsetp\.\w+\.[su]32[^;]*, )(\d+);", text)))
    return at and f"{text[:at.start()]}{at[1]}{int(at[2]) + 1};{text[at.end():]}"


def modifiers(text):
    for pattern, new in ((r"\tfma\.rn\.f(32|64)", r"\tfma.rz.f\1"), (r"\tadd\.f32", r"\tadd.rz.f32"),
                         (r"\tmul\.f32", r"\tmul.rz.f32")):
        at = middle(list(re.finditer(pattern, text)))
        if at:
            return text[:at.start()] + at.expand(new) + text[at.end():]
    return None


def structural(text):
    """Doubles the result of one float operation by adding it to itself."""
    lines = text.split("\n")
    found = [i for i, line in enumerate(lines)
             if re.match(r"^\t(add|mul|fma|sub)[\w.]*\.f(32|64)[ \t]", line) and parts_of(line)]
    at = middle(found)
    if at is None:
        return None
    opcode, written, _ = parts_of(lines[at])
    register = written.pop()
    lines.insert(at + 1, f"\tadd.f{opcode[-2:]} \t{register}, {register}, {register};")
    return "\n".join(lines)


def main():
    for old in OUT.glob("*.ptx"):
        old.unlink()
    OUT.mkdir(exist_ok=True)
    held = json.loads((KERNELS / "manifest.json").read_text())["kernels"]
    bases = {e["file"]: e for e in held}
    entries = []
    for file in BASES:
        base = bases[file]
        text = (KERNELS / file).read_text()
        made = {
            "identical": text,
            "renamed": renamed(text, base["entries"][0], random.Random(file)),
            "reordered": reordered(text),
            "constants": constants(text),
            "modifiers": modifiers(text),
            "structural": structural(text),
        }
        for change, edited in made.items():
            if edited is None:
                print(f"{file}: no place for a {change} edit")
                continue
            path = OUT / f"{Path(file).stem}.{change}.ptx"
            path.write_text(edited)
            record = manifest.record(KERNELS, path, source=KERNELS / file, producer="variants.py",
                                     block=base["block"])
            entries.append(record | {"base": file, "class": change})
    ptxas_check.check(KERNELS, entries)
    manifest.replace(KERNELS, OUT, entries)
    print(f"variants: {len(entries)} files")


if __name__ == "__main__":
    main()
