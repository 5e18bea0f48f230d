"""Cores that a container's quota allows, as the kernel writes it in control groups of both versions."""

import os

import pytest

from qres.runtime.cores import cores


def write(root, files):
    for name, text in files.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


@pytest.fixture
def eight(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)))


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({}, 8),
        ({"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "max 100000\n"}, 8),
        ({"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "250000 100000\n"}, 3),
        ({"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "50000 100000\n"}, 1),
        # the tightest of a group and those that it is in
        (
            {
                "proc/self/cgroup": "0::/a/b\n",
                "sys/fs/cgroup/a/cpu.max": "200000 100000\n",
                "sys/fs/cgroup/a/b/cpu.max": "400000 100000\n",
            },
            2,
        ),
        (
            {
                "proc/self/cgroup": "4:cpu,cpuacct:/job\n3:memory:/job\n",
                "sys/fs/cgroup/cpu/job/cpu.cfs_quota_us": "400000\n",
                "sys/fs/cgroup/cpu/job/cpu.cfs_period_us": "100000\n",
            },
            4,
        ),
        (
            {
                "proc/self/cgroup": "4:cpu,cpuacct:/job\n",
                "sys/fs/cgroup/cpu/job/cpu.cfs_quota_us": "-1\n",
                "sys/fs/cgroup/cpu/job/cpu.cfs_period_us": "100000\n",
            },
            8,
        ),
        ({"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "garbage"}, 8),
        ({"proc/self/cgroup": "garbage\n\n", "sys/fs/cgroup/cpu.max": "100000 100000\n"}, 8),
        ({"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "max\n"}, 8),
        ({"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "0 100000\n"}, 8),
        ({"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "200001 100000\n"}, 3),
        ({"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "9900000 100000\n"}, 8),
        # a group as the host names it, which the container sees as the top
        ({"proc/self/cgroup": "0::/docker/a1\n", "sys/fs/cgroup/cpu.max": "200000 100000\n"}, 2),
        # a group outside of what the container sees; the folder above the mount is none of its groups
        (
            {
                "proc/self/cgroup": "0::/../../other\n",
                "sys/fs/cgroup/cpu.max": "200000 100000\n",
                "sys/other/cpu.max": "100000 100000\n",
            },
            2,
        ),
        # version 1 where the folder has the names of both controllers
        (
            {
                "proc/self/cgroup": "4:cpu,cpuacct:/job\n",
                "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us": "300000\n",
                "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us": "100000\n",
            },
            3,
        ),
        # both versions at once, each where the table of mounts says; the mount's top is the container's group
        (
            {
                "proc/self/cgroup": "4:cpu:/docker/a1/inner\n0::/\n",
                "proc/self/mountinfo": "31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755\n"
                "32 31 0:29 /docker/a1 /groups/cpu rw,relatime shared:7 - cgroup cgroup rw,cpu\n"
                "41 31 0:38 / /groups/unified rw,relatime - cgroup2 cgroup2 rw\n"
                "42 31\n",
                "groups/cpu/cpu.cfs_quota_us": "500000\n",
                "groups/cpu/cpu.cfs_period_us": "100000\n",
                "groups/cpu/inner/cpu.cfs_quota_us": "600000\n",
                "groups/cpu/inner/cpu.cfs_period_us": "100000\n",
                "groups/unified/cpu.max": "max 100000\n",
                "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "100000\n",
                "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
            },
            5,
        ),
    ],
)
def test_quota_of_a_container(eight, tmp_path, files, expected):
    write(tmp_path, files)
    assert cores(tmp_path) == expected


def test_at_least_one_here():
    assert 1 <= cores() <= (os.cpu_count() or 1)
