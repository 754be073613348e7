#!/usr/bin/env python3
"""Compares rows of the instruction table with what ptxas accepts.

  isagen --dump isa/types.isa isa/tensor.isa … > table.json
  probe_tensor.py table.json [--only MNEMONIC] [--ptxas PATH] [--mutate] [--show N]

Every form is spelled with well-typed operands and offered at every `.version` and `.target` that ptxas knows;
acceptance must be what the row's requirements say. With --mutate, spellings and operands with one fault are
offered as well, at the newest version: left-out or foreign modifiers, other register types, other vector
lengths, a missing operand. Prints the disagreements and, last, the agreement. Exits 77 (skipped) without ptxas.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

# Targets and the first .version that knows them (PTX ISA, ".target").
TARGETS = {
    "sm_75": 63, "sm_80": 70, "sm_86": 71, "sm_87": 74, "sm_88": 90, "sm_89": 78, "sm_90": 78, "sm_90a": 80,
    "sm_100": 86, "sm_100a": 86, "sm_100f": 88, "sm_103": 88, "sm_103a": 88, "sm_103f": 88, "sm_110": 90,
    "sm_110a": 90, "sm_110f": 90, "sm_120": 87, "sm_120a": 87, "sm_120f": 88, "sm_121": 88, "sm_121a": 88,
    "sm_121f": 88}
VERSIONS = [63, 64, 65, 70, 71, 72, 73, 74, 75, 76, 77, 78, 80, 81, 82, 83, 84, 85, 86, 87, 88, 90]
FAMILIES = [(100, 103), (110,), (101,), (120, 121)]

# Registers declared in every probe: type → prefix.
REGISTERS = {
    "pred": "%p", "b8": "%xb", "b16": "%bh", "u16": "%uh", "s16": "%sh", "f16": "%hf", "b32": "%b", "u32": "%u",
    "s32": "%s", "f32": "%f", "f16x2": "%hh", "b64": "%bd", "u64": "%ud", "s64": "%sd", "f64": "%fd", "b128": "%bq"}
COUNT = 300
PROLOGUE = """.version {major}.{minor}
.target {target}{mode}
.address_size 64
.global .texref tex0;
.global .surfref srf0;
{sampler}
.extern .shared .align 1024 .b8 sm[];
.global .align 128 .b8 gm[1024];
.visible .entry k(.param .u64 p0, .param .align 128 .b8 pm[128])
{{
"""
SENTINEL = "mov.u32 %u0, no_such_symbol;\n"  # keeps ptxas from compiling: checks only, and much faster


def bits(type_name):
    if type_name == "pred":
        return 1
    if type_name == "tf32":
        return 32
    m = re.match(r"u?e\dm\d(?:x(\d))?$", type_name)
    if m:
        return 8 * int(m.group(1) or 1)
    m = re.match(r"[a-z]+?(\d+)(?:x(\d+))?$", type_name)
    return int(m.group(1)) * int(m.group(2) or 1) if m else 0


def compatible(register, spec):
    """Whether a register of one type may stand for an operand of another (PTX ISA, "Operand Types")."""
    if spec == "" or register == spec:
        return True
    if "pred" in (register, spec) or bits(register) != bits(spec):
        return False
    if register[0] == "b" and register[1].isdigit() or spec[0] == "b" and spec[1].isdigit():
        return True
    return register[0] in "us" and spec[0] in "us"


def satisfied(needs, version, target):
    if not needs:
        return True
    m = re.match(r"sm_(\d+)([af]?)$", target)
    sm, suffix = int(m.group(1)), m.group(2)
    for n in needs:
        if version < n["ptx"]:
            continue
        if n["suffix"] == "a":
            if suffix == "a" and sm == n["sm"]:
                return True
        elif n["suffix"] == "f":
            if suffix and sm >= n["sm"] and any(sm in f and n["sm"] in f for f in FAMILIES):
                return True
        elif sm >= n["sm"]:
            return True
    return False


class Operand:
    """One operand as spelled: kind (reg, int, float, address, special, sink), register type, element count."""

    def __init__(self, kind, type_name="", count=0, special="", negated=False, value=1):
        self.kind, self.type, self.count, self.special = kind, type_name, count, special
        self.negated, self.value = negated, value
        self.second = False  # d|p

    def text(self, first):
        def one(i):
            if self.kind == "reg":
                return ("!" if self.negated else "") + "%s%d" % (REGISTERS[self.type], first + i)
            return {"int": str(self.value), "float": "0f3F800000", "sink": "_"}.get(self.kind, "?")

        def coordinates():
            reg = REGISTERS[self.type]
            return "{" + ", ".join("%s%d" % (reg, i) for i in range(self.count)) + "}"

        if self.kind == "address":
            return "[%bd9]"
        if self.kind == "special":
            if self.special == "tmem":
                return "[%b9]"
            if self.special == "tensor":
                return "[%%bd9, %s]" % coordinates()
            if self.special == "tex":
                return "[tex0, %s]" % coordinates()
            if self.special in ("texq", "surfq"):
                return "[tex0]" if self.special == "texq" else "[srf0]"
            if self.special == "surf":
                return "[srf0, %s]" % coordinates()
            return "[%bd9]"
        if self.count:
            return "{" + ", ".join(one(i) for i in range(self.count)) + "}"
        return one(0)


def ranges(spec):
    """(first, last, step) of the constants that an operand may have; empty if the row does not say."""
    result = []
    for part in filter(None, spec["values"].split("|")):
        m = re.match(r"(-?\d+)(?:\.\.(-?\d+)(?:/(\d+))?)?$", part)
        result.append((int(m.group(1)), int(m.group(2) or m.group(1)), int(m.group(3) or 1)))
    return result


def value_allowed(spec, value):
    allowed = ranges(spec)
    return not allowed or any(a <= value <= b and (value - a) % step == 0 for a, b, step in allowed)


def default_operand(spec, types):
    cls = spec["class"]
    type_name = types[spec["variable"]] if spec["variable"] >= 0 else spec["type"]
    count = spec["count"][1] if "braced" in spec["flags"] else 0
    if cls == "kAddress":
        return Operand("address")
    if cls == "kSpecial" and spec["special"] == "sink":
        return Operand("sink")
    if cls == "kSpecial":
        reg = best_register(type_name) if type_name else "b32"
        return Operand("special", reg, spec["count"][1], spec["special"])
    if cls == "kConstant":
        return Operand("int", "", count, value=(ranges(spec) or [(1,)])[0][0])
    return Operand("reg", best_register(type_name), count)


def best_register(type_name):
    if type_name in REGISTERS:
        return type_name
    size = bits(type_name) if type_name else 32
    return {8: "b8", 16: "b16", 32: "b32", 64: "b64", 128: "b128"}.get(size, "b32")


def operand_fits(spec, types, operand):
    cls, flags = spec["class"], spec["flags"]
    if operand.second and "pred" not in flags:
        return False
    type_name = types[spec["variable"]] if spec["variable"] >= 0 else spec["type"]
    if cls == "kAddress":
        return operand.kind == "address" or operand.kind == "special" and operand.special == "tmem"
    if cls == "kSpecial" and spec["special"] == "sink":
        return operand.kind == "sink" and not operand.count
    if cls == "kSpecial":
        if operand.kind == "address":
            return spec["special"] == "tmem"
        return (operand.kind == "special" and operand.special == spec["special"] and
                spec["count"][0] <= max(operand.count, 1) <= spec["count"][1] and
                (not operand.count or not type_name or compatible(operand.type, type_name)))
    if operand.kind == "sink" and operand.count == 0:
        return "sink" in flags
    if "braced" in flags:
        if not spec["count"][0] <= operand.count <= spec["count"][1]:
            return False
    elif operand.count:
        return False
    if operand.negated and "neg" not in flags:
        return False
    if operand.kind == "reg":
        return cls in ("kSource", "kRegister") and compatible(operand.type, type_name)
    if operand.kind == "sink":
        return "sink" in flags
    if operand.kind == "int":
        if not value_allowed(spec, operand.value):
            return False
        return cls == "kConstant" or cls == "kSource" and type_name[:1] in ("u", "s", "b", "f", "p") and \
            not type_name.startswith(("f32", "f16"))
    if operand.kind == "float":
        return cls == "kSource" and type_name in ("f32", "f64", "b32")
    return False


class Table:
    def __init__(self, rows):
        self.by_name = collections.defaultdict(list)
        for row in rows:
            self.by_name[row["mnemonic"]].append(row)
        self.types = set(REGISTERS) | set(
            "b1 b4 u4 s4 u8 s8 bf16 tf32 bf16x2 e4m3 e5m2 e2m1 e2m3 e3m2 ue8m0 ue4m3 b8x16 b6x16_p32 b4x16_p64 "
            "f16x2 b6p2x16".split())

    def ordered(self, mod):
        if mod in self.types:
            return 1
        if mod in ("row", "col"):
            return 3
        return 2 if mod.split("::")[0] in ("shared", "global", "const", "local", "param") else 0

    def match(self, form, mods):
        """Slot choices (slot index → alternative) or None; mirrors match() of src/ptx/isa.cpp."""
        filled, types, needs = set(), [""] * 4, []
        leading = form["leading"]
        first = [leading] * 4

        def take(i, mod):
            found = [a for a in form["slots"][i]["alternatives"] if a[0] == mod]
            if i in filled or not found:
                return False
            filled.add(i)
            needs.append(found[0][1])
            if form["slots"][i]["variable"] >= 0:
                types[form["slots"][i]["variable"]] = mod
            return True

        rest = list(mods)
        for i in range(leading):
            if rest and take(i, rest[0]):
                rest.pop(0)
            elif not form["slots"][i]["optional"]:
                return None
        for mod in rest:
            order = self.ordered(mod)
            for i in range(first[order], len(form["slots"])):
                if take(i, mod):
                    if order:
                        first[order] = i + 1
                    break
            else:
                return None
        if any(not s["optional"] and i not in filled for i, s in enumerate(form["slots"])):
            return None
        return types, needs

    def vector(self, mods):
        return next((int(m[1:]) for m in mods if m in ("v2", "v4", "v8", "v16")), 0)

    def specs(self, form, mods):
        """Operand lists that the form allows with these modifiers: optional ones in and out."""
        specs = [o for o in form["operands"] if not o["when"] or o["when"] in mods]
        n = self.vector(mods)
        full = []
        for o in specs:
            if "by_vector" in o["flags"]:
                o = dict(o, count=[n, n], flags=o["flags"] + (["braced"] if n else []))
            full.append(o)
        lists = [full]
        while lists[-1] and "optional" in lists[-1][-1]["flags"]:
            lists.append(lists[-1][:-1])
        for drop in [i for i, o in enumerate(full) if "optional" in o["flags"] and i + 1 < len(full)]:
            lists.append(full[:drop] + full[drop + 1:])
        return lists

    def accepts(self, name, mods, operands):
        """Requirement lists of all forms that fit: any list whose members all hold makes the line legal."""
        ways = []
        for form in self.by_name[name]:
            matched = self.match(form, mods)
            if not matched:
                continue
            types, needs = matched
            for specs in self.specs(form, mods):
                if len(specs) == len(operands) and all(
                        operand_fits(s, types, o) for s, o in zip(specs, operands)):
                    ways.append(([form["requirement"]] + needs, form["unless"]))
                    break
        return ways


def legal(ways, version, target):
    return any(all(satisfied(n, version, target) for n in needs) and
               not (unless and satisfied(unless, version, target)) for needs, unless in ways)


class Line:
    def __init__(self, name, mods, operands):
        self.name, self.mods, self.operands = name, mods, operands

    def text(self):
        spelled = ".".join([self.name] + self.mods)
        parts, first = [], 1
        for o in self.operands:
            parts.append(o.text(first) + ("|%p4" if o.second else ""))
            first += 0 if o.count > 8 else o.count or 1
        text = spelled + " " + ", ".join(parts) + ";"
        if "force_unnormalized_coords" in self.mods:  # of a sampler, which the default mode has none of
            text = text.replace("[tex0]", "[%bd9]")
        if any(m in ("a1d", "a2d", "acube", "a2dms") for m in self.mods):  # the layer
            text = re.sub(r"\[(tex0|srf0), \{%[a-z]+", r"[\1, {%u", text, count=1)
        return text


class Ptxas:
    def __init__(self, path):
        self.path = path
        self.dir = tempfile.mkdtemp(prefix="probe")

    def close(self):
        shutil.rmtree(self.dir, ignore_errors=True)

    def rejected(self, lines, version, target, mode=""):
        """Indices of rejected lines → message. Syntax errors stop ptxas, so the rest is tried again."""
        bad, live = {}, list(range(len(lines)))
        with tempfile.NamedTemporaryFile("w", suffix=".ptx", dir=self.dir, delete=False) as f:
            path = f.name
        while live:
            head = PROLOGUE.format(major=version // 10, minor=version % 10, target=target, mode=mode,
                                   sampler=".global .samplerref smp0;" if mode else "")
            for reg, prefix in REGISTERS.items():
                if reg != "b128" or version >= 83:
                    head += ".reg .%s %s<%d>;\n" % (reg, prefix, COUNT)
            with open(path, "w") as f:
                f.write(head + "".join(lines[i] + "\n" for i in live) + SENTINEL + "ret;\n}\n")
            out = subprocess.run([self.path, "-arch=" + target, "-c", "-o", "/dev/null", path], text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False).stdout
            first = head.count("\n") + 1
            found = {}
            for m in re.finditer(r"\.ptx, line (\d+); (?:error|fatal)\s*: (.*)", out):
                if 0 <= int(m.group(1)) - first < len(live):
                    found.setdefault(live[int(m.group(1)) - first], m.group(2))
            bad.update(found)
            if "no_such_symbol" in out:
                break
            if not found:
                if len(live) == 1:
                    bad[live[0]] = "ptxas stopped: " + out[:80]
                    break
                for half in (live[:len(live) // 2], live[len(live) // 2:]):
                    sub = self.rejected([lines[i] for i in half], version, target, mode)
                    bad.update({half[j]: message for j, message in sub.items()})
                break
            live = [i for i in live if i not in found]
        os.unlink(path)
        return bad


def spellings(form, rng, extra):
    """Modifier lists that use every alternative of every slot at least once."""
    def spell(choice):
        return [form["slots"][i]["alternatives"][c][0] for i, c in enumerate(choice) if c is not None]

    sizes = [len(s["alternatives"]) for s in form["slots"]]
    base = [None if s["optional"] else 0 for s in form["slots"]]
    seen = {tuple(base)}
    for i, size in enumerate(sizes):
        for c in range(size):
            seen.add(tuple(base[:i] + [c] + base[i + 1:]))
    for _ in range(extra):
        seen.add(tuple(rng.choice(([None] if s["optional"] else []) + list(range(n)))
                       for s, n in zip(form["slots"], sizes)))
    return [spell(c) for c in sorted(seen, key=str)]


def lines_of(table, names, rng, extra):
    lines = {}
    for name in names:
        for form in table.by_name[name]:
            for mods in spellings(form, rng, extra):
                matched = table.match(form, mods)
                if matched is None:
                    continue
                for specs in table.specs(form, mods):
                    line = Line(name, mods, [default_operand(s, matched[0]) for s in specs])
                    lines.setdefault(line.text(), line)
                    if any("pred" in s["flags"] for s in specs):
                        line = Line(name, mods, [default_operand(s, matched[0]) for s in specs])
                        for operand, s in zip(line.operands, specs):
                            operand.second = "pred" in s["flags"]
                        lines.setdefault(line.text(), line)
    return list(lines.values())


def mutations(table, lines, rng, limit):
    result = {}

    def add(line):
        result.setdefault(line.text(), line)

    foreign = collections.defaultdict(set)
    for line in lines:
        foreign[line.name].update(line.mods)
    for line in lines if len(lines) <= limit else rng.sample(lines, limit):
        for i in range(len(line.mods)):
            add(Line(line.name, line.mods[:i] + line.mods[i + 1:], line.operands))
        for _ in range(2):
            i, j = rng.randrange(len(line.mods)), rng.randrange(len(line.mods))
            moved = line.mods[:i] + line.mods[i + 1:]
            add(Line(line.name, moved[:j] + [line.mods[i]] + moved[j:], line.operands))
        pool = sorted(foreign[line.name])
        for _ in range(6):
            i = rng.randrange(len(line.mods) + 1)
            mod = rng.choice(pool)
            if mod in line.mods:
                continue  # ptxas ignores most repetitions
            replace = i < len(line.mods) and (mod in table.types) == (line.mods[i] in table.types)
            if replace or mod not in table.types:  # and types beyond those that it looks for
                add(Line(line.name, line.mods[:i] + [mod] + line.mods[i + replace:], line.operands))
        for i, operand in enumerate(line.operands):
            def swap(other):
                add(Line(line.name, line.mods, line.operands[:i] + [other] + line.operands[i + 1:]))
            if operand.kind in ("reg", "int"):
                for reg in REGISTERS:
                    # ptxas takes a predicate for many an untyped 32-bit operand; the table does not.
                    if reg != "b128" and (reg != "pred" or operand.type == "pred"):
                        swap(Operand("reg", reg, operand.count))
                for value in (-1, 0, 1, 2, 3, 4, 7, 8, 16, 24, 32, 256, 512) if operand.kind == "int" else (1,):
                    swap(Operand("int", "", operand.count, value=value))
                if operand.count:
                    swap(Operand(operand.kind, operand.type, operand.count * 2))
                    if operand.count > 1:
                        swap(Operand(operand.kind, operand.type, operand.count // 2))
                    else:
                        swap(Operand(operand.kind, operand.type, 0))
                else:
                    swap(Operand(operand.kind, operand.type, 1))
                    swap(Operand("sink"))
            if operand.kind == "special" and operand.special not in ("tmem", "texq", "surfq") and operand.count:
                for count in range(1, 6):
                    swap(Operand("special", operand.type, count, operand.special))
                for reg in ("u32", "s32", "f32", "b32", "b16", "b64", "s64"):
                    swap(Operand("special", reg, operand.count, operand.special))
            add(Line(line.name, line.mods, line.operands[:i] + line.operands[i + 1:]))
        add(Line(line.name, line.mods, line.operands + [Operand("reg", "b32")]))
        add(Line(line.name, line.mods, line.operands + [Operand("reg", "b64")]))
    known = {line.text() for line in lines}
    return [line for text, line in result.items() if text not in known]


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("table")
    ap.add_argument("--only", action="append", help="a mnemonic, or mnemonic.modifier")
    ap.add_argument("--ptxas", default=shutil.which("ptxas") or "/usr/local/cuda/bin/ptxas")
    ap.add_argument("--mutate", action="store_true")
    ap.add_argument("--show", type=int, default=40)
    ap.add_argument("--extra", type=int, default=4, help="random spellings a form")
    ap.add_argument("--limit", type=int, default=300, help="lines that are mutated")
    ap.add_argument("--seed", type=int, default=1)
    args = ap.parse_args()
    if not os.path.exists(args.ptxas):
        print("skipped: no ptxas")
        return 77
    with open(args.table) as f:
        rows = json.load(f)
    rng = random.Random(args.seed)
    table = Table(rows)
    names = sorted({o.split(".")[0] for o in args.only} if args.only else table.by_name)
    lines = lines_of(table, names, rng, args.extra)
    if args.only:
        wanted = [set(o.split(".")[1:]) for o in args.only]
        lines = [l for l in lines if any(w <= set(l.mods) for w in wanted)]
    total = wrong = 0
    misses = collections.OrderedDict()

    def judge(line, ways, version, target, message):
        nonlocal total, wrong
        expected = legal(ways, version, target)
        total += 1
        if expected != (message is None):
            wrong += 1
            misses.setdefault(("too strict" if message is None else "too lax", line.text()), []).append(
                ("%s@%d.%d" % (target, version // 10, version % 10), message or ""))

    ptxas = Ptxas(args.ptxas)
    try:
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            grid = [(v, t) for t, low in TARGETS.items() for v in VERSIONS if v >= low]
            texts = [line.text() for line in lines]
            ways = [table.accepts(l.name, l.mods, l.operands) for l in lines]
            for (v, t), bad in zip(grid, pool.map(lambda p: ptxas.rejected(texts, *p), grid)):
                for i, line in enumerate(lines):
                    judge(line, ways[i], v, t, bad.get(i))
            if args.mutate:
                mutants = mutations(table, lines, rng, args.limit)
                texts = [line.text() for line in mutants]
                ways = [table.accepts(l.name, l.mods, l.operands) for l in mutants]
                grid = [(90, t) for t in ("sm_80", "sm_90a", "sm_100a", "sm_120a")]
                for (v, t), bad in zip(grid, pool.map(lambda p: ptxas.rejected(texts, *p), grid)):
                    for i, line in enumerate(mutants):
                        judge(line, ways[i], v, t, bad.get(i))
    finally:
        ptxas.close()
    shown = 0
    for (what, text), where in misses.items():
        shown += 1
        if shown > args.show:
            print("… and %d more" % (len(misses) - args.show))
            break
        print("%s: %s\n    at %s  %s" % (what, text, " ".join(w for w, _ in where[:8]), where[0][1]))
    print("%d lines, %d judgements, %d disagreements on %d lines, agreement %.3f %%" %
          (len(lines), total, wrong, len(misses), 100.0 * (total - wrong) / max(total, 1)))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
