"""The cache of compiled programs and reference solutions.

Programs are code that will run, so their folders are private: nobody else may write there, and what others wrote is
not used.
"""

import contextlib
import hashlib
import os
import stat
import tempfile
import time
from pathlib import Path

_MEGABYTE = 1_000_000
_LIMIT = 2000  # megabytes that all of the cache may take, unless QRES_CACHE_LIMIT says otherwise
_DAY = 86_400.0  # seconds between two looks at how large it has become
_ABANDONED = 3600.0  # seconds after which a file that somebody began to write is not finished any more
_STAMP = ".trimmed"


class Unsafe(OSError):
    """A folder or file that somebody else could have written to."""


def cache_folder() -> Path:
    """The folder named by `QRES_CACHE`, or `qres` under the user's cache folder; without a home, a temporary one."""
    if named := os.environ.get("QRES_CACHE"):
        return Path(named)
    if base := os.environ.get("XDG_CACHE_HOME"):
        return Path(base) / "qres"
    try:
        return Path.home() / ".cache" / "qres"
    except RuntimeError:  # neither HOME nor an entry in the list of users
        return Path(tempfile.gettempdir()) / f"qres-{_user()}"


def private_folder(name: str) -> Path:
    """A folder of the cache that only this user can write to, made or made private; `Unsafe` where it cannot be.

    Args:
        name: of the folder, below `cache_folder()`.
    """
    root = cache_folder().absolute()
    root.parent.mkdir(parents=True, exist_ok=True)
    for folder in (root, root / name):
        with contextlib.suppress(FileExistsError):
            folder.mkdir(mode=0o700)
        if folder != root or "QRES_CACHE" not in os.environ:  # a folder that the user named stays as it is
            _make_private(folder)
    _check_way_to(root / name)
    return root / name


def _make_private(folder: Path) -> None:
    found = folder.stat()
    _check_owner(folder, found)
    if found.st_uid != _user() or not found.st_mode & 0o077:
        if found.st_mode & 0o022:
            raise Unsafe(f"{folder} can be written by others")
        return  # of the administrator, say
    was_open = found.st_mode & 0o022
    folder.chmod(0o700)
    if was_open:  # what others have put there, or could have changed, is not used
        for file in folder.iterdir():
            try:
                check_file(file)
            except OSError:
                with contextlib.suppress(OSError):
                    file.unlink()


def check_file(file: Path) -> None:
    """`Unsafe` where a file, or folder, is another user's, or others may write to it."""
    found = file.lstat()
    _check_owner(file, found)
    if stat.S_ISLNK(found.st_mode) or found.st_mode & 0o022:
        raise Unsafe(f"{file} can be written by others")


def _check_owner(path: Path, found: os.stat_result) -> None:
    if found.st_uid not in (_user(), 0):
        raise Unsafe(f"{path} belongs to another user (number {found.st_uid})")


def _check_way_to(folder: Path) -> None:
    """In a folder that others may write to, they could put another one in the place of ours."""
    for parent in folder.parents:
        mode = parent.stat().st_mode
        if mode & (0o022 if parent == folder.parent else 0o002) and not mode & stat.S_ISVTX:
            raise Unsafe(f"{parent} can be written by others (chmod go-w {parent} prevents that)")


def _user() -> int:
    return os.geteuid() if hasattr(os, "geteuid") else 0


def find_verified(folder: Path, key: str) -> Path | None:
    """The file that `verified_name` named, if it is ours and its content has the digest in its name.

    One that has not, because it was cut off or altered, is removed, so that it is made again.
    """
    for file in sorted(folder.glob(f"{key}-*.so")):
        try:
            check_file(file)
            if file.name == verified_name(key, file.read_bytes()):
                os.utime(file)  # in use: evicted last
                return file
        except FileNotFoundError:
            continue
        except OSError:
            pass
        with contextlib.suppress(OSError):
            file.unlink()
    return None


def verified_name(key: str, content: bytes) -> str:
    """A file's name that says what it was made from and what is in it."""
    return f"{key}-{hashlib.sha256(content).hexdigest()}.so"


def trim_cache(now: float | None = None) -> None:
    """Once a day, remove the files that were not used for longest until the cache keeps to its limit."""
    root, now = cache_folder(), time.time() if now is None else now
    stamp = root / _STAMP
    with contextlib.suppress(OSError):
        if stamp.exists() and now - stamp.stat().st_mtime < _DAY:
            return
        stamp.touch()
        os.utime(stamp, (now, now))
        trim(root, _limit() * _MEGABYTE, now)


def trim(root: Path, limit: float, now: float) -> None:
    """Remove files below a folder, those first that were not used for longest, until they take no more than `limit`.

    What was begun and not finished an hour ago goes in any case.
    """
    files: list[tuple[float, int, Path]] = []
    for folder, _, names in os.walk(root):
        for path in (Path(folder) / name for name in names if name != _STAMP):
            with contextlib.suppress(OSError):
                found = path.lstat()
                if path.suffix == ".part" and now - found.st_mtime > _ABANDONED:
                    path.unlink()
                else:
                    files.append((max(found.st_atime, found.st_mtime), found.st_size, path))
    excess = sum(size for _, size, _ in files) - limit
    for _, size, path in sorted(files):
        if excess <= 0:
            return
        with contextlib.suppress(OSError):
            path.unlink()
            excess -= size


def _limit() -> float:
    try:
        return max(0.0, float(os.environ.get("QRES_CACHE_LIMIT", _LIMIT)))
    except ValueError:
        return _LIMIT
