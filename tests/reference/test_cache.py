import numpy as np
import pytest
import xarray as xr

from qres.reference import cache
from qres.reference.cache import cache_file, cached
from qres.reference.periodic import PROBLEMS, Resolution


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("QRES_CACHE", str(tmp_path))
    return tmp_path


class Counted:
    """Computes a small dataset, and counts how often."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self) -> xr.Dataset:
        self.calls += 1
        return xr.Dataset(
            {"u": (("t", "x"), np.arange(6.0).reshape(2, 3))}, {"t": [0.0, 1.0]}, {"error": 1e-9}
        )


def test_slow_results_are_computed_once(folder):
    compute = Counted()
    first, second = (cached("name", [1, 2.5], compute, slow=0.0) for _ in range(2))
    assert compute.calls == 1
    xr.testing.assert_identical(first, second)
    assert [path.name for path in (folder / "reference").iterdir()] == [cache_file("name", [1, 2.5]).name]


def test_fast_results_are_not_kept(folder):
    cached("name", 1, Counted(), slow=1000.0)
    assert not (folder / "reference").exists()


@pytest.mark.parametrize("content", [b"", b"not a NetCDF file", b"\x89HDF\r\n\x1a\n" + bytes(100)])
def test_a_broken_file_is_computed_again(content):
    path, compute = cache_file("name", 1), Counted()
    path.parent.mkdir()
    path.write_bytes(content)
    cached("name", 1, compute, slow=0.0)
    cached("name", 1, compute, slow=0.0)
    assert compute.calls == 1
    assert path.stat().st_size > 1000


def test_a_truncated_file_is_computed_again():
    path, compute = cache_file("name", 1), Counted()
    cached("name", 1, compute, slow=0.0)
    path.write_bytes(path.read_bytes()[:1500])
    xr.testing.assert_identical(cached("name", 1, compute, slow=0.0), compute())


def test_a_folder_that_cannot_be_written_is_not_fatal(folder, monkeypatch):
    (folder / "file").write_text("")
    monkeypatch.setenv("QRES_CACHE", str(folder / "file"))
    assert cached("name", 1, Counted(), slow=0.0).attrs["error"] == 1e-9


def test_the_key_is_all_that_determines_a_result(monkeypatch):
    keys = {cache_file("a", [1, 2.0]), cache_file("b", [1, 2.0]), cache_file("a", [1, 2.1])}
    monkeypatch.setattr(cache, "VERSION", cache.VERSION + 1)
    assert len(keys | {cache_file("a", [1, 2.0])}) == 4


def test_a_solution_reads_back_as_it_was():
    """Through the file or not: the same fields, coordinates and attributes."""
    problem, small = PROBLEMS["allen-cahn"], Resolution(64, 1e-2)

    def compute() -> xr.Dataset:
        return problem.dataset(small)

    written, read = (cached("kdv", problem.specification(small), compute, slow=0.0) for _ in range(2))
    xr.testing.assert_identical(written, read)
