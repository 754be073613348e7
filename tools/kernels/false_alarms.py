#!/usr/bin/env python3
"""Checks kernels against themselves with inferred arguments: what is reported is a false alarm.

    python3 tools/kernels/false_alarms.py --pitot build/release/bin/pitot tests/data/corpus [PATH…]

Each kernel is compared with itself and a dead instruction, since equal texts answer without
running. Prints a row a kernel and a summary in Markdown; exits with 1 when a kernel is called
different or at fault against itself.
"""
import argparse
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

ENTRY = re.compile(r"\.entry\s+([\w$]+)")
DEAD = "\n\t.reg .b32 \t%pitot_dead<2>;\n\tmov.b32 \t%pitot_dead1, 1;\n"


def comments_blanked(text):
    return re.sub(r"/\*.*?\*/|//[^\n]*", lambda m: re.sub(r"[^\n]", " ", m[0]), text, flags=re.S)


def entries(text):
    """(name, place behind the brace that opens the body) of every kernel with a body."""
    plain = comments_blanked(text)
    found = []
    for match in ENTRY.finditer(plain):
        brace, semicolon = plain.find("{", match.end()), plain.find(";", match.end())
        if brace >= 0 and (semicolon < 0 or brace < semicolon):
            found.append((match[1], brace + 1))
    return found


def check(pitot, path, name, place, options):
    text = path.read_text()
    with tempfile.TemporaryDirectory() as directory:
        other = Path(directory) / path.name
        other.write_text(text[:place] + DEAD + text[place:])
        command = [pitot, "check", str(path), str(other), "--entry", name, "--format", "json", "-j", "1"]
        done = subprocess.run(command + options, capture_output=True, text=True)
    try:
        return json.loads(done.stdout)
    except json.JSONDecodeError:
        return {"verdict": "crash", "reasons": [f"exit code {done.returncode}: {done.stderr[:200]}"]}


def reason_of(result):
    """One line: what stands in the way of `same`, or what was reported."""
    parts = [f"{f['side']} line {f['line']}: {f['kind']}: {f['message']}" for f in result.get("faults", [])]
    parts += result.get("reasons", [])
    parts += [d["message"] for d in result.get("diagnostics", [])]
    example = result.get("counterexample")
    if example:
        parts.append(f"counterexample: {json.dumps(example)[:160]}")
    return "; ".join(parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pitot", default="build/release/bin/pitot")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--trials", default="24")
    parser.add_argument("paths", nargs="+", type=Path)
    arguments = parser.parse_args()
    work = []
    for root in arguments.paths:
        for path in sorted(root.rglob("*.ptx")) if root.is_dir() else [root]:
            work += [(path, name, place) for name, place in entries(path.read_text())]
    options = ["--trials", arguments.trials]
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        results = list(pool.map(lambda w: check(arguments.pitot, *w, options), work))
    print("| kernel | verdict | trials | why |\n|---|---|---|---|")
    tally = Counter()
    for (path, name, _), result in zip(work, results):
        verdict = result.get("verdict") or "error"
        tally[verdict] += 1
        why = reason_of(result).replace("|", "\\|").replace("\n", " ")
        print(f"| {path.parent.name}/{path.name}: {name} | {verdict} | {result.get('trials', 0)} | {why} |")
    print("\n" + ", ".join(f"{n} {v}" for v, n in sorted(tally.items())) + f", of {len(work)} kernels")
    return 1 if set(tally) - {"same", "undecided"} else 0


if __name__ == "__main__":
    sys.exit(main())
