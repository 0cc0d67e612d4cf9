"""Settings that all tests and doctests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# A first example may compile a kernel, and machines differ: time is never a reason to fail here.
settings.register_profile("developer", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "developer")


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of labelled sets; tests that need it are skipped, with a message, where it is absent."""
    folder = os.environ.get("SAMEHAND_DATA")
    if not folder or not Path(folder).is_dir():
        pytest.skip("labelled sets are not here: set SAMEHAND_DATA to their folder")
    return Path(folder)
