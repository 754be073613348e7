"""pitot's environments for Python: compile knobs (pitot.knobs) and PTX transforms (pitot.transforms).

Recorded tables are replayed in C++; Gymnasium and NumPy are the only packages that are needed.
"""

import gymnasium

from ._core import Autoreset, KnobBatch, ProgramTable, Sweep, TransformBatch, __version__, action_names
from .knobs import KnobEnv, KnobVectorEnv
from .transforms import TransformEnv, TransformVectorEnv

__all__ = [
    "Autoreset", "KnobBatch", "KnobEnv", "KnobVectorEnv", "ProgramTable", "Sweep", "TransformBatch", "TransformEnv",
    "TransformVectorEnv", "__version__", "action_names",
]

# gymnasium.make("pitot/Knobs-v0", sweep="phase1_result.csv"), make_vec(…, num_envs=64, …).
gymnasium.register(
    "pitot/Knobs-v0", "pitot.knobs:KnobEnv",
    vector_entry_point=lambda num_envs, **options: KnobVectorEnv(options.pop("sweep"), num_envs, **options))
gymnasium.register(
    "pitot/Transforms-v0", "pitot.transforms:TransformEnv",
    vector_entry_point=lambda num_envs, **options: TransformVectorEnv(options.pop("table"), num_envs, **options))
