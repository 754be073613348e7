"""Has the compiler of a build look at the sources of targets that it does not build: warnings are errors there too.

    python3 tools/ci/syntax.py build/asan -j 2 test_cli test_knobs

Reads compile_commands.json of the build (its generated headers must be there) and runs each command with -fsyntax-only.
"""

import argparse
import concurrent.futures
import json
import pathlib
import shlex
import subprocess
import sys


def looks_only(command):
    """The command without what it would write, and without a compiler cache."""
    words, out = shlex.split(command), []
    if pathlib.Path(words[0]).name == "ccache":
        words = words[1:]
    skip = False
    for word in words:
        if skip or word == "-o":
            skip = word == "-o"
        elif word != "-c":
            out.append(word)
    return [*out, "-fsyntax-only"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("targets", nargs="+")
    parser.add_argument("-j", "--jobs", type=int, default=2)
    args = parser.parse_args()
    commands = json.loads((args.build / "compile_commands.json").read_text())
    jobs, found = [], set()
    for c in commands:
        for target in args.targets:
            if f"/{target}.dir/" in c["command"]:
                jobs.append((c["directory"], looks_only(c["command"]), c["file"]))
                found.add(target)
    missing = [t for t in args.targets if t not in found]
    if missing:
        print("no sources of: " + " ".join(missing), file=sys.stderr)
        return 1
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        done = list(pool.map(lambda j: subprocess.run(j[1], cwd=j[0], capture_output=True, text=True), jobs))
    bad = [(j[2], d.stderr) for j, d in zip(jobs, done) if d.returncode != 0]
    for file, text in bad:
        print(f"{file}:\n{text[:8000]}", file=sys.stderr)
    print(f"{len(jobs)} groups of {len(args.targets)} programs looked at, {len(bad)} with complaints")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
