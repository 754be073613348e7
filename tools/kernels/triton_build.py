"""Compiles Triton kernels ahead of time (no GPU) and writes PTX, launch facts and kernel specs.

Every kernel is compiled in a process of its own: the compiler keeps state, and what it makes of a
kernel was seen to depend on which one it compiled before (Triton 3.2 and 3.3).

Line information is off unless build.toml asks for it; then it names /pitot/kernels/... in the place
of the real directory, so that the output is the same on every machine.
"""
import json
import linecache
import multiprocessing
import re
import tempfile
from pathlib import Path

import kernel_spec
import manifest

NEUTRAL_ROOT = "/pitot/kernels"
NEUTRAL_LIBRARY = "/usr/lib/python3/dist-packages"
FACTS = ("name", "num_warps", "num_ctas", "num_stages", "shared", "tmem_size", "cluster_dims",
         "global_scratch_size", "profile_scratch_size", "ptx_version", "enable_fp_fusion", "maxnreg")


def load_source(kernels, path):
    """The source file as a module whose functions claim a neutral file name."""
    neutral = f"{NEUTRAL_ROOT}/{path.relative_to(kernels).as_posix()}"
    text = path.read_text()
    linecache.cache[neutral] = (len(text), None, text.splitlines(True), neutral)
    names = {"__name__": path.stem, "__file__": neutral}
    exec(compile(text, neutral, "exec"), names)
    return names


def neutral_library():
    """Makes Triton's own library functions claim a neutral file name too."""
    import triton
    from triton.runtime.jit import JITFunction
    import triton.language.extra.libdevice  # noqa: F401  (loads what kernels may import)
    site = str(Path(triton.__file__).resolve().parents[1])
    for module in (triton.language.standard, triton.language.random):
        for item in vars(module).values():
            if isinstance(item, JITFunction):
                code = item.fn.__code__
                moved = code.co_filename.replace(site, NEUTRAL_LIBRARY)
                item.fn.__code__ = code.replace(co_filename=moved)


def compile_apart(names, *arguments):
    """compile_one in a child process; gives (PTX, metadata as a dictionary)."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)

    def work():
        try:
            compiled = compile_one(names, *arguments)
        except Exception as error:  # whatever a compiler throws, its words are for the parent
            sender.send((None, f"{type(error).__name__}: {error}"))
            return
        held = compiled.metadata._asdict()
        sender.send((compiled.asm["ptx"], {k: held[k] for k in FACTS if k in held}))

    child = context.Process(target=work)
    child.start()
    sender.close()
    failed = f"{arguments[0]} for {arguments[-1]}: the compiler failed"
    try:
        text, facts = receiver.recv()
    except EOFError:
        raise SystemExit(failed) from None
    finally:
        child.join()
    if text is None:
        raise SystemExit(f"{failed}: {facts}")
    return text, facts


def compile_one(source_names, name, build, variant, target):
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource
    function = source_names[name]
    names = function.arg_names
    constants = variant["constants"]
    types = {**build["signature"], **variant.get("signature", {})}
    signature = {n: "constexpr" if n in constants else types[n] for n in names}
    aligned = set(variant.get("divisible_by_16", []))
    if build.get("aligned_pointers", True):
        aligned |= {n for n, t in signature.items() if t.startswith("*")}
    source = ASTSource(function, signature,
                       {(names.index(n),): v for n, v in constants.items()},
                       {(names.index(n),): [["tt.divisibility", 16]] for n in names if n in aligned})
    options = {"num_warps": variant.get("num_warps", 4), "num_stages": variant.get("num_stages", 3)}
    options |= variant.get("options", {})
    triton.knobs.compilation.disable_line_info = not build.get("line_info", False)
    triton.knobs.compilation.always_compile = True
    capability = int(target.removeprefix("sm_").rstrip("af"))
    return triton.compile(source, target=GPUTarget("cuda", capability, 32), options=options)


def facts_of(metadata, target):
    facts = {k: v for k, v in metadata.items() if v is not None}
    facts["target"] = {"backend": "cuda", "arch": int(target.removeprefix("sm_").rstrip("af")),
                       "warp_size": 32}
    return facts


def build(kernels, directory, build):
    import triton
    neutral_library()
    source = directory / build["source"]
    names = load_source(kernels, source)
    for old in [*directory.glob("*.ptx"), *directory.glob("*.json"), *directory.glob("*.kernel.toml")]:
        old.unlink()
    entries = []
    with tempfile.TemporaryDirectory() as cache:
        triton.knobs.cache.dir = cache
        for variant in build["variant"]:
            entries += build_variant(kernels, directory, build, variant, names, source)
    return entries


def build_variant(kernels, directory, build, variant, names, source):
    import triton
    tag = variant.get("tag")
    dotted = f".{tag}" if tag else ""
    entries = []
    first, shared = {}, {}
    targets = variant.get("targets", build["targets"])
    for target in targets:
        short = target.replace("_", "")
        for kernel in build["kernel"]:
            text, metadata = compile_apart(names, kernel["function"], build, variant, target)
            path = directory / f"{kernel['function']}{dotted}.{short}.ptx"
            path.write_text(text)
            facts = facts_of(metadata, target)
            path.with_suffix(".json").write_text(json.dumps(facts, sort_keys=True) + "\n")
            block = [32 * metadata["num_warps"], 1, 1]
            declared = re.search(r"\.target\s+(\w+)", text)[1]
            shared[declared] = max(shared.get(declared, 0), metadata["shared"])
            entries.append(manifest.record(
                kernels, path, source=source, producer=f"triton {triton.__version__}", block=block,
                role=kernel.get("role"), pair=directory.name if kernel.get("role") else None,
                tag=tag, shows=kernel.get("shows")))
            if target == build.get("spec_target", targets[min(1, len(targets) - 1)]):
                first[kernel["function"]] = (path.name, text, block)
    if "spec" in build and first:
        write_spec(directory, build, variant, first, shared, dotted)
    return entries


def spec_of(build, variant):
    """`build` with what a variant has of its own: types of arguments, sizes, tolerance."""
    types = variant.get("types", {})
    known = {a["name"] for a in build["spec"]["args"]}
    if not types.keys() <= known:
        raise SystemExit(f"types of {', '.join(sorted(types.keys() - known))}: the spec has no such argument")
    args = [a | {"type": types.get(a["name"], a["type"])} for a in build["spec"]["args"]]
    sizes = variant.get("sizes", build["spec"]["sizes"])
    return build | {"spec": build["spec"] | {"args": args, "sizes": sizes},
                    "tolerance": variant.get("tolerance", build["tolerance"])}


def write_spec(directory, build, variant, first, shared, dotted):
    """One spec a variant: it runs the last kernel listed, with the first as its oracle."""
    build = spec_of(build, variant)
    functions = list(first)
    ptx, text, block = first[functions[-1]]
    oracle = (first[functions[0]][0], functions[0]) if len(functions) > 1 else None
    declared = ptx_parameter_count(text)
    kernel_spec.write(
        directory / f"{directory.name}{dotted}.kernel.toml", build=build,
        constants=variant["constants"], tag=variant.get("tag"), ptx=ptx, entry=functions[-1],
        block=block, shared=shared, oracle=oracle,
        hidden_pointers=declared - len(build["spec"]["args"]))


def ptx_parameter_count(text):
    """Declared kernel parameters; Triton adds scratch pointers after the ones in the source."""
    head = text[text.index(".entry"):]
    return head[:head.index(")")].count(".param")
