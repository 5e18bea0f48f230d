from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A cache of its own for these tests, so that every solution is computed, once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("QRES_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield
