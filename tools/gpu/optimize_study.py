"""Records searches for transforms on a GPU: every value of every program, for tables and for learning without a GPU.

    python3 tools/gpu/optimize_study.py build/release/bin/pitot --out "$OUT" --minutes 9
    python3 tools/gpu/optimize_study.py build/release/bin/pitot --out "$OUT" --minutes 9 --parts triton,nvcc
    python3 tools/gpu/optimize_study.py build/release/bin/pitot --out check --check --resume "$OUT/optimize.tar.xz"

Parts, in order (docs/search.md says why a whole table of gemm_tile is what it is):
  tile    the 64 kernels of gemm_tile, SM cycles: all programs of at most four of the 20 published actions
  deep    four of them, all programs of at most six of all actions
  triton  the launches of kernels/triton.toml, by events: greedy, then beam and random to a budget
  nvcc    the launches of kernels/nvcc.toml, where that is there, likewise

Policies of a part share one log a kernel: what one has measured is free for the next. The folder --work keeps everything,
so the same command goes on where it was ended, also by kill -9; --resume takes it from an archive. In the end, and when
the minutes are over, OUT gets optimize.tar.xz with logs and tables, and summary.txt, which is also printed.

--check needs no GPU: it searches the logs again, checks what each search found on the emulator, and takes the next best
program where that is not confirmed.
"""

import argparse
import concurrent.futures
import csv
import io
import os
import pathlib
import signal
import subprocess
import sys
import tarfile
import time
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
PUBLISHED = ("vec_ld,vec_st,split_ld,cache_cs,cache_cg,cache_ca,cache_cv,st_cache_cs,st_cache_wt,st_cache_wb,"
             "maxnreg_32,maxnreg_64,maxnreg_128,maxnreg_255,reorder_cp,reorder_il,reorder_lf,reorder_sl,"
             "prefetch_L1,prefetch_L2")
ALL = "1000000"
DEEP = ["M2_N2_K2", "M4_N4_K4", "M4_N6_K8", "M8_N8_K8"]
# Name, where its kernels come from, options. Searches that share logs have one name before the
# dot.
SEARCHES = [
    ("tile.exhaustive", "tile", ["--clock", "sm", "--policy", "exhaustive", "--budget", ALL, "--steps", "4",
                                 "--actions", PUBLISHED]),
    ("deep.exhaustive", "deep", ["--clock", "sm", "--policy", "exhaustive", "--budget", ALL]),
    ("triton.greedy", "triton", ["--clock", "event", "--policy", "greedy"]),
    ("triton.beam", "triton", ["--clock", "event", "--policy", "beam", "--width", "4", "--budget", "150"]),
    ("triton.random", "triton", ["--clock", "event", "--policy", "random", "--budget", "150"]),
    ("nvcc.greedy", "nvcc", ["--clock", "event", "--policy", "greedy"]),
    ("nvcc.beam", "nvcc", ["--clock", "event", "--policy", "beam", "--width", "4", "--budget", "150"]),
    ("nvcc.random", "nvcc", ["--clock", "event", "--policy", "random", "--budget", "150"]),
]
TOML_TEXT = str.maketrans({"\\": "\\\\", '"': '\\"'})


def tile_specs(pitot, kernels, work, made):
    """The 64 kernels, compiled once, or elsewhere."""
    folder = made or work / "kernels" / "gemm_tile"
    if made is None and len(list(folder.glob("*.kernel.toml"))) < 64:
        folder.mkdir(parents=True, exist_ok=True)
        done = subprocess.run([pitot, "variants", kernels / "families/gemm_tile/gemm_tile.variants.toml", "-o", folder,
                               "--no-ptxas", "-f", "csv"], capture_output=True, text=True)
        if done.returncode != 0:
            print(f"gemm_tile: {done.stderr.strip()}", file=sys.stderr)
    return sorted(str(p) for p in folder.glob("*.kernel.toml"))


def launches_of(path):
    if not path.exists():
        return []
    return tomllib.loads(path.read_text())["kernel"]


def list_text(launches, folder):
    """Launches in the form of kernels/triton.toml, with whole paths."""
    def quoted(text):
        return '"' + str(text).translate(TOML_TEXT) + '"'

    out = []
    for launch in launches:
        out.append("[[kernel]]")
        for key, value in launch.items():
            if key == "set":
                out.append("set = { " + ", ".join(f"{k} = {v}" for k, v in value.items()) + " }")
            else:
                out.append(f"{key} = {quoted(folder / value if key == 'spec' else value)}")
        out.append("")
    return "\n".join(out)


def shares(source, args):
    """What the commands of each GPU are given as their kernels: paths, none of it empty."""
    count, work = args.gpus, args.work
    if source in ("tile", "deep"):
        specs = tile_specs(args.pitot, args.kernels, work, args.tile)
        if source == "deep":
            specs = [s for s in specs if pathlib.Path(s).name.removesuffix(".kernel.toml") in DEEP]
        return [specs[i::count] for i in range(count) if specs[i::count]]
    launches = launches_of(args.kernels / f"{source}.toml")
    out = []
    for i in range(count):
        if launches[i::count]:
            path = work / "kernels" / f"{source}.{i}of{count}.toml"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(list_text(launches[i::count], args.kernels))
            out.append([str(path)])
    return out


def search(args, name, options, paths, gpu, until):
    """One command of pitot; its table as CSV text and what went wrong."""
    part = name.split(".")[0]
    left = until - time.monotonic()
    cost = "log" if args.check else f"cuda:{gpu}"
    command = [args.pitot, "-j", str(args.jobs), "optimize", *paths, "--cost", cost, "--log", args.work / "logs" / part,
               "-f", "csv", *options]
    if args.check:
        command += ["-o", args.work / "best" / name]
    else:
        command += ["--no-check", "--all-seconds", f"{left:.1f}"]
    try:
        # What hangs although pitot keeps its own time must not cost the rest.
        done = subprocess.run([str(c) for c in command], capture_output=True, text=True,
                              timeout=None if args.check else left + 20)
    except subprocess.TimeoutExpired as e:
        return "", f"stopped after {e.timeout:.0f} s"
    complaints = [line for line in done.stderr.splitlines() if line.strip()]
    if done.returncode not in (0, 1) and not complaints:
        complaints = [f"exit code {done.returncode}"]
    return done.stdout, "\n".join(complaints)


def run_search(args, name, source, options, until):
    parts = shares(source, args)
    if not parts:
        return None
    begin = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(len(parts)) as pool:
        done = list(pool.map(lambda i: search(args, name, options, parts[i], i, until), range(len(parts))))
    rows, header = [], None
    for text, _ in done:
        table = list(csv.reader(io.StringIO(text)))
        header = header or (table[0] if table else None)
        rows += table[1:]
    if header is None:
        return "\n".join(e for _, e in done if e) or "no table"
    path = args.work / "tables" / f"{name}.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as f:
        csv.writer(f, lineterminator="\n").writerows([header, *sorted(rows)])
    return (time.monotonic() - begin, "\n".join(e for _, e in done if e))


def describe(path):
    """One line on a table, and one a kernel."""
    with path.open(newline="") as f:
        rows = list(csv.DictReader(f))
    good = [r for r in rows if not r["error"] and r["stopped"] == "no"]
    changes = [float(r["change_percent"]) for r in good]
    out = [f"{path.stem}: {len(good)} of {len(rows)} kernels to the end"]
    if good:
        out[0] += (f", {sum(c < 0 for c in changes)} better, mean {sum(changes) / len(changes):+.1f} %, best "
                   f"{min(changes):+.1f} %, {sum(int(r['programs']) for r in good)} programs, "
                   f"{sum(int(r['images']) for r in good)} images, {sum(float(r['seconds']) for r in good):.0f} s")
    for r in rows:
        if r["error"]:
            out.append(f"  {r['name']:24} {r['error']}")
        else:
            out.append(f"  {r['name']:24} {float(r['before']):10.4g} {float(r['after']):10.4g} "
                       f"{float(r['change_percent']):+6.1f} % {r['programs']:>6} {r['images']:>6} {r['sequence']}"
                       f"{' (time is up)' if r['stopped'] == 'yes' else ''}"
                       f"{' ' + r['failures'] if r['failures'] else ''}")
    return "\n".join(out)


def pack(args, notes):
    lines = list(notes)
    for name, _, _ in SEARCHES:
        path = args.work / "tables" / f"{name}.csv"
        if path.exists():
            lines.append(describe(path))
    summary = "\n".join(lines) + "\n"
    args.out.mkdir(parents=True, exist_ok=True)
    (args.out / "summary.txt").write_text(summary)
    archive = args.out / "optimize.tar.xz"
    partial = archive.with_suffix(".part")
    with tarfile.open(partial, "w:xz", preset=1) as tar:
        for folder in ("logs", "tables", "best"):
            if (args.work / folder).exists():
                tar.add(args.work / folder, folder)
    os.replace(partial, archive)
    return summary


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pitot", type=lambda p: str(pathlib.Path(p).resolve()))
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("/tmp/pitot_optimize_study"))
    parser.add_argument("--kernels", type=lambda p: pathlib.Path(p).resolve(), default=ROOT / "kernels",
                        help="where triton.toml, nvcc.toml and families/gemm_tile are")
    parser.add_argument("--tile", type=lambda p: pathlib.Path(p).resolve(),
                        help="what `pitot variants` made of gemm_tile elsewhere; else it is made here, by nvcc")
    parser.add_argument("--minutes", type=float, default=9, help="for measuring and packing together")
    parser.add_argument("--parts", default="tile,triton,nvcc,deep")
    parser.add_argument("--gpus", type=int, default=1, help="kernels are shared out among so many")
    parser.add_argument("--jobs", type=int, default=0, help="compilers at a time and GPU; 0: every core")
    parser.add_argument("--resume", type=pathlib.Path, help="an archive of an earlier run")
    parser.add_argument("--check", action="store_true", help="no GPU: check what the logs say was found")
    args = parser.parse_args()
    args.work = args.work.resolve()
    args.jobs = args.jobs or max(1, (os.cpu_count() or 1) // args.gpus)
    if args.resume and not (args.work / "logs").exists():
        with tarfile.open(args.resume) as tar:
            tar.extractall(args.work, filter="data")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    until = time.monotonic() + 60 * args.minutes - 20  # packing takes some seconds
    notes = []
    wanted = args.parts.split(",")
    try:
        for part in wanted:
            for name, source, options in SEARCHES:
                if name.split(".")[0] != part:
                    continue
                if not args.check and until - time.monotonic() < 5:
                    notes.append(f"{name}: no time was left")
                    continue
                done = run_search(args, name, source, options, until)
                if done is None:
                    notes.append(f"{name}: there are no kernels")
                elif isinstance(done, str):
                    notes.append(f"{name}: {done}")
                else:
                    notes.append(f"{name}: {done[0]:.0f} s" + ("\n" + done[1] if done[1] else ""))
                print(notes[-1], flush=True)
    finally:
        print(pack(args, notes), flush=True)


if __name__ == "__main__":
    main()
