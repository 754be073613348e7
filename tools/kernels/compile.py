#!/usr/bin/env python3
"""Rebuilds every compiled kernel under kernels/: PTX, launch facts, kernel specs and the manifest.

    python3 tools/kernels/compile.py [--only NAME] [--check]

Each directory with a build.toml is one family member. Triton kernels need the Triton version pinned
in requirements.txt; where the running Python has another one (or none), a virtual environment is
made under build/ and this script starts again inside it. CUDA kernels need nvcc.
"""
import argparse
import fnmatch
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import manifest
import nvcc_build
import plain_ptx
import ptxas_check
import triton_build
import variants

ROOT = Path(__file__).resolve().parents[2]
KERNELS = ROOT / "kernels"
REQUIREMENTS = Path(__file__).with_name("requirements.txt")
PRODUCERS = {
    "triton": triton_build.build,
    "nvcc": nvcc_build.build,
    "ptx": plain_ptx.build,
}


def pinned_triton():
    for line in REQUIREMENTS.read_text().splitlines():
        if line.startswith("triton=="):
            return line.split("==")[1].strip()
    raise SystemExit("requirements.txt does not pin triton")


def restart_in_venv():
    """Runs this script again in a virtual environment that has the pinned Triton."""
    venv = ROOT / "build" / "kernels-venv"
    python = venv / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
    subprocess.run([str(python), "-m", "pip", "install", "-q", "-r", str(REQUIREMENTS)], check=True)
    os.execv(str(python), [str(python), *sys.argv])


def installed_triton():
    try:
        import triton
    except ImportError:
        return None
    return triton.__version__


def selected(only):
    """Directories to build: (path, parsed build.toml), sorted by path."""
    found = []
    for toml in sorted(KERNELS.rglob("build.toml")):
        directory = toml.parent
        name = directory.relative_to(KERNELS).as_posix()
        if only and not any(fnmatch.fnmatch(name, p) or directory.name == p for p in only):
            continue
        with toml.open("rb") as handle:
            found.append((directory, tomllib.load(handle)))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", action="append", metavar="NAME",
                        help="directory name or glob below kernels/ (may be repeated)")
    parser.add_argument("--check", action="store_true",
                        help="build, then fail if a file differs from the one that was there")
    arguments = parser.parse_args()

    chosen = selected(arguments.only)
    if not chosen:
        raise SystemExit(f"nothing under {KERNELS} matches {arguments.only}")
    uses_triton = any(build["producer"] == "triton" for _, build in chosen)
    if uses_triton and installed_triton() != pinned_triton():
        restart_in_venv()

    changed = []
    for directory, build in chosen:
        before = {p: p.read_bytes() for p in directory.iterdir() if p.suffix in (".ptx", ".json")}
        entries = PRODUCERS[build["producer"]](KERNELS, directory, build)
        ptxas_check.check(KERNELS, entries)
        manifest.replace(KERNELS, directory, entries)
        changed += [p for p, text in before.items() if not p.exists() or p.read_bytes() != text]
        print(f"{directory.relative_to(KERNELS)}: {len(entries)} files")
    if not arguments.only:
        variants.main()
    if arguments.check and changed:
        raise SystemExit("differs from what was there:\n" + "\n".join(map(str, changed)))


if __name__ == "__main__":
    main()
