"""Fits the register estimate's trees and writes them as a C++ table.

python3 tools/registers/fit.py TRAIN … [--test DIR …] [--emit src/analysis/register_trees.inc]
Each TRAIN and DIR holds labels.csv (label.py, packages.py) and inputs.csv (register_inputs); one named NAME.bounds,
whose labels state launch bounds of their own, takes the inputs of NAME. Needs numpy, pandas, scipy, xgboost. Reports
errors with whole packages and groups of template families left out, then on all test directories together, which
nothing is fitted to, by target and producer, beside maximum liveness with a linear fit.
"""

import argparse
import csv
import json
import pathlib

import numpy as np
import pandas as pd
import xgboost as xgb
from scipy.stats import spearmanr

SKIP = {"file", "kernel", "threads", "maxnreg", "minblocks", "cap", "wanted_sm80", "wanted_sm90", "family", "target_name", "registers",
        "spill_stores", "group", "producer", "source", "b_threads", "b_blocks"}
ROUNDS, DEPTH, RATE = 110, 5, 0.07
PACKAGES = {row["name"] for row in csv.DictReader(open(pathlib.Path(__file__).parent / "packages.csv"))}
# Where occupancy steps: ptxas schedules towards these.
STEPS = np.array([32, 40, 48, 56, 64, 72, 80, 96, 128, 168])
SNAP = 0.06


def cap(threads, blocks):
    """register_cap() of a kernel with these bounds."""
    warps = (threads + 31) // 32 * max(1, blocks)
    return min(255, max(16, 65536 // 32 // warps // 8 * 8))


def load(directory):
    d = pathlib.Path(directory)
    plain = d.with_suffix("") if d.suffix == ".bounds" else d
    labels = pd.read_csv(d / "labels.csv").rename(columns={"target": "target_name"})
    inputs = pd.read_csv(plain / "inputs.csv")
    labels["producer"] = labels["file"].map(producer)
    labels["file"] = labels["file"].map(lambda f: pathlib.Path(f).name)
    inputs["file"] = inputs["file"].map(lambda f: pathlib.Path(f).name)
    t = labels.merge(inputs, on=["file", "kernel"])
    if d.suffix == ".bounds":
        t["bound_threads"], t["bound_blocks"] = t["b_threads"], t["b_blocks"]
        t["cap"] = t["bound_cap"] = [cap(a, b) for a, b in zip(t["b_threads"], t["b_blocks"])]
    # What belongs together is left out together: a package; gemm_types, gemm_direct …
    if plain.name in PACKAGES:
        t["group"], t["producer"] = plain.name, "cuda"
        t["family"] = plain.name + "/" + t["file"] + "/" + t["family"]
    else:
        t["group"] = t["family"].str.split("_").str[0]
    t["file"] = plain.name + "/" + t["file"]
    t["source"] = d.name
    # Inputs that depend on the target.
    for c in [c for c in t.columns if c.endswith("_90")]:
        t[c[:-3]] = t[c].where(t["target_name"] == "sm_90", t[c[:-3]])
        del t[c]
    t["target"] = t["target_name"].str.extract(r"(\d+)").astype(int)
    return t


def unbound(t):
    """Kernels that a launch bound does not hold back."""
    return t[(t["spill_stores"] == 0) & ((t["registers"] < t["cap"] - 8) | (t["cap"] >= 255))].reset_index(drop=True)


def columns(t):
    return [c for c in t.columns if c not in SKIP]


def anchors(t):
    """What each half of the trees corrects: a scheduler's peak with its fixed overhead, and a constant. Where functions
    without a body are called, at least what the calling convention takes. Halves that err differently err less together."""
    least = np.where(t["extern_calls"] > 0, np.maximum(24, 20 + t["across_calls"]), 0)
    return [np.log(np.maximum(x, least)) for x in ((t["timed_small"] + t["live_machine"]) / 2 + 9, 24.0)]


def fit(t, cols):
    w = 1.0 / t.groupby("family")["kernel"].transform("count") ** 0.5
    params = dict(max_depth=DEPTH, eta=RATE, subsample=0.7, colsample_bytree=0.5, min_child_weight=2, reg_lambda=2.0,
                  objective="reg:absoluteerror", seed=7, nthread=1)
    return [xgb.train(params, xgb.DMatrix(t[cols], np.log(t["registers"]) - a, weight=w), ROUNDS) for a in anchors(t)]


def predict(models, t, cols):
    logs = [m.predict(xgb.DMatrix(t[cols])) + a for m, a in zip(models, anchors(t))]
    least = np.where(t["calls"] > 0, 24.0, 4.0)
    return np.minimum(np.clip(np.exp(np.mean(logs, axis=0)), least, 1000), t["cap"])


def snap(p):
    """To the step that is within SNAP in log, if one is."""
    p = np.asarray(p, dtype=float)
    near = STEPS[np.abs(np.log(p[:, None] / STEPS)).argmin(axis=1)]
    return np.where(np.abs(np.log(p / near)) < SNAP, near, np.round(p))


def figures(t, p, q):
    """p: real-valued estimate (ranked), q: registers."""
    e = (np.abs(q - t["registers"]) / t["registers"]).to_numpy()
    r, truth = np.asarray(p), t["registers"].to_numpy()
    rng = np.random.default_rng(1)
    # Kernels of one template are kin: whole families are drawn.
    files = t.reset_index(drop=True).groupby("family").indices
    draws = []
    for _ in range(400):
        rows = np.concatenate([files[f] for f in rng.choice(list(files), len(files))])
        draws.append((spearmanr(r[rows], truth[rows])[0], np.median(e[rows])))
    lo, hi = np.nanpercentile(draws, [2.5, 97.5], axis=0)
    return (f"{len(t)} kernels, Spearman {spearmanr(r, truth)[0]:.3f} [{lo[0]:.3f}, {hi[0]:.3f}], "
            f"median error {100 * np.median(e):.1f} % [{100 * lo[1]:.1f}, {100 * hi[1]:.1f}], "
            f"90th percentile {100 * np.quantile(e, 0.9):.0f} %, sd of log {np.log(r / truth).std():.3f}")


def producer(path):
    parts = pathlib.Path(path).parts
    return next((k for k in ("cuda", "pairs", "inductor", "triton") if k in parts), "")


def baseline(train, t):
    """Maximum liveness, every value counted, with a line through the training kernels."""
    slope, cut = np.polyfit(train["live"], train["registers"], 1)
    return (slope * t["live"] + cut).clip(lower=4)


def report(name, t, p, line=None):
    for key in ["target_name", "producer", "source"]:
        for value, g in t.groupby(key):
            if value:
                print(f"{name} {value}: {figures(g, p[g.index], snap(p[g.index]))}")
                if line is not None:
                    print(f"  liveness and a line: {figures(g, line[g.index], line[g.index].round())}")


def literal(v):
    """A C++ float literal: 17f is none, 17.0f is."""
    text = f"{v:.9g}"
    return text + ("f" if any(c in text for c in ".en") else ".0f")


def emit(models, order, path):
    """`order`: the inputs as RegisterInput numbers them. The sum of all trees is the mean of the models."""
    base = np.mean([float(json.loads(m.save_config())["learner"]["learner_model_param"]["base_score"].strip("[]")) for m in models])
    lines = ["// Written by tools/registers/fit.py; do not edit. Trees of the register estimate, in preorder:",
             "// {input or -1 for a leaf, threshold or value, index of the right child}; the left child follows.",
             f"constexpr double kBase = {base:.9g};", "constexpr TreeNode kNodes[] = {"]
    starts, count = [], 0
    for tree in [d for m in models for d in m.get_dump(dump_format="json")]:
        starts.append(count)
        flat = []

        def walk(n):
            at = len(flat)
            if "leaf" in n:
                flat.append((-1, n["leaf"] / len(models), 0))
                return
            flat.append(None)
            kids = {c["nodeid"]: c for c in n["children"]}
            walk(kids[n["yes"]])
            right = len(flat)
            walk(kids[n["no"]])
            flat[at] = (order.index(n["split"]), n["split_condition"], right)

        walk(json.loads(tree))
        nodes = [f"{{{f}, {literal(v)}, {r + count if f >= 0 else 0}}}," for f, v, r in flat]
        lines += ["    " + " ".join(nodes[k : k + 4]) for k in range(0, len(nodes), 4)]
        count += len(flat)
    lines.append("};")
    lines.append("constexpr uint32_t kTrees[] = {" + ", ".join(map(str, starts)) + "};")
    pathlib.Path(path).write_text("\n".join(lines) + "\n")
    print(count, "nodes in", len(starts), "trees")


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("train", nargs="+")
    ap.add_argument("--test", nargs="*", default=[])
    ap.add_argument("--emit")
    a = ap.parse_args()
    train = pd.concat([load(d) for d in a.train], ignore_index=True)
    free = unbound(train)
    cols = columns(free)
    # Whole families left out: what a kernel unlike those fitted to meets.
    groups = sorted(free["group"].unique())
    p = pd.Series(0.0, index=free.index)
    for k in range(6):
        held = [f for i, f in enumerate(groups) if i % 6 == k]
        inside = free["group"].isin(held)
        p[inside] = predict(fit(free[~inside], cols), free[inside], cols)
    report("held-out groups", free, p)
    models = fit(free, cols)
    if a.test:
        t = unbound(pd.concat([load(d) for d in a.test], ignore_index=True))
        p = pd.Series(predict(models, t, cols), index=t.index)
        report("test", t, p, baseline(free[~free["source"].str.endswith(".bounds")], t))
    for m in models:
        importance = sorted(m.get_score(importance_type="total_gain").items(), key=lambda x: -x[1])
        print("inputs by gain:", ", ".join(f"{k} {v:.1f}" for k, v in importance[:12]))
    if a.emit:
        order = [c for c in pd.read_csv(pathlib.Path(a.train[0]) / "inputs.csv", nrows=1).columns if c not in SKIP]
        emit(models, order, a.emit)


if __name__ == "__main__":
    main()
