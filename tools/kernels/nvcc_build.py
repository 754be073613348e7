"""Compiles CUDA sources to PTX with nvcc, one file a target (and a variant of options).

nvcc hashes the source's path into internal names and writes it into debug information, so every
source is compiled in the same staging directory, whatever the checkout is called.
"""
import re
import shutil
import subprocess
from pathlib import Path

import kernel_spec
import manifest
from ptxas_check import find_tool


STAGING = Path("/tmp/pitot-kernels")
NEUTRAL_ROOT = "/pitot/kernels"


def nvcc_version(nvcc):
    text = subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=True).stdout
    return "nvcc " + text.split("release ")[1].split(",")[0]


def stage(kernels, directory):
    """Copies a directory's sources and its family's headers to the staging place."""
    shutil.rmtree(STAGING, ignore_errors=True)
    staged = STAGING / directory.relative_to(kernels)
    staged.mkdir(parents=True)
    for source in [*directory.glob("*.cu"), *directory.glob("*.cuh")]:
        shutil.copy(source, staged)
    for header in directory.parent.glob("*.cuh"):
        shutil.copy(header, staged.parent)
    return staged


def neutral(text, nvcc, staging=STAGING):
    """The PTX with the directories of .file lines replaced by ones that no machine owns."""
    toolkit = str(Path(nvcc).parent)
    return re.sub(r'^(\s*\.file\s+\d+ ")([^"]*)"',
                  lambda m: m[1] + m[2].replace(str(staging), NEUTRAL_ROOT)
                  .replace(f"{toolkit}/../targets/x86_64-linux", "/cuda") + '"', text, flags=re.M)


def compile_source(nvcc, staged, source, target, options, staging=STAGING):
    """PTX of a file in its staging place. Stops with the compiler's words where it refuses."""
    output = staged / f"{Path(source).stem}.{target}.ptx"
    command = [nvcc, "-ptx", f"-arch={target}", "-std=c++17", *options, source, "-o", output.name]
    done = subprocess.run(command, cwd=staged, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{staged.name}/{source}: {done.stdout}{done.stderr}")
    return neutral(output.read_text(), nvcc, staging)


def build(kernels, directory, build):
    nvcc = find_tool("nvcc")
    if not nvcc:
        raise SystemExit(f"{directory.name}: needs nvcc, which is not here")
    for old in [*directory.glob("*.ptx"), *directory.glob("*.kernel.toml")]:
        old.unlink()
    entries = []
    staged = stage(kernels, directory)
    for kernel in build["kernel"]:
        source = directory / kernel["source"]
        for target in kernel.get("targets", build["targets"]):
            path = directory / f"{source.stem}{kernel.get('suffix', '')}.{target.replace('_', '')}.ptx"
            options = kernel.get("options", build.get("options", []))
            path.write_text(compile_source(nvcc, staged, source.name, target, options))
            entries.append(manifest.record(
                kernels, path, source=source, producer=nvcc_version(nvcc),
                block=kernel.get("block", build.get("block")), role=kernel.get("role"),
                pair=directory.name if kernel.get("role") else None, shows=build.get("shows")))
    shutil.rmtree(STAGING)
    if "spec" in build:
        write_spec(kernels, directory, build, entries)
    return entries


def write_spec(kernels, directory, build, entries):
    """Runs the last kernel listed; the first one, where it is another file, is its oracle."""
    target = build.get("spec_target", build["targets"][min(1, len(build["targets"]) - 1)])
    chosen = [e for e in entries if e["target"] == target and ".debug." not in e["file"]]
    last, first = chosen[-1], chosen[0]
    name = lambda e: (kernels / e["file"]).name
    entry = lambda e: build.get("entry", e["entries"][0])
    kernel_spec.write(
        directory / f"{directory.name}.kernel.toml", build=build, constants={}, tag=None,
        ptx=name(last), entry=entry(last), block=build["block"],
        shared=build["launch"].get("shared", 0),
        oracle=(name(first), entry(first)) if first is not last else None)
