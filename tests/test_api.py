"""The public interface: exactly these names, each documented, each there."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest

import samehand

PUBLIC = {
    "Evaluation", "Library", "Records", "Resolution", "SamehandError", "__version__", "evaluate", "explain", "export",
    "read", "read_batches", "resolve", "train", "write_outputs",
}  # fmt: skip


def test_the_export_list_is_this_one() -> None:
    assert set(samehand.__all__) == PUBLIC


@pytest.mark.parametrize("name", sorted(PUBLIC - {"__version__"}))
def test_every_export_is_there_and_documented(name: str) -> None:
    value = getattr(samehand, name)
    assert not inspect.ismodule(value)
    assert inspect.getdoc(value)


@pytest.mark.parametrize(
    "name", ["evaluate", "explain", "export", "read", "read_batches", "resolve", "train", "write_outputs"]
)
def test_every_function_is_typed_and_has_an_example(name: str) -> None:
    function = getattr(samehand, name)
    assert ">>>" in (inspect.getdoc(function) or "")
    signature = inspect.signature(function)
    annotations = [parameter.annotation for parameter in signature.parameters.values()]
    assert inspect.Parameter.empty not in [*annotations, signature.return_annotation]


def test_importing_a_folder_does_not_hide_the_function_of_its_name() -> None:
    import samehand.evaluate.load
    import samehand.read.ris

    assert callable(samehand.read)
    assert callable(samehand.evaluate)


def loaded_after(statement: str) -> set[str]:
    program = f"import sys\n{statement}\nprint(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


@pytest.mark.parametrize("statement", ["import samehand", "import samehand.cli"])
def test_starting_up_loads_nothing_heavy(statement: str) -> None:
    heavy = {"polars", "numba", "numpy", "pyarrow", "lxml", "altair", "rapidfuzz", "adbc_driver_manager"}
    assert not heavy & loaded_after(statement)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'guess'"):
        samehand.guess  # noqa: B018
