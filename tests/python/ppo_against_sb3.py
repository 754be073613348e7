"""Our PPO beside Stable-Baselines3's on the same recorded sweep: learning curves, seed by seed.

    pip install stable-baselines3 gymnasium        # into an environment of its own; not in CI
    python tests/python/ppo_against_sb3.py build/release/bin/pitot data/h200/knobs/phase1_result.csv --out sb3

First the environment in this file is held against `pitot knobs rollout`, step by step: rewards of
random choices, and the choices of a trained policy, which depend on every value that is observed.
Then both are trained with the published settings; OUT/curves.csv and OUT/summary.json have the mean
reward a step of each rollout. Exit code 1: the environments differ, or the last fifth of the curves
of one is outside the spread of the other's and its mean differs beyond chance (p < 0.01).
"""

import argparse
import csv
import itertools
import json
import math
import pathlib
import statistics
import subprocess
import sys
import time

import gymnasium
import numpy as np

STATES = 4  # of the GPU by NVML; zeros where a table is replayed
COUNTERS = ["achieved_occupancy", "l2_hit_rate", "dram_bw_pct", "sm_active_pct"]
BASELINE = (256, 0)


class Sweep:
    def __init__(self, path, sizes):
        self.rows, self.cases, self.kernels = {}, [], []
        for r in csv.DictReader(open(path, newline="")):
            if r["kernel"] not in self.kernels:
                self.kernels.append(r["kernel"])
            case = (r["kernel"], int(r["matrix_size"]))
            if sizes and case[1] not in sizes:
                continue
            if case not in self.cases:
                self.cases.append(case)
            counters = [float(r.get(f"{c}_norm") or 0) for c in COUNTERS]
            time_ms = float(r["time_ms_mean"]) if r["time_ms_mean"] else None
            self.rows[case, (int(r["block_size"]), int(r["reg_cap"]))] = (time_ms, counters)
        self.values = [sorted({k[1][i] for k in self.rows}) for i in range(2)]


class KnobEnvironment(gymnasium.Env):
    """Spec: an episode chooses knobs of one kernel at one size; the reward is the speedup less one."""

    def __init__(self, sweep, max_steps):
        self.sweep, self.max_steps = sweep, max_steps
        self.action_space = gymnasium.spaces.MultiDiscrete([len(v) for v in sweep.values])
        width = len(sweep.kernels) + 2 + len(COUNTERS) + STATES
        self.observation_space = gymnasium.spaces.Box(0, 1, (width,), np.float32)
        self.rewards = []  # of every step ever made

    def observed(self):
        _, counters = self.sweep.rows[self.case, self.settings()]
        seen = [float(k == self.case[0]) for k in self.sweep.kernels]
        seen += [p / (len(v) - 1) for p, v in zip(self.previous, self.sweep.values)]
        return np.array(seen + counters + [0] * STATES, np.float32)

    def settings(self):
        return tuple(v[p] for p, v in zip(self.previous, self.sweep.values))

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        cases = self.sweep.cases
        self.case = (options or {}).get("case") or cases[self.np_random.integers(len(cases))]
        self.previous = [v.index(b) for v, b in zip(self.sweep.values, BASELINE)]
        self.baseline_ms = self.sweep.rows[self.case, BASELINE][0]
        self.steps = 0
        return self.observed(), {}

    def step(self, action):
        self.previous = [int(a) for a in action]
        self.steps += 1
        time_ms = self.sweep.rows[self.case, self.settings()][0]
        reward = self.baseline_ms / time_ms - 1 if time_ms else -1.0
        self.rewards.append(reward)
        return self.observed(), reward, False, self.steps >= self.max_steps, {}


def likeliest(policy, seen):
    x = seen.astype(np.float64)
    for k, layer in enumerate(policy["layers"]):
        x = np.array(layer["weight"]).reshape(layer["outputs"], -1) @ x + np.array(layer["bias"])
        if k + 1 < len(policy["layers"]):
            x = np.tanh(x)
    out, first = [], 0
    for knob in policy["knobs"]:
        out.append(int(np.argmax(x[first : first + len(knob["values"])])))
        first += len(knob["values"])
    return out


def replayed(args, sweep, policy_path):
    """Steps compared, and complaints."""
    log = args.out / "rollout.csv"
    subprocess.run([args.pitot, "knobs", "rollout", args.sweep, "--policy", policy_path, "-o", log,
                    "--summary", args.out / "episodes.csv"], check=True, capture_output=True)
    policy = None if policy_path == "random" else json.loads(pathlib.Path(policy_path).read_text())
    env, episode, seen, compared, wrong = KnobEnvironment(sweep, 20), None, None, 0, []
    for r in csv.DictReader(open(log, newline="")):
        case = (r["kernel"], int(r["matrix_size"]))
        if case not in sweep.cases:
            continue
        if r["episode_id"] != episode:
            episode = r["episode_id"]
            seen, _ = env.reset(options={"case": case})
        chosen = [v.index(int(r[k])) for k, v in zip(("block_size", "reg_cap"), sweep.values)]
        if policy is not None and likeliest(policy, seen) != chosen:
            wrong.append(f"episode {episode} step {r['step']}: another choice")
        seen, reward, _, _, _ = env.step(chosen)
        compared += 1
        if not math.isclose(reward, float(r["reward"]), rel_tol=1e-9, abs_tol=1e-12):
            wrong.append(f"episode {episode} step {r['step']}: reward {reward}, not {r['reward']}")
        for name, value in zip(COUNTERS, seen[len(sweep.kernels) + 2 :]):
            if abs(float(r[f"cupti_{name}_norm"] or 0) - value) > 1e-6:
                wrong.append(f"episode {episode} step {r['step']}: counter {name}")
    return compared, wrong


def by_rollout(rewards, rollout=2048):
    return [statistics.mean(rewards[i : i + rollout]) for i in range(0, len(rewards), rollout)]


def train_theirs(args, sweep, seed):
    import torch
    from stable_baselines3 import PPO

    torch.set_num_threads(1)
    env = KnobEnvironment(sweep, args.max_steps)
    model = PPO("MlpPolicy", env, n_steps=2048, batch_size=64, n_epochs=10, learning_rate=3e-4,
                gamma=0.99, gae_lambda=0.95, clip_range=0.2, ent_coef=0.01, vf_coef=0.5,
                max_grad_norm=0.5, seed=seed, device="cpu")
    begin = time.process_time()
    model.learn(args.steps)
    return by_rollout(env.rewards), time.process_time() - begin


def train_ours(args, seed):
    folder = args.out / f"ours-{seed}"
    if not (folder / "summary.json").exists():
        more = ["--only-sizes", args.sizes] if args.sizes else []
        subprocess.run([args.pitot, "learn", "ppo", args.sweep, "-o", folder, "--seed", str(seed),
                        "--steps", str(args.steps), "--max-steps", str(args.max_steps), *more],
                       check=True, capture_output=True)
    return [float(r["reward"]) for r in csv.DictReader(open(folder / "updates.csv"))]


def permutation_p(a, b):
    """Two-sided, exact, of the difference of means."""
    both, seen = a + b, abs(statistics.mean(a) - statistics.mean(b))
    splits = list(itertools.combinations(range(len(both)), len(a)))
    as_far = 0
    for chosen in splits:
        x = [both[i] for i in chosen]
        y = [both[i] for i in range(len(both)) if i not in chosen]
        as_far += abs(statistics.mean(x) - statistics.mean(y)) >= seen - 1e-12
    return as_far / len(splits)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pitot")
    parser.add_argument("sweep")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=50000)
    parser.add_argument("--max-steps", type=int, default=50)
    parser.add_argument("--sizes", default="256,512,1024", help="of the matrices; empty: all")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    sweep = Sweep(args.sweep, [int(s) for s in args.sizes.split(",") if s])

    ours = [train_ours(args, seed) for seed in range(1, args.seeds + 1)]
    for policy in ["random"] + [args.out / f"ours-{s}" / "best.policy.json"
                                for s in range(1, args.seeds + 1)]:
        compared, wrong = replayed(args, sweep, policy)
        print(f"environment against the rollout of {policy}: {compared} steps, {len(wrong)} differ")
        if wrong or compared == 0:
            print("\n".join(wrong[:10]))
            return 1
    theirs, seconds = [], []
    for seed in range(1, args.seeds + 1):
        curve, cpu = train_theirs(args, sweep, seed)
        theirs.append(curve)
        seconds.append(cpu)
        print(f"Stable-Baselines3 seed {seed}: {cpu:.0f} s of CPU", flush=True)

    updates = min(len(c) for c in ours + theirs)
    with open(args.out / "curves.csv", "w", newline="") as f:
        out = csv.writer(f, lineterminator="\n")
        out.writerow(["steps", "who", "seed", "reward"])
        for who, curves in (("pitot", ours), ("sb3", theirs)):
            for seed, curve in enumerate(curves, 1):
                out.writerows([2048 * (i + 1), who, seed, r] for i, r in enumerate(curve))
    inside = [0, 0]
    print("steps   ours mean (least … most)      theirs")
    for i in range(updates):
        a, b = [c[i] for c in ours], [c[i] for c in theirs]
        inside[0] += min(b) <= statistics.mean(a) <= max(b)
        inside[1] += min(a) <= statistics.mean(b) <= max(a)
        if (i + 1) % 5 == 0 or i == 0:
            print(f"{2048 * (i + 1):6d}  {statistics.mean(a):.4f} ({min(a):.4f} … {max(a):.4f})"
                  f"  {statistics.mean(b):.4f} ({min(b):.4f} … {max(b):.4f})")
    last = max(1, updates // 5)
    end = [[statistics.mean(c[updates - last : updates]) for c in curves] for curves in (ours, theirs)]
    p = permutation_p(*end)
    spread = [(min(e), max(e)) for e in end]
    within = [spread[1 - k][0] <= statistics.mean(end[k]) <= spread[1 - k][1] for k in (0, 1)]
    summary = {"seeds": args.seeds, "updates": updates, "ours_mean_within_theirs": inside[0],
               "theirs_mean_within_ours": inside[1], "last_fifth_ours": end[0],
               "last_fifth_theirs": end[1], "p": p, "sb3_cpu_seconds": seconds}
    (args.out / "summary.json").write_text(json.dumps(summary, indent=1) + "\n")
    print(json.dumps(summary))
    return 1 if not all(within) and p < 0.01 else 0


if __name__ == "__main__":
    sys.exit(main())
