"""The knobs study, phase by phase, without a GPU: from the recorded tables of data/h200/knobs.

    python3 tools/knobs/phases.py build/release/bin/pitot --phase 3 --out study

Without --phase all of them, in order. 0: times of the small space, modelled on the emulator from recorded PTX;
1: the same with counters; 2: the correctness suites; 3: episodes of random choices, and PPO; 4: episodes of the trained
policy; 5: the phase detector; 6: PPO with the graph encoder, and its embeddings; 7: searches compared. Commands are
printed as they are run. 3 to 7 train what they need and is not in OUT yet; training wants libtorch (pitot-learn beside
pitot), and 2 the tests (build target test_kernels): a phase without what it needs is left out, and says so.
"""

import argparse
import csv
import pathlib
import shlex
import statistics
import subprocess
import sys
import tarfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "data" / "h200" / "knobs"
KERNELS = ("gemm", "reduction", "softmax")
SMALL = DATA / "phase1_result.csv"


class LeftOut(Exception):
    """Why a phase cannot be run here."""


class Study:
    def __init__(self, pitot, out, brief, seed):
        self.pitot, self.out, self.brief, self.seed = pitot, out, brief, seed
        out.mkdir(parents=True, exist_ok=True)

    def run(self, command):
        print("$ " + shlex.join(map(str, command)), flush=True)
        done = subprocess.run(list(map(str, command)))
        if done.returncode != 0:
            sys.exit(f"exit {done.returncode}: {shlex.join(map(str, command))}")

    def verb(self, *arguments):
        self.run([self.pitot, *arguments])

    def learn(self, *arguments):
        if not (self.pitot.parent / "pitot-learn").exists():
            raise LeftOut("training needs libtorch when pitot is built (docs/learn.md)")
        self.verb("learn", *arguments)

    def made(self):
        """The configurations of the small space as nvcc made them."""
        folder = self.out / "made"
        if not folder.exists():
            with tarfile.open(DATA / "small_ptx.tar.xz") as packed:
                packed.extractall(folder)
        return [folder / f"{k}_small" for k in KERNELS]

    def modelled(self):
        return ["--device", "emu", "--gpu", "H200", *(["--sizes", "256"] if self.brief else [])]

    def policy(self, name, *more):
        folder = self.out / name
        if not (folder / "summary.json").exists():
            steps = ["--steps", "2048"] if self.brief else []
            self.learn("ppo", SMALL, "-o", folder, "--seed", self.seed, "--resume", *steps, *more)
        return folder / "best.policy.json"

    def phase0(self):
        self.verb("knobs", "sweep", *self.made(), *self.modelled(), "-o", self.out / "phase0_baseline.csv")

    def phase1(self):
        self.verb("knobs", "counters", *self.made(), *self.modelled(), "-o", self.out / "phase1_result.csv")

    def phase2(self):
        tests = self.pitot.parent / "test_kernels"
        if not tests.exists():
            raise LeftOut(f"the tests are not built: cmake --build {self.pitot.parent.parent} --target test_kernels")
        self.run([tests, "--gtest_filter=All/Knobs.*", "--gtest_brief=1"])

    def phase3(self):
        self.verb("knobs", "rollout", SMALL, "--episodes", "1" if self.brief else "5", "--max-steps", "20",
                  "-o", self.out / "phase3_rollout.csv", "--summary", self.out / "phase3_episode_summary.csv")
        self.policy("ppo")

    def phase4(self):
        steps = self.out / "phase4_rollout.csv"
        self.verb("knobs", "rollout", SMALL, "--policy", self.policy("ppo"), "--episodes", "5", "--max-steps", "20",
                  "-o", steps, "--summary", self.out / "phase4_episode_summary.csv")
        cases = {}
        for row in csv.DictReader(open(steps, newline="")):
            cases.setdefault((row["kernel"], row["matrix_size"]), []).append(float(row["speedup"]))
        print(f"{'kernel':<12} {'size':>6} {'mean':>7} {'best':>7} {'worst':>7}  speedup over the default")
        for (kernel, size), all_of in cases.items():
            print(f"{kernel:<12} {size:>6} {statistics.mean(all_of):>7.3f} {max(all_of):>7.3f} {min(all_of):>7.3f}")

    def phase5(self):
        windows = self.out / "windows.csv"
        self.run([sys.executable, ROOT / "tools" / "knobs" / "phase_windows.py", DATA / "phase" / "phase_launches.csv",
                  "--windows", "60" if self.brief else "540", "-o", windows])
        self.verb("knobs", "phase", windows, "--detector", DATA / "phase" / "phase.detector",
                  "-o", self.out / "verdicts.csv")
        self.learn("phase", windows, "--folds", "2" if self.brief else "5", "--epochs", "1" if self.brief else "30",
                   "--rate", "0.002", "-o", self.out / "phase")

    def phase6(self):
        files = {k: next(folder.glob("BLOCK256_CAP0*.ptx")) for k, folder in zip(KERNELS, self.made())}
        graphs = [a for k, file in files.items() for a in ("--graph", f"{k}={file}")]
        policy = self.policy("ppo_graph", *graphs)
        for file in files.values():
            self.verb("learn", "embed", file, "--policy", policy)

    def phase7(self):
        seeds = ["--seeds", "10"] if self.brief else []
        learned = []
        try:
            policy, orders = self.policy("ppo"), self.out / "ppo_orders.csv"
            self.verb("knobs", "orders", SMALL, "--policy", policy, "-o", orders)
            learned = ["--orders", f"ppo={orders}", "--orders", f"training={policy.parent / 'measured.csv'}"]
        except LeftOut as why:
            print(f"phase 7 without PPO: {why}", flush=True)
        self.verb("knobs", "compare", SMALL, *learned, "--orders", f"ranker={DATA / 'ranked' / 'small.csv'}",
                  "--budgets", "1,2,3,5,9", *seeds, "-o", self.out / "phase7_comparison.csv")
        for kernel in KERNELS:
            named = [a for name, file in (("ranker", ""), ("distinct", "_distinct"), ("distinct+5", "_distinct_5"))
                     if (ranked := DATA / "ranked" / f"{kernel}_large{file}.csv").exists()
                     for a in ("--orders", f"{name}={ranked}")]
            self.verb("knobs", "compare", DATA / f"{kernel}_large.csv", *named, *seeds,
                      "-o", self.out / f"phase7_{kernel}_large.csv")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("pitot", type=pathlib.Path)
    p.add_argument("--phase", type=int, action="append", choices=range(8), help="several times for several")
    p.add_argument("--out", type=pathlib.Path, required=True)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--brief", action="store_true", help="one size, few steps: whether it runs, not what it finds")
    a = p.parse_args()
    study = Study(a.pitot.resolve(), a.out, a.brief, a.seed)
    for phase in a.phase or range(8):
        print(f"phase {phase}", flush=True)
        try:
            getattr(study, f"phase{phase}")()
        except LeftOut as why:
            print(f"phase {phase} is left out: {why}", flush=True)


if __name__ == "__main__":
    main()
