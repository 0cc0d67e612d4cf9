"""What a bare kernel may not do, which would free arrays that others still hold."""

from __future__ import annotations

import numpy as np
import pytest
from numba.core.errors import NumbaError

from samehand.kernels import bare
from samehand.models.persons.layout import Floats


def itself(values: Floats) -> Floats:
    return values


def total_of_copy(values: Floats) -> float:
    return float(np.sum(values.copy()))


def test_a_bare_kernel_returns_numbers_only() -> None:
    with pytest.raises(TypeError, match="itself returns Floats"):
        bare(itself)


def test_a_bare_kernel_that_makes_an_array_does_not_compile() -> None:
    with pytest.raises(NumbaError, match="NRT required"):
        bare(total_of_copy)(np.ones(3))
