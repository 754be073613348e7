#!/usr/bin/env python3
"""Compiles a template's Triton kernel over its parameter grid and hands the PTX to pitot.

    python3 tools/triton_variants.py matmul.variants.toml -o out/matmul [--pitot PATH] [--target sm_90a]

The grid, its constraints, the kernel specs and the manifest are pitot's (`pitot variants`); this
script makes NAME.ptx and NAME.json (Triton's own launch facts) for each variant, or NAME.failed with
what the compiler said, and calls `pitot variants --compiled` on them. Parameters that the kernel
function has become constexpr arguments; `num_warps`, `num_stages` and other compiler options are
parameters of these names. No GPU is needed. Triton is loaded only when there is something to
compile; tools/kernels/requirements.txt pins the version that the project uses.
"""
import argparse
import hashlib
import json
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COMPILER_OPTIONS = {"num_warps": 4, "num_stages": 3, "num_ctas": None, "maxnreg": None,
                    "enable_fp_fusion": None}


def grid(pitot, template, targets, only):
    """The manifest that `pitot variants --list` gives: what there is to compile."""
    command = [pitot, "variants", str(template), "--list", "-f", "json"]
    for target in targets:
        command += ["--target", target]
    if only:
        command += ["--only", only]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise SystemExit(done.returncode)
    return json.loads(done.stdout)


def variant_of(parameters, arguments, triton):
    """One variant in the form of tools/kernels/triton_build.py."""
    options = {k: v for k, v in {**COMPILER_OPTIONS, **triton.get("options", {}),
                                 **{k: v for k, v in parameters.items() if k in COMPILER_OPTIONS}}.items()
               if v is not None}
    return {"constants": {k: v for k, v in parameters.items() if k in arguments},
            "num_warps": options.pop("num_warps"), "num_stages": options.pop("num_stages"),
            "options": options, "divisible_by_16": triton.get("divisible_by_16", [])}


def up_to_date(path, key):
    """Whether an interrupted run has already made this variant from the same text."""
    try:
        return json.loads(path.with_suffix(".json").read_text()).get("made_from") == key and path.exists()
    except (OSError, ValueError):
        return False


def write(path, text):
    """Beside the target and renamed, so that a killed run leaves nothing half written."""
    temporary = path.with_name(path.name + ".tmp")
    temporary.write_text(text)
    temporary.replace(path)


def compile_all(template, table, manifest, directory):
    """NAME.ptx and NAME.json, or NAME.failed, for every variant that no constraint refuses; the compiler."""
    sys.path.insert(0, str(ROOT / "tools" / "kernels"))
    import triton
    import triton_build
    source = template.parent / table["source"]
    names = triton_build.load_source(source.parent, source)
    triton_build.neutral_library()
    function = names.get(table["entry"])
    if function is None or not hasattr(function, "arg_names"):
        raise SystemExit(f"{source}: no Triton kernel '{table['entry']}'")
    build = {"signature": table["triton"]["signature"]}
    several = len(manifest["targets"]) > 1
    chosen = [v for v in manifest["variants"] if v["status"] == "listed"]
    for number, variant in enumerate(chosen, 1):
        stem = variant["name"] + (f".{variant['target']}" if several else "")
        path = directory / f"{stem}.ptx"
        one = variant_of(variant["parameters"], function.arg_names, table["triton"])
        key = hashlib.sha256(json.dumps(
            [triton.__version__, source.read_text(), build, one, variant["target"]],
            sort_keys=True).encode()).hexdigest()
        if up_to_date(path, key):
            continue
        if sys.stderr.isatty():
            print(f"\rtriton {number}/{len(chosen)} ", end="", file=sys.stderr, flush=True)
        path.with_suffix(".failed").unlink(missing_ok=True)
        try:
            text, metadata = triton_build.compile_apart(names, table["entry"], build, one, variant["target"])
        except SystemExit as error:
            path.unlink(missing_ok=True)
            write(path.with_suffix(".failed"), f"{error}\n")
            continue
        facts = triton_build.facts_of(metadata, variant["target"]) | {"made_from": key}
        write(path, text)
        write(path.with_suffix(".json"), json.dumps(facts, sort_keys=True) + "\n")
    if sys.stderr.isatty():
        print(file=sys.stderr)
    return f"triton {triton.__version__}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("template", type=Path, help="NAME.variants.toml with a .py source")
    parser.add_argument("-o", "--output", type=Path, required=True, help="directory for the variants")
    parser.add_argument("--pitot", default="pitot", help="the program (default: the one on PATH)")
    parser.add_argument("--target", action="append", default=[], help="may be repeated")
    parser.add_argument("--only", help="as of `pitot variants`")
    parser.add_argument("--gpu", help="as of `pitot variants`")
    arguments = parser.parse_args()
    table = tomllib.loads(arguments.template.read_text())
    if not table.get("entry") or "signature" not in table.get("triton", {}):
        raise SystemExit(f"{arguments.template}: a Triton template has `entry` and [triton] `signature`")
    manifest = grid(arguments.pitot, arguments.template, arguments.target, arguments.only)
    # Not below the output: a directory there stands for every PTX below it.
    made = arguments.output.with_name(arguments.output.name + ".triton")
    made.mkdir(parents=True, exist_ok=True)
    try:
        compiler = compile_all(arguments.template, table, manifest, made)
    except ImportError as error:
        print(f"triton_variants: {error}; pip install -r tools/kernels/requirements.txt", file=sys.stderr)
        raise SystemExit(3) from None
    command = [arguments.pitot, "variants", str(arguments.template), "-o", str(arguments.output),
               "--compiled", str(made), "--compiled-by", compiler]
    for target in arguments.target:
        command += ["--target", target]
    for option in ("only", "gpu"):
        if getattr(arguments, option):
            command += [f"--{option}", getattr(arguments, option)]
    raise SystemExit(subprocess.run(command).returncode)


if __name__ == "__main__":
    main()
