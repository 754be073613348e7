"""Holds what transforms made of many kernels against ptxas and `pitot check`.

    build/dev/bin/transform_corpus --align 16 --out DIR FILES… > rows.csv
    python3 tests/tools/transform_corpus.py rows.csv --pitot build/release/bin/pitot [--only vec_ld] [--most 50]

Says how many outputs ptxas takes and how many compute the same; what differs or is refused is listed,
and the exit code is 1.
"""

import argparse
import collections
import concurrent.futures
import csv
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile


def target_of(path):
    found = re.search(r"\.target\s+(sm_\w+)", pathlib.Path(path).read_text(errors="replace"))
    return found.group(1) if found else "sm_80"


def assembles(ptxas, path):
    with tempfile.NamedTemporaryFile(suffix=".cubin") as out:
        r = subprocess.run([ptxas, "-arch=" + target_of(path), path, "-o", out.name], capture_output=True, text=True)
    return r.returncode == 0, r.stdout + r.stderr


def spec_of(path):
    folder = pathlib.Path(path).parent
    specs = sorted(folder.glob("*.kernel.toml"))
    return specs[0] if len(specs) == 1 else None


def judge(args, row):
    before, after = row["file"], row["output"]
    result = {"row": row, "ptxas": "same", "check": "not run", "why": ""}
    if args.ptxas:
        fine, said = assembles(args.ptxas, after)
        if not fine:
            known, _ = assembles(args.ptxas, before)
            result["ptxas"] = "refused" if known else "refused before"
            result["why"] = said.splitlines()[0] if said else ""
    if args.no_check:
        return result
    command = [args.pitot, "check", before, after, "--format", "json", "-j", "1"]
    spec = spec_of(before)
    if spec:
        command += ["--spec", str(spec)]
    else:
        command += ["--entry", row["kernel"]]
    try:
        r = subprocess.run(command, capture_output=True, text=True, timeout=args.seconds)
        verdict = json.loads(r.stdout)
        result["check"] = verdict["verdict"]
        if result["check"] not in ("same",):
            result["why"] += " " + "; ".join(map(str, verdict.get("reasons", [])))[:300]
    except subprocess.TimeoutExpired:
        result["check"] = "too long"
    except (json.JSONDecodeError, KeyError) as e:
        result["check"] = "no answer"
        result["why"] += f" {e} {r.stderr[:200]}"
    return result


def main():
    p = argparse.ArgumentParser()
    p.add_argument("rows")
    p.add_argument("--pitot", required=True)
    p.add_argument("--ptxas", default=shutil.which("ptxas") or "")
    p.add_argument("--no-check", action="store_true", help="ptxas only")
    p.add_argument("--only", default="")
    p.add_argument("--most", type=int, default=0, help="of each action, chosen at random")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--seconds", type=float, default=60)
    p.add_argument("-j", type=int, default=2)
    args = p.parse_args()
    random.seed(args.seed)
    rows = collections.defaultdict(list)
    for row in csv.DictReader(open(args.rows)):
        if row["output"] and (not args.only or row["action"] in args.only.split(",")):
            rows[row["action"]].append(row)
    bad = 0
    for action, list_ in rows.items():
        if args.most and len(list_) > args.most:
            list_ = random.sample(list_, args.most)
        with concurrent.futures.ThreadPoolExecutor(args.j) as pool:
            results = list(pool.map(lambda row: judge(args, row), list_))
        checks = collections.Counter(r["check"] for r in results)
        assembled = collections.Counter(r["ptxas"] for r in results)
        print(f"{action:14} {len(results):5} outputs; ptxas {dict(assembled)}; check {dict(checks)}", flush=True)
        for r in results:
            wrong = r["ptxas"] == "refused" or r["check"] in ("different", "fault")
            bad += wrong
            if wrong or r["check"] == "no answer":
                print(f"  {r['row']['file']} {r['row']['kernel']} {r['row']['output']}: {r['ptxas']}, {r['check']}: {r['why']}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
