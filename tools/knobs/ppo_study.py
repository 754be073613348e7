"""PPO over compile knobs on recorded sweeps, seed by seed, held against the other searches.

    python3 tools/knobs/ppo_study.py build/release/bin/pitot --data data/h200/knobs --out ppo

writes trainings below OUT (those that are there already are not made again), OUT/study.json, and
the tables of docs/results/knobs-h200.md to standard output. Small space: the nine cases of the
published study, with the published observation (with and without counters) and with the size.
Large spaces: trained on one size, on the other and on both, judged on each.
"""

import argparse
import concurrent.futures
import csv
import json
import pathlib
import statistics
import subprocess
import sys

SMALL_SIZES = ["256", "512", "1024"]
BUDGETS = [1, 2, 5, 10, 20, 50, 100, 200, 500]


def run(command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stderr}")
    return done.stdout


def train(pitot, sweep, folder, seed, more):
    if not (folder / "summary.json").exists():
        run([pitot, "learn", "ppo", sweep, "-o", folder, "--seed", seed, "--resume", *more])
    return json.loads((folder / "summary.json").read_text())


def subset(sweep, sizes, path):
    rows = list(csv.reader(open(sweep, newline="")))
    column = rows[0].index("matrix_size")
    kept = [rows[0]] + [r for r in rows[1:] if r[column] in sizes]
    with open(path, "w", newline="") as f:
        csv.writer(f, lineterminator="\n").writerows(kept)
    return path


def joined(paths, path):
    lines = []
    for p in paths:
        text = pathlib.Path(p).read_text().splitlines()
        lines += text if not lines else text[1:]
    path.write_text("\n".join(lines) + "\n")
    return path


def compare(pitot, table, named_orders, budgets):
    command = [pitot, "knobs", "compare", table, "-f", "json", "--seeds", "200",
               "--budgets", ",".join(map(str, budgets))]
    for name, path in named_orders.items():
        command += ["--orders", f"{name}={path}"]
    return json.loads(run(command))["summaries"]


def percent(v):
    return "–" if v is None else f"{100 * v:.2f}"


def table_of(summaries, methods, budgets):
    at = {(s["method"], s["budget"]): s for s in summaries}
    lines = ["| N | " + " | ".join(methods) + " |", "|--:|" + "--:|" * len(methods)]
    for n in budgets:
        cells = []
        for m in methods:
            s = at.get((m, n))
            if s is None:
                cells.append("–")
                continue
            low, high = s["regret_interval"]
            cell = f"{percent(s['regret'])} ({percent(low)} … {percent(high)})"
            if m not in ("random", "default", "exhaustive") and s["against_random_interval"]:
                worse, better = s["against_random_interval"]
                cell += " **<**" if better < 0 else " **>**" if worse > 0 else " ="
            if s.get("found_nothing"):
                cell += f" [{s['found_nothing']} found nothing]"
            cells.append(cell)
        lines.append(f"| {n} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def sets_of(data, ptx):
    """Name, sweep, sizes trained on, further options."""
    out = []
    graphs = []
    if ptx:
        for kernel in ("gemm", "reduction", "softmax"):
            default = sorted((ptx / kernel).glob("BLOCK256_CAP0*.ptx"))
            if not default:
                sys.exit(f"{ptx / kernel}: no BLOCK256_CAP0*.ptx (pitot variants makes them)")
            graphs += ["--graph", f"{kernel}={default[0]}"]
    for source, base in (("no counters", "phase0_baseline"), ("counters", "phase1_result")):
        for seen, more in (("published", []), ("with size", ["--sizes"])):
            out.append((f"small, {source}, {seen}", base, SMALL_SIZES, more))
        if graphs:
            out.append((f"small, {source}, graph", base, SMALL_SIZES, graphs))
    for kernel in ("gemm", "reduction", "softmax"):
        sweep = data / f"{kernel}_large.csv"
        sizes = sorted({r["matrix_size"] for r in csv.DictReader(open(sweep))}, key=int)
        for chosen in ([sizes[0]], [sizes[1]]):
            out.append((f"{kernel} large, {chosen[0]}", f"{kernel}_large", chosen, []))
        out.append((f"{kernel} large, both", f"{kernel}_large", sizes, []))
        out.append((f"{kernel} large, both, with size", f"{kernel}_large", sizes, ["--sizes"]))
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pitot")
    parser.add_argument("--data", type=pathlib.Path, default=pathlib.Path("data/h200/knobs"))
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=50000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--ptx", type=pathlib.Path,
                        help="folder with gemm, reduction, softmax: what `pitot variants` made of "
                        "the small spaces; adds trainings with --graph")
    parser.add_argument("--only", default="", help="sets whose names begin so")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    sets = [s for s in sets_of(args.data, args.ptx) if s[0].startswith(args.only)]

    def folder(name, seed):
        return args.out / name.replace(", ", "-").replace(" ", "_") / f"seed-{seed}"

    jobs = [(s, seed) for s in sets for seed in range(1, args.seeds + 1)]
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        done = dict(zip([(s[0], seed) for s, seed in jobs], pool.map(
            lambda j: train(args.pitot, args.data / f"{j[0][1]}.csv", folder(j[0][0], j[1]), j[1],
                            ["--steps", args.steps, "--only-sizes", ",".join(j[0][2]), *j[0][3]]),
            jobs)))

    study = []
    for name, base, sizes, _ in sets:
        sweep = args.data / f"{base}.csv"
        runs = [done[(name, seed)] for seed in range(1, args.seeds + 1)]
        trained = [r["trained_on"]["mean_regret"] for r in runs]
        worst = max(runs, key=lambda r: r["trained_on"]["worst_regret"])["trained_on"]
        print(f"\n## {name}\n\nMean regret of the first choice on what it was trained on, by seed: "
              + ", ".join(f"{percent(v)} %" for v in trained)
              + f"; mean {percent(statistics.mean(trained))} %; worst case "
              + f"{worst['worst_case']}, {percent(worst['worst_regret'])} %.\n")
        top = folder(name, 1).parent
        policies = [folder(name, s) / "best.policy.json" for s in range(1, args.seeds + 1)]
        orders = top / "orders.csv"
        run([args.pitot, "knobs", "orders", sweep, "--policy", *policies, "-o", orders])
        met = joined([folder(name, s) / "measured.csv" for s in range(1, args.seeds + 1)],
                     top / "measured.csv")
        entry = {"name": name, "first_choice_regret": trained, "worst": worst, "judged": []}
        every = sorted({r["matrix_size"] for r in csv.DictReader(open(sweep))}, key=int)
        groups = [SMALL_SIZES, [s for s in every if s not in SMALL_SIZES]] if base.startswith(
            "phase") else [[s] for s in every]
        budgets = [1, 2, 3, 5, 9] if base.startswith("phase") else BUDGETS
        for group in groups:
            if not group:
                continue
            table = subset(sweep, group, top / f"sizes-{'-'.join(group)}.csv")
            named = {"ppo": orders}
            if set(group) <= set(sizes):
                named["training"] = met
            summaries = compare(args.pitot, table, named, budgets)
            held = "trained on" if "training" in named else "held out"
            print(f"### Judged on {', '.join(group)} ({held})\n")
            print(table_of(summaries, ["random", "greedy", *named], budgets) + "\n", flush=True)
            entry["judged"].append({"sizes": group, "held_out": held == "held out",
                                    "summaries": summaries})
        study.append(entry)
    (args.out / "study.json").write_text(json.dumps(study, indent=1) + "\n")


if __name__ == "__main__":
    main()
