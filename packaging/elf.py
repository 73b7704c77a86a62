# SPDX-License-Identifier: Apache-2.0
"""What programs and libraries need of the system that they run on, as readelf tells it."""
import re
import subprocess

# Versions of glibc with the newest symbols of the C++ library that machines with this glibc have (PEP 600's policies).
POLICIES = [((2, 17), (3, 4, 19), (1, 3, 7)), ((2, 28), (3, 4, 24), (1, 3, 11)), ((2, 31), (3, 4, 28), (1, 3, 12)),
            ((2, 34), (3, 4, 29), (1, 3, 13)), ((2, 35), (3, 4, 30), (1, 3, 13)), ((2, 38), (3, 4, 32), (1, 3, 14)),
            ((2, 39), (3, 4, 33), (1, 3, 15)), ((2, 41), (3, 4, 34), (1, 3, 16))]  # fmt: skip
# libthread_db is part of glibc; gdb's process alone loads what needs it.
SYSTEM_LIBRARIES = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "libstdc++.so.6", "libgcc_s.so.1",
                    "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1", "libthread_db.so.1"}  # fmt: skip


def is_elf(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def readelf(option, path):
    return subprocess.run(["readelf", "--wide", option, path], capture_output=True, text=True, check=True).stdout


def newest(path, family):
    """The newest version of a family of symbols (GLIBC, GLIBCXX, CXXABI) that a file needs."""
    needed = readelf("--version-info", path).partition(".gnu.version_r")[2]
    found = re.findall(rf"Name: {family}_([\d.]+)", needed)
    return max((tuple(map(int, each.split("."))) for each in found), default=())


def needed_libraries(path):
    return set(re.findall(r"\(NEEDED\).*\[(.*?)\]", readelf("--dynamic", path)))


def glibc_for(paths):
    """The smallest glibc, as (2, 36), on whose machines all of these files run. Raises ValueError for what none has."""
    glibc, glibcxx, cxxabi = (max(newest(path, family) for path in paths) for family in ("GLIBC", "GLIBCXX", "CXXABI"))
    for policy, most_glibcxx, most_cxxabi in POLICIES:
        if glibcxx <= most_glibcxx and cxxabi <= most_cxxabi:
            return max(policy, glibc[:2])
    raise ValueError(f"no manylinux policy has GLIBCXX_{glibcxx} and CXXABI_{cxxabi}")
