"""Compiles the template kernels and labels them with ptxas' registers and spills.

python3 tools/registers/label.py OUT [--set NAME] [--ptx PATH …]   writes OUT/batch*.ptx and OUT/labels.csv
(file, kernel, family, target, registers, spill_stores). Needs nvcc and ptxas; takes some minutes. With
--ptx, existing PTX files are labelled instead of templates.
"""

import argparse
import collections
import concurrent.futures
import csv
import pathlib
import re
import subprocess

import templates
import templates_apps
import templates_small
import templates_tuned

TARGETS = ["sm_80", "sm_90"]
MOST = 48  # kernels of one family, evenly over its parameters


def spread(kernels):
    """At most MOST kernels of a family, evenly over its parameters."""
    families = collections.defaultdict(list)
    for family, text in kernels:
        families[family].append((family, text))
    return [k for f in families.values() for k in (f if len(f) <= MOST else f[:: -(-len(f) // MOST)])]


SETS = {
    "basic": templates.all_kernels,
    "tuned": lambda: spread(templates_tuned.expand(templates_tuned.TUNED)),
    "apps": lambda: spread(templates_tuned.expand(templates_apps.APPS)),
    "small": lambda: spread(templates_tuned.expand(templates_small.SMALL)),
}


def compile_batch(out, index, batch):
    """One .cu of many kernels → PTX for sm_80; a batch that does not compile is reported."""
    cu, ptx = out / f"batch{index:03}.cu", out / f"batch{index:03}.ptx"
    if ptx.exists():
        return ptx
    text = templates.PRELUDE + "\n".join(
        t.replace("NAME", f"k{index}_{i}_{f}") for i, (f, t) in enumerate(batch)
    )
    text = text.replace("__global__", 'extern "C" __global__')
    cu.write_text(text)
    r = subprocess.run(
        ["nvcc", "-ptx", "-arch=compute_80", "-std=c++17", "-diag-suppress", "177", str(cu), "-o", str(ptx)],
        capture_output=True,
        text=True,
    )
    if r.returncode:
        print(cu, r.stderr[:1500], flush=True)
        return None
    return ptx


def labels(ptx, target):
    text = ptx.read_text()
    arch = target + "a" if ".target sm_90a" in text and target == "sm_90" else target
    text = re.sub(r"(?m)^\.target sm_\w+", ".target " + arch, text)
    r = subprocess.run(
        ["ptxas", "-v", f"-arch={arch}", "-o", "/dev/null", "/dev/stdin"], input=text, capture_output=True, text=True
    )
    rows, name, spill = [], None, 0
    for line in r.stderr.splitlines():
        if m := re.search(r"Compiling entry function '([^']+)'", line):
            name, spill = m.group(1), 0
        elif m := re.search(r"(\d+) bytes spill stores", line):
            spill = int(m.group(1)) if name else 0
        elif (m := re.search(r"Used (\d+) registers", line)) and name:
            rows.append((name, target, int(m.group(1)), spill))
            name = None
    return rows


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("out", type=pathlib.Path)
    ap.add_argument("--set", choices=SETS, default="basic")
    ap.add_argument("--ptx", nargs="*", type=pathlib.Path)
    ap.add_argument("-j", type=int, default=2)
    a = ap.parse_args()
    a.out.mkdir(parents=True, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(a.j) as pool:
        if a.ptx:
            files = [f for p in a.ptx for f in ([p] if p.is_file() else sorted(p.rglob("*.ptx")))]
        else:
            kernels = SETS[a.set]()
            batches = [kernels[i : i + 40] for i in range(0, len(kernels), 40)]
            files = [f for f in pool.map(lambda ib: compile_batch(a.out, *ib), enumerate(batches)) if f]
        jobs = [(f, t) for f in files for t in TARGETS]
        with open(a.out / "labels.csv", "w", newline="") as handle:
            w = csv.writer(handle)
            w.writerow(["file", "kernel", "family", "target", "registers", "spill_stores"])
            n = 0
            for (f, t), rows in zip(jobs, pool.map(lambda j: labels(*j), jobs)):
                for name, target, registers, spill in rows:
                    m = re.match(r"k\d+_\d+_(\w+)$", name)
                    w.writerow([f, name, m.group(1) if m else f.stem, target, registers, spill])
                    n += 1
    print(n, "labels")


if __name__ == "__main__":
    main()
