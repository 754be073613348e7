"""Times every variant of kernel families on a GPU, at every size, and writes a table a family.

    python3 tools/gpu/measure_families.py build/release/bin/pitot kernels/families --out h200 --minutes 9

In the folder, at any depth, are templates (*.variants.toml), which `pitot variants` compiles here while the families
before are being measured, or what it made of them elsewhere (manifest.json). Records go into the store OUT/store.db,
finished tables stay: the same command again measures only what the store lacks. Within a family the order is random (a
seed of its name), so that a GPU that warms up favours nobody.

    python3 tools/gpu/measure_families.py build/release/bin/pitot --made triton_families.tar.xz --out h200

Triton's templates are compiled where Triton is, by tools/triton_variants.py: --made takes what came of it, a folder or
an archive of one, and measures that in the place of templates of the same names.

All PTX is compiled by the driver ahead, on all cores, into the driver's own cache, where `pitot measure` finds it.
OUT gets FAMILY.csv, summary.csv (also printed), and of templates what was compiled, made/FAMILY/. With --pack all of it
goes into OUT/families.tar.xz in the end.
"""

import argparse
import concurrent.futures
import contextlib
import csv
import ctypes
import json
import multiprocessing
import os
import pathlib
import random
import shutil
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
import time
import tomllib

# Times of a variant within a family differ by whole factors: an interval of one percent is enough.
PROTOCOL = ["--no-cycles", "--warmup", "0.01", "--warmup-limit", "0.06", "--batch", "0.5", "--seconds", "0.05",
            "--ci", "1", "--time-limit", "20"]
FACTS = ["ptx_hash", "target", "compiler", "grid_x", "grid_y", "grid_z", "block_x", "block_y", "block_z",
         "dynamic_shared", "status", "median_us", "ci_lo_us", "ci_hi_us", "samples", "noise", "gpu", "driver", "sm_mhz",
         "protocol", "tool"]
SUMMARY = ["family", "variants", "rows", "ok", "failed", "missing", "fastest_us", "slowest_us", "spread",
           "noise_median", "prepare_s", "measure_s"]
LOG_BYTES = 16384
ERROR_LOG, ERROR_LOG_BYTES = 5, 6  # CUjit_option


def compile_all(paths):
    """Loads PTX files through the driver and lets go of them: what remains is the driver's cache."""
    name = os.environ.get("PITOT_CUDA_LIBRARY", "libcuda.so.1")
    cuda = ctypes.CDLL(name or None)
    device, context = ctypes.c_int(), ctypes.c_void_p()
    if cuda.cuInit(0) or cuda.cuDeviceGet(ctypes.byref(device), 0):
        return
    if cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device) or cuda.cuCtxSetCurrent(context):
        return
    for path in paths:
        # With the options that pitot gives, in case the cache tells them apart.
        log = ctypes.create_string_buffer(LOG_BYTES)
        options = (ctypes.c_int * 2)(ERROR_LOG, ERROR_LOG_BYTES)
        values = (ctypes.c_void_p * 2)(ctypes.cast(log, ctypes.c_void_p), LOG_BYTES)
        module = ctypes.c_void_p()
        if cuda.cuModuleLoadDataEx(ctypes.byref(module), path.read_bytes() + b"\0", 2, options, values) == 0:
            cuda.cuModuleUnload(module)


def compile_ahead(paths, workers):
    shares = [paths[i::workers] for i in range(workers)]
    with concurrent.futures.ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as pool:
        for future in [pool.submit(compile_all, share) for share in shares if share]:
            try:
                future.result()
            except (OSError, AttributeError, concurrent.futures.process.BrokenProcessPool) as e:
                print(f"compiling ahead: {e}", file=sys.stderr)
                return


def families_in(folders, names, made):
    return [Family(f, made) for f in sorted({f for folder in folders for name in names for f in folder.rglob(name)})]


def unpacked(path, to):
    """The folder of families that were made elsewhere; what an archive holds is put below `to`."""
    if path.is_dir():
        return path
    folder = to / path.name
    # Nothing of an older archive of that name is measured along with it.
    shutil.rmtree(folder, ignore_errors=True)
    try:
        with tarfile.open(path) as archive:
            archive.extractall(folder, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
    except (OSError, tarfile.TarError) as e:
        raise SystemExit(f"{path}: neither a folder nor an archive: {e}") from None
    return folder


def sizes_of(spec):
    """The kinds of a spec's sizes, in order."""
    return [size.get("kind", "") for size in tomllib.loads(spec.read_text()).get("sizes", [{}])]


def status_of(ok, reason):
    if ok:
        return "ok"
    for word, status in (("timeout", "timeout"), ("the driver does not load", "compile_failed"),
                         ("out-of-bounds", "fault"), ("trap", "fault"), ("misaligned", "fault")):
        if reason.startswith(word):
            return status
    return "launch_failed"


class Family:
    """What `pitot variants` made of a template. `name` orders families and is known before it is made."""

    def __init__(self, path, made):
        self.path = path
        self.is_template = path.name.endswith(".variants.toml")
        text = path.read_text()
        self.name = tomllib.loads(text)["name"] if self.is_template else json.loads(text)["family"]
        self.folder = made / self.name if self.is_template else path.parent
        self.seconds = self.prepared = 0.0

    def prepare(self, pitot, workers, limit, end):
        """Compiles the variants, and their PTX into the driver's cache."""
        start = time.monotonic()
        if self.is_template:
            if start >= end:
                raise RuntimeError("not compiled: the time is used up")
            if tomllib.loads(self.path.read_text())["source"].endswith(".py"):
                raise RuntimeError("not measured: Triton compiles it. Run tools/triton_variants.py on "
                                   f"{self.path.name} where Triton is, and give its output by --made")
            some = ["--only", str(limit)] if limit else []
            done = subprocess.run([pitot, "--jobs", str(workers), "variants", str(self.path), "-o", str(self.folder),
                                   "--no-ptxas", *some], capture_output=True, text=True, timeout=end - start)
            if done.returncode > 1:
                raise RuntimeError(f"pitot variants: {done.stderr}")
        self.manifest = json.loads((self.folder / "manifest.json").read_text())
        self.parameters = [p["name"] for p in self.manifest["parameters"]]
        # Combinations that a constraint refuses were never meant to be; others nobody asked for.
        self.variants = [v for v in self.manifest["variants"] if v["status"] in ("ok", "failed")]
        self.compiled = [v for v in self.variants if v["status"] == "ok"]
        # The order of measuring.
        random.Random(self.name).shuffle(self.compiled)
        self.compiled = self.compiled[:limit or None]
        if workers and time.monotonic() < end:
            compile_ahead([self.folder / v["ptx"] for v in self.compiled], workers)
        self.prepared = time.monotonic() - start

    def measure(self, pitot, store, seconds):
        specs = [str(self.folder / v["spec"]) for v in self.compiled]
        if not specs or seconds <= 0:
            return
        start = time.monotonic()
        try:
            done = subprocess.run([pitot, "measure", *specs, "--store", str(store), *PROTOCOL], text=True,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=seconds)
            if done.returncode > 1:
                print(f"{self.name}: {done.stderr}", file=sys.stderr)
        except subprocess.TimeoutExpired:
            print(f"{self.name}: stopped when its time was up", file=sys.stderr)
        self.seconds = time.monotonic() - start

    def rows(self, records):
        """One row a variant and size, in the manifest's order; `records` as read_store() has them."""
        kinds = next((sizes_of(self.folder / v["spec"]) for v in self.compiled), [""])
        for v in self.variants:
            for kind in kinds:
                row = {"family": self.name, "variant": v["name"], "size": kind,
                       **{f"p_{n}": v["parameters"][n] for n in self.parameters}}
                record = records.get((self.folder.name, v["spec"], kind)) if v["status"] == "ok" else None
                yield row | (facts_of(record) if record else {
                    "target": v["target"], "ptx_hash": v.get("ptx_hash", ""),
                    "status": "not_measured" if v["status"] == "ok" else "compile_failed"})


def facts_of(r):
    facts = {k: r[k] for k in ("ptx_hash", "target", "grid_x", "grid_y", "grid_z", "block_x", "block_y", "block_z",
                               "dynamic_shared", "gpu", "driver", "protocol", "tool")}
    facts["compiler"] = r["producer"]
    facts["status"] = status_of(r["ok"], r["reason"] or "")
    if r["ok"]:
        facts |= {"median_us": f"{r['median'] * 1e3:.6g}", "ci_lo_us": f"{r['median_lo'] * 1e3:.6g}",
                  "ci_hi_us": f"{r['median_hi'] * 1e3:.6g}", "samples": len(r["samples"]) // 8,
                  "noise": f"{(r['median_hi'] - r['median_lo']) / 2 / r['median']:.4g}",
                  "sm_mhz": r["after_sm_clock_mhz"]}
    return facts


def read_store(path):
    """Records by family, the name of the spec's file, and size: wherever the folder was when it was measured."""
    if not path.exists():
        return {}
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.row_factory = sqlite3.Row
        rows = db.execute("SELECT * FROM measurement WHERE comparison IS NULL").fetchall()
    return {(*pathlib.PurePath(r["spec"]).parts[-2:], r["size_kind"] or ""): r for r in rows}


def summary_of(family, rows):
    ok = [r for r in rows if r["status"] == "ok"]
    missing = sum(r["status"] == "not_measured" for r in rows)
    times = sorted(float(r["median_us"]) for r in ok)
    # Best against worst of a size, the larger of the sizes' ratios.
    by_size = {}
    for r in ok:
        by_size.setdefault(r["size"], []).append(float(r["median_us"]))
    noise = sorted(float(r["noise"]) for r in ok)
    return {"family": family.name, "variants": len(family.variants), "rows": len(rows), "ok": len(ok),
            "failed": len(rows) - len(ok) - missing, "missing": missing,
            "fastest_us": f"{times[0]:.1f}" if ok else "", "slowest_us": f"{times[-1]:.1f}" if ok else "",
            "spread": f"{max(max(t) / min(t) for t in by_size.values()):.1f}" if ok else "",
            "noise_median": f"{noise[len(noise) // 2]:.4f}" if ok else "", "prepare_s": f"{family.prepared:.1f}",
            "measure_s": f"{family.seconds:.1f}"}


def write_csv(path, columns, rows):
    with open(path.with_suffix(".tmp"), "w", newline="") as f:
        writer = csv.DictWriter(f, columns, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    path.with_suffix(".tmp").rename(path)


def pack(folder):
    archive = folder / "families.tar.xz"
    with tarfile.open(archive.with_suffix(".tmp"), "w:xz", preset=1) as to:
        for path in sorted(folder.iterdir()):
            if path != archive and not path.name.endswith(".tmp"):
                to.add(path, path.name)
    archive.with_suffix(".tmp").rename(archive)
    for path in folder.iterdir():
        if path != archive:
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pitot")
    parser.add_argument("families", nargs="*", type=pathlib.Path,
                        help="folders of templates, or of what was made of them")
    parser.add_argument("--made", action="append", default=[], type=pathlib.Path,
                        help="a folder or archive of what was made of templates elsewhere, in their place")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--minutes", type=float, default=9, help="all in all; what is not measured then is left")
    parser.add_argument("--only", action="append", help="only these families")
    parser.add_argument("--limit", type=int, default=0, help="only so many variants of each family: a trial")
    parser.add_argument("--workers", type=int, default=max(1, (os.cpu_count() or 1) - 4), help="that compile ahead")
    parser.add_argument("--pack", action="store_true", help="one archive of all results")
    args = parser.parse_intermixed_args()
    end = time.monotonic() + args.minutes * 60
    args.out.mkdir(parents=True, exist_ok=True)
    made = args.out / "made"
    ready = families_in([unpacked(m, made) for m in args.made], ["manifest.json"], made)
    given = families_in(args.families, ["*.variants.toml", "manifest.json"], made)
    given = [f for f in given if f.name not in {r.name for r in ready}]
    families = [f for f in sorted(given + ready, key=lambda f: f.name) if not args.only or f.name in args.only]
    if not families:
        searched = ", ".join(map(str, args.families + args.made))
        raise SystemExit(f"no templates and no manifests in {searched or 'no folder: none was given'}")
    store = args.out / "store.db"
    summaries, failed = [], False
    with tempfile.TemporaryDirectory() as cache, concurrent.futures.ThreadPoolExecutor(1) as ahead:
        os.environ.setdefault("CUDA_CACHE_PATH", cache)
        os.environ.setdefault("CUDA_CACHE_MAXSIZE", str(4 << 30))
        waiting = [ahead.submit(f.prepare, args.pitot, args.workers, args.limit, end) for f in families]
        for family, ready in zip(families, waiting):
            try:
                ready.result()
            except (RuntimeError, OSError, KeyError, ValueError, subprocess.TimeoutExpired) as e:
                print(f"{family.name}: {e}", file=sys.stderr)
                failed = True
                continue
            family.measure(args.pitot, store, end - time.monotonic())
            rows = list(family.rows(read_store(store)))
            columns = ["family", "variant", "size", *(f"p_{n}" for n in family.parameters), *FACTS]
            write_csv(args.out / f"{family.name}.csv", columns, rows)
            summaries.append(summary_of(family, rows))
            write_csv(args.out / "summary.csv", SUMMARY, summaries)
    if args.pack:
        pack(args.out)
    print(" ".join(SUMMARY))
    for s in summaries:
        print(" ".join(str(s[k]) for k in SUMMARY))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
