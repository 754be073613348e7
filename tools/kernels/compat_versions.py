#!/usr/bin/env python3
"""Prints the pairs' compat deltas under several Triton versions: does a delta belong to the bug?

    python3 tools/kernels/compat_versions.py [VERSION…]

Each version gets a virtual environment under build/ and compiles there, each kernel in a process of
its own (what Triton 3.2 and 3.3 make of a kernel depends on what the process compiled before).
Nothing is kept.
"""
import importlib.util
import inspect
import multiprocessing
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from compat_deltas import compat

ROOT = Path(__file__).resolve().parents[2]
PAIRS = ROOT / "kernels" / "pairs"
VERSIONS = ["3.1.0", "3.2.0", "3.3.1", "3.4.0", "3.5.1", "3.6.0"]


def make_source(function, types, constants):
    """An ASTSource for whichever of the three signatures the running Triton has."""
    from triton.compiler import ASTSource
    names = function.arg_names
    pointers = [i for i, n in enumerate(names) if types.get(n, "").startswith("*")]
    parameters = inspect.signature(ASTSource.__init__).parameters
    if "constexprs" in parameters:
        return ASTSource(function, {n: types.get(n, "constexpr") for n in names},
                         {(names.index(n),): v for n, v in constants.items()},
                         {(i,): [["tt.divisibility", 16]] for i in pointers})
    try:
        from triton.backends.compiler import AttrsDescriptor
    except ImportError:
        from triton.compiler import AttrsDescriptor
    if hasattr(AttrsDescriptor, "from_hints"):
        return ASTSource(function, {n: types[n] for n in names if n in types}, dict(constants),
                         AttrsDescriptor.from_hints({i: 16 for i in pointers}))
    return ASTSource(function, {i: types[n] for i, n in enumerate(names) if n in types},
                     {names.index(n): v for n, v in constants.items()},
                     AttrsDescriptor(tuple(pointers), ()))


def compile_and_count(function, build, variant, capability):
    import triton
    from triton.backends.compiler import GPUTarget
    source = make_source(function, build["signature"], variant["constants"])
    options = {"num_warps": variant["num_warps"], "num_stages": 3}
    return compat(triton.compile(source, target=GPUTarget("cuda", capability, 32), options=options).asm["ptx"])


def count_apart(pool_context, *arguments):
    with pool_context.Pool(1) as pool:
        return pool.apply(count_named, arguments)


def count_named(toml, function, variant, capability):
    build = tomllib.loads(toml.read_text())
    spec = importlib.util.spec_from_file_location(toml.parent.name, toml.parent / build["source"])
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return compile_and_count(getattr(module, function), build, variant, capability)


def print_rows():
    import triton
    context = multiprocessing.get_context("fork")
    for toml in sorted(PAIRS.glob("*/build.toml")):
        name = toml.parent.name
        build = tomllib.loads(toml.read_text())
        for variant in build["variant"]:
            if variant.get("divisible_by_16") or "w8" in variant.get("tag", ""):
                continue
            cells = []
            for capability in (80, 90):
                try:
                    right, wrong = (count_apart(context, toml, f"{name}_{role}", variant, capability)
                                    for role in ("right", "wrong"))
                    cells.append(f"{wrong[0] - right[0]:+d}, {wrong[1] - right[1]:+d}")
                except Exception as error:
                    cells.append(f"does not compile ({type(error).__name__})")
            row = [name, variant.get("tag", "main"), triton.__version__, *cells]
            print("| " + " | ".join(row).replace("-", "−") + " |", flush=True)


def main():
    if sys.argv[1:2] == ["--inside"]:
        return print_rows()
    print("| pair | variant | Triton | sm_80 | sm_90 |\n|---|---|---|---|---|", flush=True)
    for version in sys.argv[1:] or VERSIONS:
        venv = ROOT / "build" / f"triton-{version}"
        python = venv / "bin" / "python"
        if not python.exists():
            subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
            subprocess.run([str(python), "-m", "pip", "install", "-q", f"triton=={version}", "setuptools"], check=True)
        with tempfile.TemporaryDirectory() as cache:
            clean = {"TRITON_CACHE_DIR": cache, "HOME": cache, "TRITON_DISABLE_LINE_INFO": "1"}
            subprocess.run([str(python), __file__, "--inside"], check=True, env=clean)


if __name__ == "__main__":
    main()
