#!/usr/bin/env python3
"""Where actions can be told apart: is the machine code other than the unchanged kernel's, or than what came before?

Every kernel of some folders that ptxas takes for --arch (of one source the file for that architecture, else the nearest
older one) gets each action alone, and each action after a random sequence of others. What changed the PTX is assembled,
and the bytes of the kernel's code section are compared (names and debug data are not in it; `.maxnreg` writes into the
section header only, which does not count). One line of JSON a kernel is appended to --out; a run that was stopped goes on
where it was. The table is made from the whole file.

    tools/kernels/distinguishable.py --pitot build/release/bin/pitot kernels
"""

import argparse
import collections
import concurrent.futures
import hashlib
import json
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile
import tomllib

import kernel_specs
import legality


def code_of(cubin, entry):
    """The bytes of a kernel's code in a cubin, which is a 64-bit ELF file."""
    data = pathlib.Path(cubin).read_bytes()
    offset = struct.unpack_from("<Q", data, 0x28)[0]
    size, count, names = struct.unpack_from("<HHH", data, 0x3A)
    sections = [struct.unpack_from("<IIQQQQ", data, offset + k * size) for k in range(count)]
    strings = sections[names][4]
    for name, _, _, _, at, length in sections:
        text = data[strings + name : data.index(b"\0", strings + name)].decode()
        if text == f".text.{entry}":
            return data[at : at + length]
    return None


class Tools:
    def __init__(self, options):
        self.o = options

    def hash_of(self, ptx, entry, scratch):
        """Of the machine code; None where ptxas does not take it."""
        out = f"{scratch}/k.cubin"
        code, _, _ = legality.run([self.o.ptxas, f"-arch={self.o.arch}", "-o", out, ptx], self.o.seconds)
        code = code_of(out, entry) if code == 0 else None
        return None if code is None else hashlib.sha256(code).hexdigest()[:16]

    def apply(self, kernel, sequence, out):
        """The names of the actions that changed something."""
        steps, wrong = legality.apply(self.o, kernel, sequence, out)
        if steps is None:
            raise RuntimeError(f"{kernel.key} {','.join(sequence)}: {wrong}")
        return [s["action"] for s in steps if s["applied"]]


def work(tools, groups, kernel, every):
    """What each action did, alone and after others: "nothing", "ptx" (that only) or "code"."""
    record = {"kernel": kernel.key, "alone": {}, "after": {}}
    draw = random.Random(kernel.key)
    with tempfile.TemporaryDirectory() as scratch:
        out, earlier = f"{scratch}/out.ptx", f"{scratch}/earlier.ptx"
        whole = tools.hash_of(kernel.path, kernel.entry, scratch)
        if whole is None:
            return None
        texts = {}

        def outcome(before, sequence, action):
            applied = tools.apply(kernel, sequence, out)
            if action not in applied:
                return "nothing"
            text = pathlib.Path(out).read_bytes()
            if text not in texts:
                texts[text] = tools.hash_of(out, kernel.entry, scratch)
            return "refused" if texts[text] is None else "ptx" if texts[text] == before else "code"

        for action in groups:
            record["alone"][action] = outcome(whole, (action,), action)
        useful = [a for a in groups if record["alone"][a] != "nothing"]
        for action in every:
            others = [a for a in useful if groups[a] != groups[action]]
            draw.shuffle(others)
            prefix, closed = [], {groups[action]}
            for a in others:
                if groups[a] not in closed and len(prefix) < 3:
                    prefix.append(a)
                    closed.add(groups[a])
            if not prefix:
                continue
            tools.apply(kernel, tuple(prefix), earlier)
            before = tools.hash_of(earlier, kernel.entry, scratch)
            record["after"][action] = outcome(before, (*prefix, action), action)
    return record


def classes(root):
    """Class by directory, from the lists of kernels; what is in none is called by its folder."""
    known = {}
    for listed in ("nvcc.toml", "triton.toml"):
        path = root / listed
        if path.exists():
            for k in tomllib.loads(path.read_text())["kernel"]:
                known.setdefault(str(pathlib.Path(k["spec"]).parent), k["class"])
    return known


def one_file_a_source(all_kernels, arch):
    """Of files that differ by their target, the one for the architecture, or the newest before it."""
    wanted = int(re.sub(r"\D", "", arch))
    best = {}
    for k in all_kernels:
        number = int(re.sub(r"\D", "", k.target))
        if number > wanted or (k.target.endswith(("a", "f")) and number != wanted):
            continue
        path = pathlib.Path(k.path)
        key = (str(path.parent), kernel_specs.without_target(path.name), k.entry)
        if key not in best or number > best[key][0]:
            best[key] = (number, k)
    return [k for _, k in best.values()]


def table(records, groups, class_of, part):
    rows = collections.defaultdict(lambda: collections.Counter())
    kernels = collections.Counter()
    for r in records:
        of = class_of(r["kernel"])
        kernels[of] += 1
        for action, did in r[part].items():
            rows[action][of, did] += 1
    names = sorted(kernels)
    lines = ["| action | " + " | ".join(f"{n} ({kernels[n]})" for n in names) + " | all |"]
    lines.append("|---" * (len(names) + 2) + "|")
    for action in groups:
        cells, code, changed = [], 0, 0
        for n in names:
            c, p = rows[action][n, "code"], rows[action][n, "ptx"]
            code, changed = code + c, changed + c + p
            cells.append(f"{c}/{c + p}" if c + p else "–")
        lines.append(f"| `{action}` | " + " | ".join(cells) + f" | {code}/{changed} |")
    return "\n".join(lines)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("folders", nargs="+")
    p.add_argument("--specs", nargs="*", default=[])
    p.add_argument("--pitot", default="build/release/bin/pitot")
    p.add_argument("--ptxas", default="ptxas")
    p.add_argument("--arch", default="sm_90a")
    p.add_argument("--seconds", type=float, default=60)
    p.add_argument("--jobs", type=int, default=1)
    p.add_argument("--out", default="distinguishable.jsonl")
    o = p.parse_args()
    out = pathlib.Path(o.out)
    records = [json.loads(line) for line in out.read_text().splitlines()] if out.exists() else []
    done = {r["kernel"] for r in records}
    groups = legality.catalogue(o.pitot)
    specs = kernel_specs.Specs([*o.folders, *o.specs])
    todo = [k for k in one_file_a_source(kernel_specs.kernels(o.folders, specs), o.arch) if k.key not in done]
    todo.sort(key=lambda k: pathlib.Path(k.path).stat().st_size)
    print(f"{len(todo)} kernels to do, {len(done)} done before", file=sys.stderr)
    refused = []
    with out.open("a") as sink, concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
        tools = Tools(o)
        for kernel, record in zip(todo, pool.map(lambda k: work(tools, groups, k, list(groups)), todo)):
            if record is None:
                refused.append(kernel.key)
                continue
            sink.write(json.dumps(record) + "\n")
            sink.flush()
            records.append(record)
    known = classes(pathlib.Path(o.folders[0]))

    def class_of(key):
        folder = pathlib.Path(key.split("#")[0]).relative_to(o.folders[0]).parent
        return known.get(str(folder), folder.parts[0] if folder.parts else "other")

    for part, title in (("alone", "alone"), ("after", "after up to three others")):
        print(f"\n{title}: kernels whose code differs / kernels whose PTX differs\n")
        print(table(records, groups, class_of, part))
    never = [a for a in groups if not any(r[p].get(a) == "code" for r in records for p in ("alone", "after"))]
    told = sum(did == "code" for r in records for did in r["alone"].values())
    changed = sum(did in ("code", "ptx") for r in records for did in r["alone"].values())
    pairs = len(records) * len(groups)
    print(f"\n{len(records)} kernels; alone {changed} of {pairs} pairs changed the PTX, {told} the code")
    print(f"actions that never changed code: {', '.join(never) or 'none'}")
    bad = sum(did == "refused" for r in records for p in ("alone", "after") for did in r[p].values())
    print(f"refused by ptxas after a transform: {bad}; kernels that {o.arch} does not take: {len(refused)}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
