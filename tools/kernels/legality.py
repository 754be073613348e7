#!/usr/bin/env python3
"""Transforms on every kernel of some folders: is what they write still legal and the same?

Each kernel gets every transform alone and K random sequences (seeded by the kernel's name). What
came out changed must be taken by ptxas (when the original is) and `pitot check` must not call it
different: with fma_contract within rounding (what is beyond all estimates of it, and the same without the contraction,
counts as "rounded"). One line of JSON a sequence is appended to --out; a run that was stopped goes on where it
was. The summary is made from the whole file; the exit code is 1 when anything differs or is refused.

    tools/kernels/legality.py --pitot build/release/bin/pitot --sequences 4 --out legality.jsonl kernels
"""

import argparse
import collections
import concurrent.futures
import hashlib
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import threading

import kernel_specs


def catalogue(pitot):
    """Actions by name, with the group that excludes others; without one its own name."""
    listed = json.loads(subprocess.check_output([pitot, "transform", "--list", "-f", "json"], text=True))
    return {a["name"]: a["group"] if a["exclusive"] else a["name"] for a in listed["actions"]}


def sequences(groups, kernel, count, length, seed):
    """Each action alone, then random ones of which no two exclude each other."""
    out = [(a,) for a in groups]
    draw = random.Random(f"{seed}/{kernel}")
    for _ in range(count):
        pool = list(groups)
        draw.shuffle(pool)
        taken, closed, wanted = [], set(), draw.randint(2, length)
        for a in pool:
            if len(taken) == wanted:
                break
            if groups[a] not in closed:
                taken.append(a)
                closed.add(groups[a])
        out.append(tuple(taken))
    return list(dict.fromkeys(out))


def run(command, seconds):
    """Exit code, stdout, stderr; None for a command that took too long."""
    try:
        p = subprocess.run(command, capture_output=True, text=True, timeout=seconds, errors="replace")
        return p.returncode, p.stdout, p.stderr
    except subprocess.TimeoutExpired:
        return None, "", f"not done after {seconds} s"


class Judge:
    """ptxas and check, each program once."""

    def __init__(self, options):
        self.o = options
        self.lock = threading.Lock()
        self.accepted = {}
        self.wider = {}  # by kernel: its spec with more sizes
        self.hopeless = set()  # kernels of which one program was tried in all ways and stayed undecided

    def assemble(self, path, target):
        command = [self.o.ptxas, f"-arch={target}", "-o", "/dev/null", path]
        code, _, wrong = run(command, self.o.seconds)
        if code == 0:
            return "accepted"
        return "slow" if code is None else wrong.strip().splitlines()[0] if wrong.strip() else "refused"

    def original(self, kernel):
        with self.lock:
            known = self.accepted.get(kernel.path)
        if known is None:
            known = self.assemble(kernel.path, kernel.target)
            with self.lock:
                self.accepted[kernel.path] = known
        return known

    def ask(self, kernel, path, options):
        """The verdict of one `check`, why, and whether all that was compared had equal bits."""
        command = [self.o.pitot, "check", kernel.path, path, "--entry", kernel.entry, "-f", "json", "-j", "1", *options]
        code, text, wrong = run(command, self.o.seconds)
        if code is None:
            return "undecided", [wrong], False
        try:
            result = json.loads(text)
        except json.JSONDecodeError:
            return "error", [wrong.strip() or f"exit code {code}"], False
        faults = [str(f) for f in result.get("faults", [])]
        errors = [e.get("message", e) if isinstance(e, dict) else e for e in result.get("errors", [])]
        reasons = result.get("reasons", []) + faults + [str(e) for e in errors]
        return result.get("verdict", "error"), reasons, result.get("bits_equal", False)

    def check(self, kernel, path, rounded):
        """Verdict, reasons, equal bits, and by what it was judged.

        With the spec first; what no launch of it came to is tried with more sizes, with larger values at these, with
        inferred arguments, with more of them, and with numbers that are multiples of 16, as compilers of Triton may have been promised.
        Once all of that was in vain for a kernel, its other programs get the spec and its sizes only.
        """
        inferred = ["--budget", str(self.o.budget), "--trials"]
        ways = []
        if kernel.spec:
            ways.append(("spec", ["--spec", kernel.spec]))
            ways += [("more sizes", None), ("other values", None)]
        ways.append(("inferred", [*inferred, str(self.o.trials)]))
        ways.append(("more", [*inferred, str(self.o.trials * 8)]))
        ways.append(("multiples", [*inferred, str(self.o.trials * 2), "--multiple-of", "16"]))
        if kernel.key in self.hopeless:
            ways = ways[: 3 if kernel.spec else 1]
        first = None
        for way, options in ways:
            beside = pathlib.Path(path).with_name("beside.kernel.toml")
            if options is None:
                text = self.with_more_sizes(kernel)
                beside.write_text(kernel_specs.other_values(text) if way == "other values" else text)
                options = ["--spec", str(beside)]
            verdict, why, equal = self.ask(kernel, path, options)
            if verdict == "different" and rounded and options[0] == "--spec":
                # The spec's tolerance may be none, as of integers: rounding is judged by the error it can make.
                beside.write_text(kernel_specs.without_tolerance(options[1]))
                verdict, why, equal = self.ask(kernel, path, ["--spec", str(beside)])
            if first is None:
                first = (verdict, why, equal, way)
            # Inferred launches are others than the spec states, which the transforms were told: what fails there is no fault.
            if verdict != "undecided" and (options[0] == "--spec" or verdict == "same" or not kernel.spec):
                return verdict, why, equal, way
        with self.lock:
            self.hopeless.add(kernel.key)
        return first

    def with_more_sizes(self, kernel):
        """The kernel's spec with some sizes more at which the kernel as it is has no fault."""
        with self.lock:
            known = self.wider.get(kernel.key)
        if known is None:
            sizes = kernel_specs.more_sizes(kernel.spec, 60, kernel.key)
            good = []
            for size in sizes:
                command = [self.o.pitot, "run", kernel.spec, "--ptx", kernel.path, "--entry", kernel.entry]
                command += ["--set", ",".join(f"{n}={v}" for n, v in size.items()), "--budget", "100000"]
                code, _, _ = run(command, self.o.seconds)
                if code == 0:
                    good.append(size)
                if len(good) == 24:
                    break
            known = kernel_specs.with_sizes(kernel.spec, good)
            with self.lock:
                self.wider[kernel.key] = known
        return known


def apply(options, kernel, sequence, out):
    """The steps that `transform` took, its answer where there are none; the text is written to `out`."""
    # With what the spec states, where the transforms can read it.
    source = [kernel.spec, "--ptx", kernel.path] if kernel.spec else [kernel.path]
    command = [options.pitot, "transform", "--apply", ",".join(sequence), *source]
    command += ["--kernel", kernel.entry, "-o", out, "-f", "json"]
    if "fma_contract" in sequence:
        command.append("--round-otherwise")
    _, text, wrong = run(command, options.seconds)
    try:
        return json.loads(text)["steps"], ""
    except (json.JSONDecodeError, KeyError):
        return None, wrong.strip()[:400]


def judge_program(options, judge, kernel, out, sequence, applied):
    ptxas = "not asked"
    if judge.original(kernel) == "accepted":
        ptxas = judge.assemble(out, kernel.target)
    if ptxas not in ("accepted", "slow", "not asked"):
        return {"result": "refused", "why": [ptxas], "ptxas": ptxas, "bits_equal": False, "by": "ptxas"}
    rounded = "fma_contract" in applied
    verdict, why, equal, way = judge.check(kernel, out, rounded)
    if verdict == "different" and rounded:
        # What is beyond every estimate of rounding: is it the contraction alone?
        rest = [a for a in sequence if a != "fma_contract"]
        plain = str(pathlib.Path(out).with_name("plain.ptx"))
        steps, _ = apply(options, kernel, rest, plain) if rest else ([], "")
        if not rest or (steps is not None and judge.check(kernel, plain, False)[0] == "same"):
            verdict = "rounded"
    return {"result": verdict, "why": why[:3], "ptxas": ptxas, "bits_equal": equal, "by": way}


def work(options, judge, kernel, todo):
    """The records of one kernel; programs that came out equal are judged once."""
    judged = {}
    original = hashlib.sha256(pathlib.Path(kernel.path).read_bytes()).hexdigest()
    with tempfile.TemporaryDirectory() as scratch:
        for sequence in todo:
            out = f"{scratch}/out.ptx"
            record = {"kernel": kernel.key, "sequence": ",".join(sequence)}
            steps, wrong = apply(options, kernel, sequence, out)
            if steps is None:
                yield record | {"result": "failed", "why": [wrong]}
                continue
            record["applied"] = [s["action"] for s in steps if s["applied"]]
            record["declined"] = sorted(
                {d["reason"] for s in steps for d in s.get("declined", [])}
            )[:4] or sorted({s["reason"] for s in steps if s.get("reason")})[:4]
            program = hashlib.sha256(pathlib.Path(out).read_bytes()).hexdigest()
            record["program"] = program[:16]
            if program == original:
                yield record | {"result": "unchanged"}
                continue
            if program not in judged:
                judged[program] = judge_program(options, judge, kernel, out, sequence, record["applied"])
            yield record | judged[program]


def summary(records):
    table = collections.defaultdict(collections.Counter)
    undecided = collections.Counter()
    for r in records:
        row = r["sequence"] if "," not in r["sequence"] else "(sequences)"
        for name in (row, "all"):
            table[name]["sequences"] += 1
            table[name]["applied"] += len(r.get("applied", []))
            table[name][r["result"]] += 1
            table[name]["programs"] += r["result"] not in ("unchanged", "failed")
        if r["result"] == "undecided":
            undecided[re.sub(r"\d+(, \d+)*", "N", (r.get("why") or ["?"])[0])] += 1
    columns = "sequences applied programs same undecided rounded different fault refused error failed".split()
    lines = [f"{'':16}" + "".join(f"{c:>11}" for c in columns)]
    for name in sorted(table, key=lambda n: (n == "all", n == "(sequences)", n)):
        lines.append(f"{name:16}" + "".join(f"{table[name][c]:>11}" for c in columns))
    distinct = {(r["kernel"], r.get("program")) for r in records if r["result"] not in ("unchanged", "failed")}
    lines.append(f"{len(distinct)} distinct programs of {len({r['kernel'] for r in records})} kernels")
    equal = sum(r["result"] == "undecided" and r.get("bits_equal", False) for r in records)
    lines.append(f"{equal} of the undecided gave equal bits in every launch that was compared")
    lines += [f"undecided {n:6}: {why}" for why, n in undecided.most_common(8)]
    bad = [r for r in records if r["result"] in ("different", "fault", "refused", "error", "failed")]
    lines += [f"{r['result']}: {r['kernel']} {r['sequence']}: {'; '.join(map(str, r.get('why', [])))[:300]}" for r in bad[:40]]
    return "\n".join(lines), bad


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("folders", nargs="+")
    p.add_argument("--specs", nargs="*", default=[], help="folders of specs beside those of the kernels")
    p.add_argument("--pitot", default="build/release/bin/pitot")
    p.add_argument("--ptxas", default="ptxas")
    p.add_argument("--actions", help="of those that `pitot transform --list` has; default: all")
    p.add_argument("--sequences", type=int, default=2, help="random sequences a kernel")
    p.add_argument("--length", type=int, default=6, help="actions of a sequence at most")
    p.add_argument("--seed", default="1")
    p.add_argument("--every", type=int, default=1, help="of the kernels, each n-th")
    p.add_argument("--least-bytes", type=int, default=0)
    p.add_argument("--most-bytes", type=int, default=1 << 20)
    p.add_argument("--trials", type=int, default=8)
    p.add_argument("--budget", type=int, default=1_000_000)
    p.add_argument("--seconds", type=float, default=60, help="for one command")
    p.add_argument("--jobs", type=int, default=2)
    p.add_argument("--out", default="legality.jsonl")
    o = p.parse_args()
    out = pathlib.Path(o.out)
    records = []
    if out.exists():
        for line in out.read_text().splitlines():
            try:
                records.append(json.loads(line))
            except json.JSONDecodeError:  # the run was stopped within it
                continue
        whole = out.with_suffix(".tmp")
        whole.write_text("".join(json.dumps(r) + "\n" for r in records))
        whole.replace(out)
    done = {(r["kernel"], r["sequence"]) for r in records}
    groups = catalogue(o.pitot)
    if o.actions:
        groups = {a: groups[a] for a in o.actions.split(",")}
    judge = Judge(o)
    specs = kernel_specs.Specs([*o.folders, *o.specs])
    jobs = []
    for n, kernel in enumerate(kernel_specs.kernels(o.folders, specs, o.least_bytes, o.most_bytes)):
        if n % o.every:
            continue
        todo = sequences(groups, kernel.key, o.sequences, o.length, o.seed)
        todo = [s for s in todo if (kernel.key, ",".join(s)) not in done]
        if todo:
            jobs.append((kernel, todo))
    # Much is known soon: each source for one target first, and the short ones before the long.
    seen = collections.Counter()

    def rank(path):
        source = str(path.parent / kernel_specs.without_target(path.name))
        seen[source] += 1
        return seen[source]

    latest = sorted({pathlib.Path(j[0].path) for j in jobs}, key=lambda p: ("sm90" not in p.name, p))
    turn = {path: rank(path) for path in latest}
    jobs.sort(key=lambda j: (turn[pathlib.Path(j[0].path)], pathlib.Path(j[0].path).stat().st_size))
    print(f"{len(jobs)} kernels to do, {len(records)} sequences done before", file=sys.stderr)
    lock = threading.Lock()
    with out.open("a") as sink, concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:

        def one(job):
            count = 0
            for record in work(o, judge, *job):
                with lock:
                    sink.write(json.dumps(record) + "\n")
                    sink.flush()
                    records.append(record)
                count += record["result"] in ("different", "fault", "refused", "error", "failed")
            return job[0].key, count

        finished = 0
        for future in concurrent.futures.as_completed([pool.submit(one, j) for j in jobs]):
            key, bad = future.result()
            finished += 1
            if bad or finished % 20 == 0 or finished == len(jobs):
                print(f"{finished}/{len(jobs)} {key}{f': {bad} BAD' if bad else ''}", file=sys.stderr)
    text, bad = summary(records)
    print(text)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
