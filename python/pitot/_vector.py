"""What the two vectorised environments share: Gymnasium's seeds and modes of going on after an episode."""

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode

from . import _core

CORE_MODES = {
    AutoresetMode.NEXT_STEP: _core.Autoreset.NEXT_STEP,
    AutoresetMode.SAME_STEP: _core.Autoreset.SAME_STEP,
    AutoresetMode.DISABLED: _core.Autoreset.DISABLED,
}


def integers(actions):
    """Actions as an array; what is no integer is no index."""
    out = np.asarray(actions)
    if out.dtype.kind not in "iu":
        raise ValueError(f"actions are indices, not {out.dtype}")
    return out


class BatchVectorEnv(gymnasium.vector.VectorEnv):
    """A batch in C++ as gymnasium.vector.VectorEnv."""

    def _set_up(self, count, autoreset_mode, observation, action):
        self.num_envs = count
        self.metadata = {"autoreset_mode": autoreset_mode, "render_modes": []}
        self.single_observation_space, self.single_action_space = observation, action
        self.observation_space = gymnasium.vector.utils.batch_space(observation, count)
        self.action_space = gymnasium.vector.utils.batch_space(action, count)
        self._begun = False

    def _reset(self, seed, options, key):
        """Rows of observations; `key` names the option with a number for each environment, or for all."""
        options = dict(options or {})
        mask = options.pop("reset_mask", None)
        numbers = options.pop(key, None)
        if options:
            raise ValueError(f"there is no option {sorted(options)[0]!r}: {key} and reset_mask are known")
        which = list(range(self.num_envs)) if mask is None else np.flatnonzero(np.asarray(mask)).tolist()
        if isinstance(seed, (list, tuple, np.ndarray)):
            if len(seed) != self.num_envs:
                raise ValueError(f"{len(seed)} seeds of {self.num_envs} environments")
            seeds = list(seed)
        elif seed is not None:
            super().reset(seed=seed)
            seeds = [seed + k for k in range(self.num_envs)]
        elif not self._begun:
            seeds = [int(s) for s in self.np_random.integers(0, 1 << 63, self.num_envs)]
        else:
            seeds = [None] * self.num_envs
        if numbers is None:
            numbers = []
        else:
            numbers = [int(numbers)] * self.num_envs if np.ndim(numbers) == 0 else [int(n) for n in numbers]
            numbers = [numbers[k] for k in which]
        seeds = [None if seeds[k] is None else int(seeds[k]) for k in which]
        seen = self._batch.reset(which, seeds, numbers)
        self._begun = True
        if mask is None:
            self._seen = seen
        else:
            self._seen = self._seen.copy()
            self._seen[which] = seen
        return self._seen

    @staticmethod
    def _with_last(infos, over, last):
        """Of AutoresetMode.SAME_STEP: what was seen before the reset."""
        if over.any():
            infos["final_obs"], infos["_final_obs"] = last, over
        return infos
