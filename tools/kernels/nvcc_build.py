"""Compiles CUDA sources to PTX with nvcc, one file a target (and a variant of options)."""
import subprocess

import kernel_spec
import manifest
from ptxas_check import find_tool


def nvcc_version(nvcc):
    text = subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=True).stdout
    return "nvcc " + text.split("release ")[1].split(",")[0]


def build(kernels, directory, build):
    nvcc = find_tool("nvcc")
    if not nvcc:
        raise SystemExit(f"{directory.name}: needs nvcc, which is not here")
    for old in [*directory.glob("*.ptx"), *directory.glob("*.kernel.toml")]:
        old.unlink()
    entries = []
    for kernel in build["kernel"]:
        source = directory / kernel["source"]
        for target in kernel.get("targets", build["targets"]):
            path = directory / f"{source.stem}{kernel.get('suffix', '')}.{target.replace('_', '')}.ptx"
            options = kernel.get("options", build.get("options", []))
            # The source is named relative to its own directory: no machine path reaches the output.
            command = [nvcc, "-ptx", f"-arch={target}", "-std=c++17", *options, source.name, "-o", path.name]
            done = subprocess.run(command, cwd=directory, capture_output=True, text=True)
            if done.returncode != 0:
                raise SystemExit(f"{source}: {done.stdout}{done.stderr}")
            entries.append(manifest.record(
                kernels, path, source=source, producer=nvcc_version(nvcc),
                block=kernel.get("block", build.get("block")), role=kernel.get("role"),
                pair=directory.name if kernel.get("role") else None, shows=build.get("shows")))
    if "spec" in build:
        write_spec(kernels, directory, build, entries)
    return entries


def write_spec(kernels, directory, build, entries):
    """Runs the last kernel listed; the first one, where it is another file, is its oracle."""
    target = build.get("spec_target", build["targets"][min(1, len(build["targets"]) - 1)])
    chosen = [e for e in entries if e["target"] == target]
    last, first = chosen[-1], chosen[0]
    name = lambda e: (kernels / e["file"]).name
    entry = lambda e: build.get("entry", e["entries"][0])
    kernel_spec.write(
        directory / f"{directory.name}.kernel.toml", build=build, constants={}, tag=None,
        ptx=name(last), entry=entry(last), block=build["block"],
        shared=build["launch"].get("shared", 0),
        oracle=(name(first), entry(first)) if first is not last else None)
