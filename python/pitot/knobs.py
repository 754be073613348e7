"""Gymnasium environments of compile knobs: an episode chooses block size, register cap and more for one kernel at
one size, and is rewarded by the speedup over the default less one. docs/knobs.md and docs/python.md describe them."""

import os

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode

from . import _core
from ._vector import CORE_MODES, BatchVectorEnv, integers


def _sweep(sweep):
    return _core.Sweep(os.fspath(sweep)) if isinstance(sweep, (str, os.PathLike)) else sweep


def _spaces(sweep, batch):
    seen = spaces.Box(0, 1, (batch.observation_size,), np.float32)
    return seen, spaces.MultiDiscrete([len(values) for _, values in sweep.knobs])


class _Cases:
    """The cases of a sweep, to be looked up by an array of numbers."""

    def __init__(self, sweep):
        self.kernels = np.array([kernel for kernel, _ in sweep.cases], object)
        self.sizes = np.array([size for _, size in sweep.cases])


class KnobEnv(gymnasium.Env):
    """One environment over a recorded sweep.

    sweep       CSV of `pitot knobs sweep` or `counters`, or a pitot.Sweep
    states      with four states of the GPU in the observation (zeros where a table is replayed)
    sizes       with the size in the observation, which the published one does not have
    cases       numbers of the cases (kernel and size) to draw from; default: all
    baseline    settings of the default; else block_size 256, reg_cap 0, others' first values

    info: action_mask (knob after knob, whether any configuration with the value ran), kernel, matrix_size; of a step
    also ms (NaN where the configuration does not run: the reward is -1 then), baseline_ms, speedup.
    reset(options={"case": n}) takes a case.
    """

    metadata = {"render_modes": []}

    def __init__(self, sweep, max_steps=20, states=True, sizes=False, cases=None, baseline=None):
        self.sweep = _sweep(sweep)
        self._batch = _core.KnobBatch(self.sweep, 1, max_steps, states, sizes, list(cases or []), list(baseline or []),
                                      _core.Autoreset.DISABLED)
        self.observation_space, self.action_space = _spaces(self.sweep, self._batch)
        self._cases, self._knobs, self._begun = _Cases(self.sweep), self.sweep.knobs, False

    def settings(self, action):
        """The knobs' values, by name."""
        return {name: values[int(a)] for (name, values), a in zip(self._knobs, action)}

    def _info(self):
        case = self._batch.numbers()[0]
        return {"action_mask": self._batch.masks()[0], "kernel": self._cases.kernels[case],
                "matrix_size": int(self._cases.sizes[case])}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if seed is None and not self._begun:
            seed = int(self.np_random.integers(0, 1 << 63))
        case = (options or {}).get("case")
        seen = self._batch.reset([0], [seed], [] if case is None else [case])
        self._begun = True
        return seen[0], self._info()

    def step(self, action):
        seen, reward, truncated, ms, baseline, speedup, _ = self._batch.step(integers(action))
        info = self._info() | {"ms": float(ms[0]), "baseline_ms": float(baseline[0]), "speedup": float(speedup[0])}
        return seen[0], float(reward[0]), False, bool(truncated[0]), info


class KnobVectorEnv(BatchVectorEnv):
    """`count` of them, stepped together in C++ without Python's lock; arguments as of KnobEnv.

    reset(options={"case": n or a list, "reset_mask": …}). infos as of KnobEnv, an array each.
    """

    def __init__(self, sweep, count, max_steps=20, states=True, sizes=False, cases=None, baseline=None,
                 autoreset_mode=AutoresetMode.NEXT_STEP):
        self.sweep = _sweep(sweep)
        self._batch = _core.KnobBatch(self.sweep, count, max_steps, states, sizes, list(cases or []),
                                      list(baseline or []), CORE_MODES[autoreset_mode])
        self._set_up(count, autoreset_mode, *_spaces(self.sweep, self._batch))
        self._cases, self._never = _Cases(self.sweep), np.zeros(count, bool)

    def _infos(self):
        cases = self._batch.numbers()
        return {"action_mask": self._batch.masks(), "kernel": self._cases.kernels[cases],
                "matrix_size": self._cases.sizes[cases]}

    def reset(self, *, seed=None, options=None):
        seen = self._reset(seed, options, "case")
        return seen, self._infos()

    def step(self, actions):
        seen, reward, truncated, ms, baseline, speedup, last = self._batch.step(integers(actions))
        self._seen = seen
        infos = self._infos()
        infos.update(ms=ms, baseline_ms=baseline, speedup=speedup)
        if self.metadata["autoreset_mode"] == AutoresetMode.SAME_STEP:
            self._with_last(infos, truncated, last)
        return seen, reward, self._never.copy(), truncated, infos
