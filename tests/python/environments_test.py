"""The package pitot as Gymnasium meets it, held against `pitot knobs rollout` and `pitot learn table`.

    python tests/python/environments_test.py build/dev/bin/pitot build/dev/python

Needs gymnasium and numpy, of this Python or of a virtual environment at BUILD/python-venv; exit code 77, "skipped",
without them. With --rates it times steps besides.
"""

import csv
import os
import pathlib
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
import unittest
import warnings

PROGRAM, PACKAGE = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
VENV = PACKAGE.parent / "python-venv" / "bin" / "python"
try:
    import gymnasium
    import numpy as np
except ImportError as e:
    if VENV.exists() and pathlib.Path(sys.executable) != VENV:
        os.execv(VENV, [str(VENV), *sys.argv])
    print(f"skipped: {e}; python3 -m venv {VENV.parent.parent} && {VENV} -m pip install gymnasium numpy")
    sys.exit(77)
sys.path.insert(0, str(PACKAGE))

if not (PACKAGE / "pitot" / ("_core" + sysconfig.get_config_var("EXT_SUFFIX"))).exists():
    print(f"skipped: the module was not built for this Python, {sys.version.split()[0]}")
    sys.exit(77)
import pitot  # noqa: E402
from gymnasium.utils.env_checker import check_env  # noqa: E402
from gymnasium.vector import AutoresetMode  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
SMALL = ROOT / "data" / "h200" / "knobs" / "phase1_result.csv"
LARGE = ROOT / "data" / "h200" / "knobs" / "gemm_large.csv"
KERNEL = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 k_p, .param .u32 k_n)
.reqntid 32
{
.reg .pred %p<4>;
.reg .b32 %r<8>;
.reg .b64 %rd<4>;
.reg .f32 %f<4>;
ld.param.u64 %rd0, [k_p];
ld.param.u32 %r0, [k_n];
mov.u32 %r1, %tid.x;
setp.ge.u32 %p0, %r1, %r0;
@%p0 ret;
mad.wide.u32 %rd1, %r1, 4, %rd0;
mul.wide.u32 %rd2, %r1, 12;
add.u64 %rd2, %rd2, %rd1;
ld.global.f32 %f0, [%rd2+512];
ld.global.f32 %f1, [%rd2+516];
ld.global.f32 %f2, [%rd2+520];
ld.global.f32 %f3, [%rd2+524];
add.f32 %f0, %f0, %f1;
add.f32 %f0, %f0, %f2;
add.f32 %f0, %f0, %f3;
st.global.f32 [%rd1], %f0;
ret;
}
"""
SPEC = """schema = "pitot.kernel/1"
ptx = "k.ptx"
entry = "k"
[launch]
grid = 1
block = 32
[[sizes]]
kind = "full"
n = 32
[[args]]
name = "p"
kind = "buffer"
type = "f32"
count = "128 + 4*n"
role = "inout"
init = "normal"
align = 16
[[args]]
name = "n"
kind = "scalar"
type = "u32"
value = "n"
"""


def run(*arguments, cwd):
    done = subprocess.run([PROGRAM, *arguments], cwd=cwd, capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f"{arguments}: {done.stderr}")
    return done.stdout


class Folder(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()


class Knobs(Folder):
    def test_gymnasium_finds_no_fault(self):
        for sweep, width, values in ((SMALL, 13, [3, 3]), (LARGE, None, None)):
            env = gymnasium.make("pitot/Knobs-v0", sweep=sweep)
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                check_env(env.unwrapped)
            if width:
                self.assertEqual(env.observation_space.shape, (width,))
                self.assertEqual(env.action_space.nvec.tolist(), values)
            self.assertEqual(len(env.reset(seed=1)[1]["action_mask"]), env.action_space.nvec.sum())

    def test_it_is_what_the_program_plays(self):
        run("knobs", "rollout", SMALL, "--episodes", "2", "--max-steps", "7", "--seed", "3", cwd=self.folder)
        rows = list(csv.DictReader(open(self.folder / "phase3_rollout.csv", newline="")))
        env = pitot.KnobEnv(SMALL, max_steps=7)
        episode = None
        for row in rows:
            if row["episode_id"] != episode:
                episode = row["episode_id"]
                case = env.sweep.cases.index((row["kernel"], int(row["matrix_size"])))
                _, info = env.reset(seed=int(row["episode_seed"]), options={"case": case})
                self.assertEqual((info["kernel"], info["matrix_size"]), (row["kernel"], int(row["matrix_size"])))
            names = dict(env.sweep.knobs)
            action = [names[k].index(int(row[k])) for k in ("block_size", "reg_cap")]
            seen, reward, terminated, truncated, info = env.step(action)
            self.assertEqual(reward, float(row["reward"]))
            self.assertEqual(info["ms"], float(row["time_ms"]))
            self.assertEqual(info["baseline_ms"], float(row["baseline_ms"]))
            self.assertFalse(terminated)
            self.assertEqual(truncated, row["step"] == "6")
            for at, name in enumerate(("achieved_occupancy", "l2_hit_rate", "dram_bw_pct", "sm_active_pct")):
                self.assertAlmostEqual(seen[5 + at], float(row[f"cupti_{name}_norm"]), 6)
        self.assertEqual(len(rows), 9 * 2 * 7)

    def test_seeds_draw_the_same_episodes(self):
        def cases(env, seed):
            out = [env.reset(seed=seed)[1]]
            out += [env.reset()[1] for _ in range(20)]
            return [(i["kernel"], i["matrix_size"]) for i in out]

        env = pitot.KnobEnv(SMALL)
        self.assertEqual(cases(env, 5), cases(env, 5))
        self.assertNotEqual(cases(env, 5), cases(env, 6))
        self.assertGreater(len(set(cases(env, 5))), 5)
        self.assertEqual(len(set(cases(pitot.KnobEnv(SMALL, cases=[2]), 5))), 1)

    def test_masks_close_what_never_ran(self):
        path = self.folder / "holes.csv"
        rows = list(csv.DictReader(open(SMALL, newline="")))
        for r in rows:
            if r["block_size"] == "64":
                for k in ("time_ms_mean", "time_ms_std", "time_ms_min", "time_ms_max"):
                    r[k] = ""
        with open(path, "w", newline="") as f:
            out = csv.DictWriter(f, list(rows[0]))
            out.writeheader()
            out.writerows(rows)
        env = pitot.KnobEnv(path)
        _, info = env.reset(seed=1)
        self.assertEqual(info["action_mask"].tolist(), [0, 1, 1, 1, 1, 1])
        _, reward, _, _, info = env.step([0, 0])
        self.assertEqual((reward, info["speedup"]), (-1, 0))
        self.assertTrue(np.isnan(info["ms"]))

    def test_a_batch_is_single_environments(self):
        singles = [pitot.KnobEnv(SMALL, max_steps=5, sizes=True) for _ in range(4)]
        for mode in (AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP):
            batch = pitot.KnobVectorEnv(SMALL, 4, max_steps=5, sizes=True, autoreset_mode=mode)
            seen, infos = batch.reset(seed=9)
            self.assertIn(seen, batch.observation_space)
            for k, env in enumerate(singles):
                self.assertEqual(env.reset(seed=9 + k)[0].tolist(), seen[k].tolist())
            batch.action_space.seed(1)
            over = False
            for _ in range(14):
                actions = batch.action_space.sample()
                seen, reward, terminated, truncated, infos = batch.step(actions)
                self.assertFalse(terminated.any())
                for k, env in enumerate(singles):
                    if over and mode == AutoresetMode.NEXT_STEP:
                        mine, info = env.reset()
                        self.assertEqual((reward[k], truncated[k]), (0, False))
                    else:
                        mine, r, _, over_now, info = env.step(actions[k])
                        self.assertEqual((reward[k], truncated[k]), (r, over_now))
                        if over_now and mode == AutoresetMode.SAME_STEP:
                            self.assertEqual(infos["final_obs"][k].tolist(), mine.tolist())
                            mine, info = env.reset()
                    self.assertEqual(seen[k].tolist(), mine.tolist())
                    self.assertEqual(infos["kernel"][k], info["kernel"])
                    self.assertEqual(infos["action_mask"][k].tolist(), info["action_mask"].tolist())
                over = truncated.all()

    def test_some_are_reset(self):
        batch = pitot.KnobVectorEnv(SMALL, 3, autoreset_mode=AutoresetMode.DISABLED)
        before, _ = batch.reset(seed=[1, 2, 3], options={"case": [0, 4, 8]})
        after, infos = batch.reset(options={"reset_mask": np.array([False, True, False]), "case": 5})
        self.assertEqual(before[0].tolist(), after[0].tolist())
        self.assertEqual(infos["matrix_size"].tolist(), [256, batch.sweep.cases[5][1], 1024])
        gymnasium.make_vec("pitot/Knobs-v0", 2, sweep=SMALL).close()

    def test_wrappers_take_a_batch(self):
        batch = gymnasium.wrappers.vector.RecordEpisodeStatistics(pitot.KnobVectorEnv(SMALL, 2, max_steps=3))
        batch.reset(seed=1)
        for _ in range(3):
            *_, infos = batch.step(batch.action_space.sample())
        self.assertEqual(infos["episode"]["l"].tolist(), [3, 3])

    def test_bad_input_is_said(self):
        env = pitot.KnobEnv(SMALL)
        with self.assertRaisesRegex(ValueError, "step before reset"):
            env.step([0, 0])
        env.reset(seed=1)
        for action, message in (([0, 3], "reg_cap has no value 3"), ([0, -1], "reg_cap has no value -1"),
                                ([0], "1 numbers"), ([0.5, 0], "indices")):
            with self.assertRaisesRegex(ValueError, message):
                env.step(action)
        with self.assertRaisesRegex(ValueError, "there is no case 9"):
            env.reset(options={"case": 9})
        with self.assertRaisesRegex(ValueError, "there is no case 12"):
            pitot.KnobEnv(SMALL, cases=[12])
        with self.assertRaisesRegex(ValueError, "does not have the baseline"):
            pitot.KnobEnv(SMALL, baseline=[512, 0])
        with self.assertRaisesRegex(ValueError, "no-such.csv"):
            pitot.KnobEnv("no-such.csv")
        (self.folder / "bad.csv").write_text("kernel,matrix_size\ngemm,256\n")
        with self.assertRaisesRegex(ValueError, r"bad.csv:1:1: .*block_size"):
            pitot.KnobEnv(self.folder / "bad.csv")
        with self.assertRaisesRegex(ValueError, "at least one"):
            pitot.KnobVectorEnv(SMALL, 0)
        with self.assertRaisesRegex(ValueError, "no option 'cases'"):
            pitot.KnobVectorEnv(SMALL, 2).reset(options={"cases": 1})

    def test_threads_step_their_batches_at_the_same_time(self):
        sweep = pitot.Sweep(str(SMALL))
        results = {}

        def play(k):
            batch = pitot.KnobVectorEnv(sweep, 16, max_steps=10)
            batch.reset(seed=7)
            results[k] = [batch.step(np.full((16, 2), step % 3))[1].tolist() for step in range(50)]

        threads = [threading.Thread(target=play, args=(k,)) for k in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertTrue(all(results[k] == results[0] for k in range(4)))


class Transforms(Folder):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        (cls.folder / "specs").mkdir()
        (cls.folder / "logs").mkdir()
        (cls.folder / "specs" / "k.ptx").write_text(KERNEL)
        (cls.folder / "specs" / "k.kernel.toml").write_text(SPEC)
        run("optimize", "specs/k.kernel.toml", "--gpu", "A100", "--policy", "exhaustive", "--steps", "2", "--budget",
            "100000", "--log", "logs/k.jsonl", cwd=cls.folder)
        run("learn", "table", "specs", "--log", "logs", "-o", "t", "--steps", "2", cwd=cls.folder)
        cls.table = pitot.ProgramTable(str(cls.folder / "t"))

    def test_gymnasium_finds_no_fault(self):
        for kind, inputs, actions in (("published", 67, 21), ("wide", 92, 28)):
            env = gymnasium.make("pitot/Transforms-v0", table=self.table, kind=kind)
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                check_env(env.unwrapped)
            self.assertEqual(env.observation_space.shape, (inputs,))
            self.assertEqual(env.action_space.n, actions)
            self.assertEqual(env.unwrapped.action_names[-1], "stop")

    def test_the_best_sequence_is_rewarded_by_what_it_saves(self):
        # Every way through the table: the best of them is the best program that was recorded.
        costs = [float(line.split('"cost":')[1].split(",")[0].rstrip("}"))
                 for line in (self.folder / "logs" / "k.jsonl").read_text().splitlines()[1:]]
        env = pitot.TransformEnv(self.table, kind="wide", strict=True)
        best, ways = 0, [[]]
        while ways:
            way = ways.pop()
            _, info = env.reset(options={"kernel": 0})
            for action in way:
                _, reward, terminated, _, info = env.step(action)
            for action in np.flatnonzero(info["action_mask"]):
                env.reset(options={"kernel": self.table.kernels[0]})
                for a in way:
                    env.step(a)
                _, reward, terminated, truncated, _ = env.step(int(action))
                self.assertFalse(truncated)
                if terminated:
                    best = max(best, reward)
                else:
                    self.assertEqual(reward, 0)
                    ways.append([*way, int(action)])
        self.assertAlmostEqual(best, np.log(costs[0] / min(costs)), 2)
        self.assertGreater(best, 0)

    def test_closed_actions_do_nothing_or_are_refused(self):
        env = pitot.TransformEnv(self.table)
        seen, info = env.reset(seed=1)
        self.assertEqual(info["action_mask"][-1], 1)
        closed = int(np.flatnonzero(info["action_mask"] == 0)[0])
        for call in range(8):
            again, reward, terminated, truncated, info = env.step(closed)
            self.assertEqual((reward, terminated, truncated, info["closed"]), (0, False, call == 7, True))
            self.assertEqual(again.tolist(), seen.tolist())
        with self.assertRaisesRegex(ValueError, "step before reset"):
            env.step(closed)
        strict = pitot.TransformEnv(self.table, strict=True)
        strict.reset(seed=1)
        with self.assertRaisesRegex(ValueError, f"action {closed} is closed"):
            strict.step(closed)
        with self.assertRaisesRegex(ValueError, "there is no action 21"):
            strict.step(21)

    def test_a_batch_is_single_environments(self):
        singles = [pitot.TransformEnv(self.table, kind="wide") for _ in range(3)]
        batch = pitot.TransformVectorEnv(self.table, 3, kind="wide", autoreset_mode=AutoresetMode.SAME_STEP)
        seen, infos = batch.reset(seed=4)
        for k, env in enumerate(singles):
            env.reset(seed=4 + k)
        draws = np.random.default_rng(2)
        for _ in range(30):
            actions = [draws.choice(np.flatnonzero(m)) for m in infos["action_mask"]]
            seen, reward, terminated, truncated, infos = batch.step(actions)
            for k, env in enumerate(singles):
                mine, r, t, u, info = env.step(actions[k])
                self.assertEqual((reward[k], terminated[k], truncated[k]), (r, t, u))
                if t or u:
                    self.assertEqual(infos["final_obs"][k].tolist(), mine.tolist())
                    mine, info = env.reset()
                self.assertEqual(seen[k].tolist(), mine.tolist())
                self.assertEqual(infos["action_mask"][k].tolist(), info["action_mask"].tolist())

    def test_bad_input_is_said(self):
        (self.folder / "cut").write_bytes((self.folder / "t").read_bytes()[:-9])
        with self.assertRaisesRegex(ValueError, "cut: the table is cut off"):
            pitot.TransformEnv(self.folder / "cut")
        with self.assertRaisesRegex(ValueError, "recorded for 2 steps, not 3"):
            pitot.TransformEnv(self.table, max_steps=3)
        with self.assertRaisesRegex(ValueError, "no kind 'deep'"):
            pitot.TransformEnv(self.table, kind="deep")
        with self.assertRaisesRegex(ValueError, "no kernel 'z'"):
            pitot.TransformEnv(self.table).reset(options={"kernel": "z"})


def rates():
    """Steps a second of CPU: of one environment, and of batches."""
    env = pitot.KnobEnv(SMALL)
    env.reset(seed=1)
    start, steps = time.process_time(), 0
    while time.process_time() - start < 2:
        *_, truncated, _ = env.step(env.action_space.sample())
        steps += 1
        if truncated:
            env.reset()
    print(f"KnobEnv, random choices: {steps / (time.process_time() - start):,.0f} steps/s")
    for name, sweep in (("small", SMALL), ("gemm, large", LARGE)):
        for count in (1, 16, 256, 4096):
            batch = pitot.KnobVectorEnv(sweep, count)
            batch.reset(seed=1)
            actions = batch.action_space.sample()
            start, steps = time.process_time(), 0
            while time.process_time() - start < 1:
                batch.step(actions)
                steps += count
            print(f"KnobVectorEnv of {count} ({name}): {steps / (time.process_time() - start):,.0f} steps/s")


if __name__ == "__main__":
    if "--rates" in sys.argv:
        rates()
        sys.exit(0)
    unittest.main(argv=sys.argv[:1])
