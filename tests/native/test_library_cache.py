"""Native code from the cache: only what this user wrote, undamaged, and no more than the limit."""

import hashlib
import os
import stat
import subprocess
import sys
import time

import pytest

from qres.native import compiler
from qres.runtime import cache as _cache
from qres.runtime.cache import Unsafe, cache_folder, find_verified, private_folder, trim, verified_name

needs_compiler = pytest.mark.skipif(compiler() is None, reason="no C++ compiler on this machine")
needs_root = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give a file to another user"
)
LOAD = "from qres.native._build import matrix; import qres; qres.configure(); assert matrix() is not None"


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("QRES_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def load(umask=0o022):
    """Load the library in a process of its own, as a damaged one would end this one."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", f"import os; os.umask({umask}); {LOAD}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert not done.stderr


def only_library(cache):
    (library,) = (cache / "native").glob("*.so")
    return library


@needs_compiler
def test_nobody_else_can_write_to_the_cache_whatever_the_umask(cache):
    load(umask=0)
    assert stat.S_IMODE(cache.stat().st_mode) == 0o700
    assert stat.S_IMODE((cache / "native").stat().st_mode) == 0o700
    assert stat.S_IMODE((cache / "compiled").stat().st_mode) == 0o700
    assert stat.S_IMODE(only_library(cache).stat().st_mode) == 0o600


@needs_compiler
@pytest.mark.parametrize("damage", ["truncated", "flipped", "empty"])
def test_a_damaged_library_is_built_again(cache, damage):
    load()
    library = only_library(cache)
    content = library.read_bytes()
    middle = len(content) // 2
    flipped = (
        content[:middle] + bytes(255 - b for b in content[middle : middle + 64]) + content[middle + 64 :]
    )
    library.write_bytes({"truncated": content[:middle], "flipped": flipped, "empty": b""}[damage])
    load()
    built = only_library(cache)
    assert built.name == verified_name(built.name.split("-")[0], built.read_bytes())


@needs_compiler
def test_a_library_that_others_could_have_written_does_not_run(cache):
    """Its constructor would leave a mark."""
    load()
    library, mark = only_library(cache), cache / "it-ran"
    source = cache / "evil.c"
    source.write_text(
        f'#include <stdio.h>\n__attribute__((constructor)) void f(void) {{ fopen("{mark}", "w"); }}\n'
    )
    key = library.name.split("-")[0]
    library.unlink()
    evil = cache / "evil.so"
    subprocess.run([*(compiler() or []), "-x", "c", "-shared", "-fPIC", source, "-o", evil], check=True)
    place = cache / "native" / f"{key}-{hashlib.sha256(evil.read_bytes()).hexdigest()}.so"
    place.write_bytes(evil.read_bytes())
    place.chmod(0o777)
    load()
    assert not mark.exists()
    assert place not in (cache / "native").iterdir()


def test_a_folder_that_others_could_write_to_is_made_private_and_cleaned(cache):
    folder = private_folder("native")
    (folder / "theirs.so").write_bytes(b"")
    (folder / "theirs.so").chmod(0o666)
    (folder / "mine.so").write_bytes(b"")
    (folder / "mine.so").chmod(0o644)
    folder.chmod(0o777)
    private_folder("native")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert [file.name for file in folder.iterdir()] == ["mine.so"]


def test_a_folder_that_the_user_named_is_checked_and_left_as_it_is(cache):
    cache.mkdir()
    cache.chmod(0o777)
    with pytest.raises(Unsafe, match="can be written by others"):
        private_folder("native")
    assert stat.S_IMODE(cache.stat().st_mode) == 0o777
    cache.chmod(0o1777)  # as /tmp: nobody can move what is another's
    private_folder("native")


@needs_root
def test_what_belongs_to_another_user_is_not_used(cache):
    folder = private_folder("native")
    file = folder / verified_name("key", b"code")
    file.write_bytes(b"code")
    file.chmod(0o600)
    assert find_verified(folder, "key") == file
    os.chown(file, 12345, 12345)
    assert find_verified(folder, "key") is None
    os.chown(folder, 12345, 12345)
    with pytest.raises(Unsafe, match="belongs to another user"):
        private_folder("native")


@needs_compiler
def test_where_the_cache_is_not_safe_native_code_is_compiled_for_the_run(cache):
    cache.mkdir()
    cache.chmod(0o777)
    done = subprocess.run([sys.executable, "-c", LOAD], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert "can be written by others" in done.stderr
    assert "compiled for this run only" in done.stderr
    assert not list(cache.glob("native/*"))


def test_the_files_not_used_for_longest_go_first(tmp_path):
    now = time.time()
    for age in range(6):
        file = tmp_path / f"{age}"
        file.write_bytes(bytes(100))
        os.utime(file, (now - 100 * age, now - 100 * age))
    (tmp_path / ".x.part").write_bytes(bytes(100))
    os.utime(tmp_path / ".x.part", (now - 7200, now - 7200))
    trim(tmp_path, 300, now)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["0", "1", "2"]


def test_the_cache_is_trimmed_once_a_day(cache, monkeypatch):
    monkeypatch.setenv("QRES_CACHE_LIMIT", "0")
    folder, now = private_folder("native"), time.time()
    (folder / "a").write_bytes(b"1")
    _cache.trim_cache(now)
    assert not list(folder.iterdir())
    (folder / "b").write_bytes(b"1")
    _cache.trim_cache(now + 3600)
    assert list(folder.iterdir())
    _cache.trim_cache(now + 90_000)
    assert not list(folder.iterdir())


def test_without_a_home_the_cache_is_a_temporary_folder_of_this_user(monkeypatch):
    for name in ("QRES_CACHE", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(
        os.path, "expanduser", lambda path: path
    )  # as where the list of users has no such number
    assert cache_folder().name == f"qres-{os.geteuid()}"
