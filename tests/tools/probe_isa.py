#!/usr/bin/env python3
"""Compares the instruction table with ptxas: which spellings does each accept, for which targets?

For every form of the table it makes spellings (each alternative of each slot, pairs of them) and
illegal neighbours (one modifier dropped, replaced or added), gives them well-typed operands, lets
ptxas parse hundreds of them at a time (one kernel each), and prints where the two disagree.

  probe_isa.py BUILD_DIR [--only REGEX] [--configs 90:sm_90,90:sm_100a] [--limit N] [--neighbours N]
               [--versions] [--show N] [--examples N] [--seed N]
"""
import argparse
import collections
import itertools
import json
import os
import random
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BITS = {"pred": 1, "b1": 1, "b4": 4, "f16": 16, "bf16": 16, "tf32": 32, "f32x2": 64}
# The newest target that each .version from then on knows; versions in between inherit.
NEWEST = {10: "sm_10", 11: "sm_11", 12: "sm_13", 13: "sm_13", 14: "sm_13", 15: "sm_13",
          20: "sm_20", 21: "sm_20", 22: "sm_20", 23: "sm_20", 30: "sm_30", 31: "sm_35", 32: "sm_35", 40: "sm_50", 41: "sm_52",
          42: "sm_53", 43: "sm_53", 50: "sm_61", 60: "sm_70", 61: "sm_72", 62: "sm_72", 63: "sm_75",
          64: "sm_75", 65: "sm_75", 70: "sm_80", 71: "sm_86", 72: "sm_86", 73: "sm_86",
          74: "sm_87", 75: "sm_87", 76: "sm_87", 77: "sm_87", 78: "sm_90", 80: "sm_90a",
          81: "sm_90a", 82: "sm_90a", 83: "sm_90a", 84: "sm_90a", 85: "sm_90a", 86: "sm_100a",
          87: "sm_100a", 88: "sm_100a", 90: "sm_100a"}


def bits(type_name):
    """Width of a type, from its name."""
    if type_name in BITS:
        return BITS[type_name]
    match = re.fullmatch(r"(?:b|u|s|f)(\d+)(?:x(\d))?", type_name)
    if match:
        return int(match.group(1)) * int(match.group(2) or 1)
    packed = re.fullmatch(r"(?:ue|e|s)\d[mf]\d(?:x(\d))?", type_name)
    if packed:
        count = int(packed.group(1) or 1)
        return count * (4 if type_name.startswith("e2m1") else 8)
    return 32


class Registers:
    """Hands out registers of one kernel by width."""

    def __init__(self, second_pred=False):
        self.used = collections.Counter()
        self.second_pred = second_pred

    def new(self, width):
        name = {1: "%p", 8: "%c", 16: "%h", 32: "%r", 64: "%d", 128: "%q"}[width]
        self.used[name] += 1
        return f"{name}{self.used[name] - 1}"

    def declarations(self):
        types = {"%p": "pred", "%c": "b8", "%h": "b16", "%r": "b32", "%d": "b64", "%q": "b128"}
        return "".join(f".reg .{types[n]} {n}<{c}>;" for n, c in sorted(self.used.items()))


def register_width(type_name, wide, doubled):
    if type_name == "":
        return 32
    width = bits(type_name) * (2 if doubled else 1)
    if width < 8 and width != 1:
        width = 8
    if width == 8 and wide:
        width = 16
    return width


CONSTANTS = {"applypriority": "128", "discard": "128", "setmaxnreg": "64", "fence": "128",
             "alloca": "8", "wgmma": "1", "tcgen05": "1"}


def special_operand(operand, regs, types):
    """Text of an operand whose shape only the verifier knows."""
    name, count = operand["special"], operand["count"][0]
    element = operand["type"] or (types[operand["variable"]] if operand["variable"] >= 0 else "b32")
    coords = [regs.new(register_width(element, False, False)) for _ in range(count)]
    vector = "{" + ", ".join(coords) + "}"
    if name == "targets":
        return "TS"
    if name == "call":
        return "F"
    if name == "tensor":
        return f"[{regs.new(64)}, {vector}]"
    if name == "tex":
        return f"[{regs.new(64)}, {vector}]"
    if name == "surf":
        return f"[{regs.new(64)}, {vector}]"
    if name == "tmem":
        return f"[{regs.new(32)}]"
    if name == "desc":
        return regs.new(64)
    return None


def operand_text(operand, regs, types, mods, mnemonic):
    """One operand in PTX, or None if this tool cannot make it."""
    flags = operand["flags"]
    if operand["special"]:
        return special_operand(operand, regs, types)
    kind = operand["class"]
    type_name = operand["type"]
    if operand["variable"] >= 0:
        type_name = types[operand["variable"]] or "b32"
    if kind == "kAddress":
        if mnemonic != "st" and ("param" in mods or "param::entry" in mods):
            return "[P]"
        if "param::func" in mods or "param" in mods:
            return "[V]"
        return f"[{regs.new(64)}]"
    if kind == "kLabel":
        return "L"
    if kind == "kSymbol":
        return "G"
    if kind == "kFunction":
        return "F"
    if kind == "kConstant":
        return CONSTANTS.get(mnemonic, "1")
    width = register_width(type_name, "wide" in flags, "doubled" in flags)
    count = operand["count"][0]
    if "by_vector" in flags:
        count = next((int(m[1:]) for m in mods if re.fullmatch(r"v\d+", m)), 0)
    elif "braced" not in flags:
        count = 0
    if count:
        return "{" + ", ".join(regs.new(width) for _ in range(count)) + "}"
    text = regs.new(width)
    if "pred_required" in flags or ("pred" in flags and regs.second_pred):
        text += "|" + regs.new(1)
    return text


def operand_key(form, types, mods):
    """What distinguishes two operand lists."""
    key = []
    for o in form["operands"]:
        if o["when"] and o["when"] not in mods:
            continue
        type_name = types[o["variable"]] if o["variable"] >= 0 else o["type"]
        key.append((o["class"], o["access"], o["special"],
                    register_width(type_name, "wide" in o["flags"], "doubled" in o["flags"]),
                    tuple(o["count"]), "optional" in o["flags"]))
    return tuple(key)


def bind(form, mods, type_names):
    """Types of T, U, V, W; the first free slot takes a modifier, types from left to right."""
    types = ["", "", "", ""]
    filled = set()
    last = -1
    mods = list(mods)
    for i, slot in enumerate(form["slots"][:form["leading"]]):
        filled.add(i)
        if mods and any(a[0] == mods[0] for a in slot["alternatives"]):
            if slot["variable"] >= 0:
                types[slot["variable"]] = mods[0]
            mods = mods[1:]
    for mod in mods:
        for i, slot in enumerate(form["slots"]):
            if i in filled or (mod in type_names and i <= last):
                continue
            if any(a[0] == mod for a in slot["alternatives"]):
                filled.add(i)
                if mod in type_names:
                    last = i
                if slot["variable"] >= 0:
                    types[slot["variable"]] = mod
                break
    return types


def kernel(form, spelling, types, with_optional):
    """Body of a kernel with that one instruction, or None."""
    mnemonic, *mods = spelling.split(".")
    regs = Registers(second_pred=with_optional)
    texts = []
    for operand in form["operands"]:
        if operand["when"] and operand["when"] not in mods:
            continue
        if "optional" in operand["flags"] and not with_optional:
            continue
        text = operand_text(operand, regs, types, mods, mnemonic)
        if text is None:
            return None
        texts.append(text)
    extra = ".param .b64 V;" if "[V]" in texts else ""
    targets = "TS: .branchtargets L;" if "TS" in texts else ""
    return (f"{{{regs.declarations()}{extra}{targets}{spelling} {', '.join(texts)}; L: ret;}}",
            f"{spelling} {', '.join(texts)}")


def spellings(form, limit, rng):
    """Legal modifier lists of a form: every alternative and, as far as `limit` goes, pairs of them."""
    slots = form["slots"]
    choices = [[a[0] for a in s["alternatives"]] + ([None] if s["optional"] else []) for s in slots]
    total = 1
    for c in choices:
        total *= len(c)
    if total <= limit:
        return [tuple(m for m in combo if m) for combo in itertools.product(*choices)]
    wanted = {((i, a), (j, b)) for i, j in itertools.combinations(range(len(choices)), 2)
              for a in choices[i] for b in choices[j]}
    found = []
    while wanted and len(found) < limit:
        best, best_new = None, -1
        for _ in range(12):
            combo = [rng.choice(c) for c in choices]
            (i, a), (j, b) = rng.choice(tuple(wanted)) if _ < 6 else next(iter(wanted))
            combo[i], combo[j] = a, b
            new = sum(1 for p in itertools.combinations(enumerate(combo), 2) if p in wanted)
            if new > best_new:
                best, best_new = combo, new
        for pair in itertools.combinations(enumerate(best), 2):
            wanted.discard(pair)
        found.append(tuple(m for m in best if m))
    return list(dict.fromkeys(found))


def neighbours(mods, vocabulary, foreign, count, rng):
    """Spellings one edit away, a few of them with modifiers of other instructions."""
    edits = set()
    vocabulary = vocabulary + rng.sample(foreign, min(len(vocabulary) // 3 + 2, len(foreign)))
    for i in range(len(mods)):
        edits.add(mods[:i] + mods[i + 1:])
        for other in vocabulary:
            edits.add(mods[:i] + (other,) + mods[i + 1:])
        rest = mods[:i] + mods[i + 1:]
        for j in range(len(mods)):
            edits.add(rest[:j] + (mods[i],) + rest[j:])
    for other in vocabulary:
        for i in (0, len(mods)):
            edits.add(mods[:i] + (other,) + mods[i:])
    edits.discard(mods)
    return rng.sample(sorted(edits), min(count, len(edits)))


class Ptxas:
    """Verdicts of ptxas for many one-instruction kernels; None when ptxas could not be asked."""

    def __init__(self, workdir):
        self.path = os.path.join(workdir, "probe.ptx")
        self.runs = 0

    def verdicts(self, bodies, config, batch=400):
        result = {}
        for start in range(0, len(bodies), batch):
            self.batch(list(range(start, min(start + batch, len(bodies)))), bodies, config, result)
        return [result[i] for i in range(len(bodies))]

    def batch(self, todo, bodies, config, result):
        version, target = config.split(":")
        version = int(version)
        head = f".version {version // 10}.{version % 10} .target {target} "
        if version >= 23:
            head += ".address_size 64 "
        head += ".global .align 128 .b8 G[256]; .func F {ret;}\n"
        arch = target.replace("sm_", "compute_")
        if target[-1].isdigit() and int(target[3:]) < 75:
            arch = "compute_75"
        while todo:
            with open(self.path, "w") as f:
                f.write(head)
                for i in todo:
                    parameters = "" if version < 14 else "(.param .b64 P)"
                    f.write(f".entry k{i}{parameters}{bodies[i]}\n")
            run = subprocess.run(["ptxas", f"-arch={arch}", self.path, "-o", "/dev/null"],
                                 capture_output=True, text=True, check=False)
            self.runs += 1
            if run.returncode not in (0, 255):
                if len(todo) == 1:
                    result[todo[0]] = f"ptxas died ({run.returncode})"
                    return
                for half in (todo[:len(todo) // 2], todo[len(todo) // 2:]):
                    self.batch(half, bodies, config, result)
                return
            fatal = None
            for line in (run.stdout + run.stderr).splitlines():
                match = re.search(r"line (\d+); (error|fatal)\s*: (.*)", line)
                if match and int(match.group(1)) >= 2:
                    index = todo[min(int(match.group(1)) - 2, len(todo) - 1)]
                    result.setdefault(index, match.group(3))
                    if match.group(2) == "fatal":
                        fatal = index
                elif "ptxas" in line and ("error" in line or "fatal" in line) and \
                        "aborted due to errors" not in line:
                    sys.exit(f"ptxas: {line} (config {config})")
            if fatal is None:
                for i in todo:
                    result.setdefault(i, "")
                return
            position = todo.index(fatal)
            # Errors before the fatal one are final; the rest has not been looked at.
            todo = [i for n, i in enumerate(todo) if i not in result and n != position]


def ignored_modifiers(names, vocabulary, ptxas):
    """Modifiers that ptxas takes on any instruction and ignores. The table does not follow it there."""
    taken = set()
    for instruction in ("abs.f32.{} %r0, %r1", "clz.b32.{} %r0, %r1"):
        bodies = [f"{{.reg .b32 %r<3>; {instruction.format(n)}; ret;}}" for n in names]
        messages = ptxas.verdicts(bodies, "90:sm_100a")
        taken |= {n for n, message in zip(names, messages)
                  if message == "" and n not in vocabulary[instruction[:3]]}
    return taken


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--only", default="", help="mnemonics or .isa files, a regular expression")
    parser.add_argument("--configs", default="90:sm_75,90:sm_80,90:sm_90,90:sm_90a,90:sm_100,"
                        "90:sm_100a,90:sm_120,63:sm_75,78:sm_90")
    parser.add_argument("--versions", action="store_true",
                        help="also every .version with its newest target")
    parser.add_argument("--limit", type=int, default=60, help="spellings a form")
    parser.add_argument("--neighbours", type=int, default=6, help="illegal neighbours a spelling")
    parser.add_argument("--show", type=int, default=40, help="disagreements to print")
    parser.add_argument("--examples", type=int, default=3, help="examples of each disagreement")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    rng = random.Random(args.seed)

    isa_files = sorted(os.path.join(ROOT, "isa", f) for f in os.listdir(os.path.join(ROOT, "isa"))
                       if f.endswith(".isa"))
    with open(os.path.join(args.build, "generated", "isa_forms.json")) as f:
        forms = json.load(f)
    type_names = set()
    for path in isa_files:
        for line in open(path):
            if line.startswith("types "):
                type_names.update(line.split()[1:])
    vocabulary = collections.defaultdict(set)
    for form in forms:
        for slot in form["slots"]:
            vocabulary[form["mnemonic"]].update(a[0] for a in slot["alternatives"])
    only = re.compile(args.only)
    foreign = sorted(set().union(*vocabulary.values()))
    with tempfile.TemporaryDirectory() as workdir:
        ignored = ignored_modifiers(foreign, vocabulary, Ptxas(workdir))
    foreign = [name for name in foreign if name not in ignored]
    configs = args.configs.split(",")
    if args.versions:
        configs += [f"{v}:{t}" for v, t in NEWEST.items()]

    legal = {}       # spelling → base form
    illegal = {}
    for form in forms:
        if not (only.fullmatch(form["mnemonic"]) or only.match(form["file"])):
            continue
        for mods in spellings(form, args.limit, rng):
            legal.setdefault(".".join((form["mnemonic"],) + mods), form)
    for spelling, form in list(legal.items()):
        mnemonic, *mods = spelling.split(".")
        for edit in neighbours(tuple(mods), sorted(vocabulary[mnemonic]), foreign,
                               args.neighbours, rng):
            illegal.setdefault(".".join((mnemonic,) + edit), form)
    everything = dict(illegal)
    everything.update(legal)

    query = subprocess.run([os.path.join(args.build, "bin", "isa_query")], text=True, check=True,
                           input="".join(f"{s} {' '.join(configs)}\n" for s in everything),
                           capture_output=True)
    cases = []  # (instruction text, body, expected letters, spelling)
    skipped = 0
    for line in query.stdout.splitlines():
        spelling, *candidates = line.split()
        mods = spelling.split(".")[1:]
        verdicts = [(forms[int(c.split(":")[0])], c.split(":")[1]) for c in candidates]
        seen = set()
        if not verdicts:
            verdicts = [(everything[spelling], "n" * len(configs))]
            types = bind(verdicts[0][0], mods, type_names)
            written = [m for m in mods if m in type_names]
            types = [t or (written[0] if written else "") for t in types]
        for form, _ in verdicts:
            if candidates:
                types = bind(form, mods, type_names)
            key = operand_key(form, types, mods)
            if key in seen:
                continue
            seen.add(key)
            same = [v for f, v in verdicts
                    if operand_key(f, bind(f, mods, type_names) if candidates else types, mods) == key]
            expected = ["y" if any(v[i] in "yd" for v in same) else "n" for i in range(len(configs))]
            variants = [True, False] if any("optional" in o["flags"] or "pred" in o["flags"] for o in form["operands"]) else [True]
            for with_optional in variants:
                made = kernel(form, spelling, types, with_optional)
                if made is None:
                    skipped += 1
                    continue
                cases.append((made[1], made[0], expected, spelling))

    with tempfile.TemporaryDirectory() as workdir:
        ptxas = Ptxas(workdir)
        total = agree = 0
        wrong = collections.OrderedDict()
        per_mnemonic = collections.defaultdict(lambda: [0, 0])
        for n, config in enumerate(configs):
            bodies = [c[1] for c in cases]
            for (text, _, expected, spelling), message in zip(cases, ptxas.verdicts(bodies, config)):
                ours = expected[n] == "y"
                theirs = message == ""
                total += 1
                agree += ours == theirs
                counts = per_mnemonic[spelling.split(".")[0]]
                counts[0] += 1
                counts[1] += ours != theirs
                if ours != theirs:
                    key = (text, "we accept" if ours else "we reject", message)
                    wrong.setdefault(key, []).append(config)
    # Alike findings together: same side, message, configs and mnemonic.
    groups = collections.OrderedDict()
    for (text, side, message), where in wrong.items():
        key = (text.split(".")[0].split()[0], side, re.sub(r"'\.?[^']*'", "'…'", message), tuple(where))
        groups.setdefault(key, []).append((text, message))
    ranked = sorted(groups.items(), key=lambda g: -len(g[1]) * len(g[0][3]))
    for (_, side, _, where), found in ranked[:args.show]:
        text = "everywhere" if len(where) == len(configs) else " ".join(where[:5])
        if 5 < len(where) < len(configs):
            text += f" … {where[-1]}, {len(where)} of {len(configs)}"
        print(f"{len(found):4} {side} [{text}] {found[0][1]}")
        for text, _ in found[:args.examples]:
            print("          ", text[:160])
    worst = sorted(((bad, n, m) for m, (n, bad) in per_mnemonic.items() if bad), reverse=True)
    print("disagreements by mnemonic:", ", ".join(f"{m} {bad}/{n}" for bad, n, m in worst) or "none")
    print(f"{len(legal)} spellings, {len(illegal)} neighbours, {len(cases)} instructions, "
          f"{len(configs)} configs, {skipped} skipped, {ptxas.runs} runs of ptxas")
    print("ignored by ptxas wherever they stand:", ", ".join(sorted(ignored)))
    print(f"agreement {agree}/{total} = {100 * agree / max(total, 1):.3f} %")


if __name__ == "__main__":
    main()
