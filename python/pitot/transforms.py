"""Gymnasium environments of choosing PTX transforms one by one over a recorded table of programs; the reward comes at
the end: log(cost before / cost after). docs/learn.md and docs/python.md describe them."""

import os

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode

from . import _core
from ._vector import CORE_MODES, BatchVectorEnv, integers

MOST = 8.0  # features are log(1 + n) / 8 or less


def _table(table):
    return _core.ProgramTable(os.fspath(table)) if isinstance(table, (str, os.PathLike)) else table


def _batch(table, count, kind, max_steps, distinct_images, strict, mode):
    if kind not in ("published", "wide"):
        raise ValueError(f"there is no kind {kind!r}: published or wide")
    steps = table.max_steps if max_steps is None else max_steps
    return _core.TransformBatch(table, count, kind == "wide", steps, distinct_images, strict, mode)


def _spaces(batch):
    return spaces.Box(0, MOST, (batch.inputs,), np.float32), spaces.Discrete(batch.outputs)


class TransformEnv(gymnasium.Env):
    """One environment over a recorded table.

    table            file of `pitot learn table`, or a pitot.ProgramTable
    kind             published: 25 features and 20 transforms, 67 inputs; wide: 92 inputs
    max_steps        of an episode; default: the table's
    distinct_images  close actions that lead to the same machine code
    strict           a closed action is a ValueError; else nothing happens, and four times max_steps calls truncate

    info: action_mask, kernel; of a step also closed. reset(options={"kernel": name or number}) takes a kernel.
    """

    metadata = {"render_modes": []}

    def __init__(self, table, kind="published", max_steps=None, distinct_images=False, strict=False):
        self.table = _table(table)
        self._batch = _batch(self.table, 1, kind, max_steps, distinct_images, strict, _core.Autoreset.DISABLED)
        self.observation_space, self.action_space = _spaces(self._batch)
        self.action_names = _core.action_names(kind == "wide")
        self._kernels, self._begun = self.table.kernels, False

    def _info(self):
        return {"action_mask": self._batch.masks()[0], "kernel": self._kernels[self._batch.kernels()[0]]}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if seed is None and not self._begun:
            seed = int(self.np_random.integers(0, 1 << 63))
        kernel = (options or {}).get("kernel")
        if isinstance(kernel, str):
            if kernel not in self._kernels:
                raise ValueError(f"the table has no kernel {kernel!r}")
            kernel = self._kernels.index(kernel)
        seen = self._batch.reset([0], [seed], [] if kernel is None else [kernel])
        self._begun = True
        return seen[0], self._info()

    def step(self, action):
        seen, reward, terminated, truncated, closed, _ = self._batch.step(integers([action]))
        info = self._info() | {"closed": bool(closed[0])}
        return seen[0], float(reward[0]), bool(terminated[0]), bool(truncated[0]), info


class TransformVectorEnv(BatchVectorEnv):
    """`count` of them, stepped together in C++ without Python's lock; arguments as of TransformEnv.

    reset(options={"kernel": n or a list, "reset_mask": …}).
    """

    def __init__(self, table, count, kind="published", max_steps=None, distinct_images=False, strict=False,
                 autoreset_mode=AutoresetMode.NEXT_STEP):
        self.table = _table(table)
        self._batch = _batch(self.table, count, kind, max_steps, distinct_images, strict, CORE_MODES[autoreset_mode])
        self._set_up(count, autoreset_mode, *_spaces(self._batch))
        self.action_names = _core.action_names(kind == "wide")
        self._kernels = np.array(self.table.kernels, object)

    def _infos(self):
        return {"action_mask": self._batch.masks(), "kernel": self._kernels[self._batch.kernels()]}

    def reset(self, *, seed=None, options=None):
        return self._reset(seed, options, "kernel"), self._infos()

    def step(self, actions):
        seen, reward, terminated, truncated, closed, last = self._batch.step(integers(actions))
        self._seen = seen
        infos = self._infos() | {"closed": closed}
        if self.metadata["autoreset_mode"] == AutoresetMode.SAME_STEP:
            self._with_last(infos, terminated | truncated, last)
        return seen, reward, terminated, truncated, infos
