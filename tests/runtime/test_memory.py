"""How much memory there is, in a container too; and what needs more is one line before any is taken."""

import io
import os
import subprocess
import sys
import zipfile

import numpy as np
import pytest

import qres
from qres.data import Data
from qres.runtime.errors import InputError
from qres.runtime.memory import free_memory, memory_limit

GB = 1_000_000_000


def files(root, **contents):
    for name, text in contents.items():
        path = root / name.replace("__", "/").replace("_DOT_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def test_a_container_of_version_2(tmp_path):
    root = files(
        tmp_path,
        proc__meminfo="MemTotal: 64000000 kB\nMemAvailable: 32000000 kB\n",
        proc__self__cgroup="0::/a/b\n",
        sys__fs__cgroup__a__memory_DOT_max=f"{2 * GB}\n",
        sys__fs__cgroup__a__memory_DOT_current=f"{GB}\n",
        sys__fs__cgroup__a__memory_DOT_stat=f"anon 1\ninactive_file {GB // 2}\n",
        sys__fs__cgroup__a__b__memory_DOT_max="max\n",
        sys__fs__cgroup__a__b__memory_DOT_current=f"{GB}\n",
    )
    assert memory_limit(root) == 2 * GB
    assert free_memory(root) == 1.5 * GB


def test_a_container_of_version_1(tmp_path):
    names = {
        "memory_DOT_limit_in_bytes": f"{GB}\n", "memory_DOT_usage_in_bytes": f"{GB // 4}\n",
    }  # fmt: skip
    root = files(
        tmp_path,
        proc__self__cgroup="3:cpu:/x\n5:memory:/not/seen/inside\n",
        **{f"sys__fs__cgroup__memory__{name}": text for name, text in names.items()},
    )
    assert memory_limit(root) == GB
    assert free_memory(root) == 0.75 * GB


@pytest.mark.parametrize(
    ("contents", "limit", "free"),
    [
        # the softer of two limits, above which a process is slowed down
        ({"memory.max": 3 * GB, "memory.high": 2 * GB, "memory.current": GB}, 2 * GB, GB),
        ({"memory.max": "max", "memory.high": 2 * GB, "memory.current": GB}, 2 * GB, GB),
        # more in use than is allowed, and what the kernel does not tell
        ({"memory.max": GB, "memory.current": 2 * GB}, GB, 0),
        ({"memory.max": GB}, GB, GB),
        ({"memory.max": GB, "memory.current": "garbage", "memory.stat": "inactive_file\nanon x\n"}, GB, GB),
        # nothing usable: the machine's own
        ({"memory.max": "max", "memory.high": "max", "memory.current": GB}, None, 4 * GB),
        ({"memory.max": "", "memory.current": ""}, None, 4 * GB),
        ({}, None, 4 * GB),
    ],
)
def test_limits_of_version_2(tmp_path, contents, limit, free):
    root = files(tmp_path, proc__meminfo=f"MemAvailable: {4 * GB // 1024} kB\n", proc__self__cgroup="0::/\n")
    (root / "sys/fs/cgroup").mkdir(parents=True)
    for name, value in contents.items():
        (root / "sys/fs/cgroup" / name).write_text(f"{value}\n" if value else "")
    assert memory_limit(root) == (limit or memory_limit(tmp_path / "nowhere"))
    assert free_memory(root) == free


def test_limits_of_version_1_further_out_than_a_container_sees(tmp_path):
    root = files(
        tmp_path,
        proc__self__cgroup="4:memory:/docker/a1\n1:cpu:/\n0::/\n",
        proc__self__mountinfo="35 31 0:32 /docker/a1 /groups/memory rw - cgroup cgroup rw,memory\n",
        groups__memory__memory_DOT_limit_in_bytes="9223372036854771712\n",
        groups__memory__memory_DOT_usage_in_bytes=f"{GB}\n",
        groups__memory__memory_DOT_stat=f"hierarchical_memory_limit {3 * GB}\ntotal_inactive_file {GB // 2}\n",
    )
    assert memory_limit(root) == 3 * GB
    assert free_memory(root) == 2.5 * GB


def test_no_limit_of_version_1(tmp_path):
    root = files(
        tmp_path,
        proc__self__cgroup="4:memory:/\n",
        sys__fs__cgroup__memory__memory_DOT_limit_in_bytes="9223372036854771712\n",
        sys__fs__cgroup__memory__memory_DOT_usage_in_bytes=f"{GB}\n",
    )
    assert memory_limit(root) == memory_limit(tmp_path / "nowhere")


def test_a_machine_that_says_nothing(tmp_path):
    assert free_memory(tmp_path) == memory_limit(tmp_path) > 0


def decay(**options):
    problem = qres.Problem("u_x = -u", {"x": (0, 2)}, ["u(0) = 1"])
    return qres.solve(problem, iterations=2, progress=False, **options)


@pytest.mark.parametrize(
    ("options", "culprit"),
    [
        ({"network": qres.Architecture(width=100_000)}, "neurons"),
        ({"sampling": qres.Sampling(points=10**12)}, "1000000000000 points"),
        ({"sampling": qres.Sampling(points=10**12, method="grid", resample_every=0)}, "1000000000000 points"),
    ],
)
def test_a_run_that_cannot_fit(options, culprit):
    with pytest.raises(InputError, match=rf"{culprit}.*GB of memory, and .* GB are free; choose"):
        decay(**options)


def test_a_grid_that_cannot_fit():
    solution = decay(network=qres.Architecture(width=3, depth=1))
    with pytest.raises(InputError, match="a grid of 1000000000000 points needs about"):
        solution.to_xarray((10**12,))


def test_a_packed_file_that_would_fill_the_memory(tmp_path):
    """The sizes in its table are enough to refuse it; nothing is unpacked."""
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": (10**12,)})
    path = tmp_path / "bomb.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("u.npy", header.getvalue() + bytes(1000))
    content = path.read_bytes()
    place = content.index(b"PK\x01\x02")  # the table, where the size is a number of four bytes
    path.write_bytes(content[: place + 24] + (0xFFFFFFF0).to_bytes(4, "little") + content[place + 28 :])
    code = (
        "import resource, sys; from qres.data import Data\n"
        "resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))\n"
        "try: Data.read(sys.argv[1])\n"
        "except ValueError as error: print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, path], capture_output=True, text=True, check=True, env=os.environ
    )
    assert "GB of memory" in done.stdout


def test_a_malformed_mat_file_is_one_line(tmp_path):
    """Whatever it does to SciPy's reader, which is compiled code, this process goes on."""
    from scipy.io import savemat

    savemat(tmp_path / "a.mat", {"x": np.arange(5.0), "u": np.arange(5.0) ** 2, "t": "text"})
    np.testing.assert_array_equal(Data.read(tmp_path / "a.mat").columns["u"], np.arange(5.0) ** 2)
    content, random = (tmp_path / "a.mat").read_bytes(), np.random.default_rng(0)
    for _ in range(3):
        altered = bytearray(content)
        for place in random.integers(128, len(content), 8):
            altered[place] = random.integers(256)
        (tmp_path / "b.mat").write_bytes(altered)
        try:
            Data.read(tmp_path / "b.mat")
        except InputError as error:
            assert "b.mat" in str(error)
            assert "\n" not in str(error)


def test_a_crash_of_the_reader_is_one_line(tmp_path, monkeypatch):
    """A child that dies by a signal stands for the crash."""
    crash = tmp_path / "crash.py"
    crash.write_text("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)")
    monkeypatch.setattr("qres.data._mat._READER", crash)
    (tmp_path / "a.mat").write_bytes(b"MATLAB 5.0")
    with pytest.raises(InputError, match=r"a\.mat: cannot be read as \.mat: its reader crashed"):
        Data.read(tmp_path / "a.mat")
