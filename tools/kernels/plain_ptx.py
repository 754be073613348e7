"""Sources that are PTX themselves: nothing to compile, they are only checked and listed."""
import manifest


def build(kernels, directory, build):
    entries = []
    for kernel in build["kernel"]:
        path = directory / kernel["source"]
        entries.append(manifest.record(
            kernels, path, source=path, producer="hand-written PTX",
            block=kernel.get("block", build.get("block")), role=kernel.get("role"),
            pair=directory.name if kernel.get("role") else None, shows=build.get("shows")))
    return entries
