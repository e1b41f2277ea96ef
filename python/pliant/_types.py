"""Names for types, used in annotations only."""
import os
from typing import Any, Sequence, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[Any]
PathLike = Union[str, "os.PathLike[str]"]
# A position, (position, quaternion xyzw), or a 4x4 matrix.
Placement = Union[ArrayLike, Tuple[ArrayLike, ArrayLike], Sequence[Any], np.ndarray]

__all__ = ["Array", "ArrayLike", "PathLike", "Placement"]
