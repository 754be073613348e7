"""pitot's environments for Python: compile knobs (pitot.knobs) and PTX transforms (pitot.transforms).

Recorded tables are replayed in C++; Gymnasium and NumPy are the only packages that are needed.
"""

from ._core import Autoreset, KnobBatch, ProgramTable, Sweep, TransformBatch, __version__, action_names
from .knobs import KnobEnv, KnobVectorEnv
from .transforms import TransformEnv, TransformVectorEnv

__all__ = [
    "Autoreset", "KnobBatch", "KnobEnv", "KnobVectorEnv", "ProgramTable", "Sweep", "TransformBatch", "TransformEnv",
    "TransformVectorEnv", "__version__", "action_names",
]
