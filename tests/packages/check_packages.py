# SPDX-License-Identifier: Apache-2.0
"""Makes packages of a finished build twice, compares them byte by byte, and tries one set.

Usage: check_packages.py deb|wheel PROJECT_DIR BUILD_DIR WORK_DIR
"""
import os
import pathlib
import shutil
import subprocess
import sys

SKIPPED = 77


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


def missing(*commands):
    return [command for command in commands if not shutil.which(command)]


def made_twice(project, kind, build, work):
    """The packages of the first time."""
    folders = [work / name for name in ("first", "second")]
    for folder in folders:
        folder.mkdir(parents=True)
        subprocess.run([project / f"packaging/build_{kind}", build, folder], check=True)
    first, second = (sorted(path for path in folder.iterdir() if path.suffix in (".deb", ".whl")) for folder in folders)
    if [path.name for path in first] != [path.name for path in second] or not first:
        sys.exit(f"FAILED: {first} and {second}")
    for one, other in zip(first, second, strict=True):
        if one.read_bytes() != other.read_bytes():
            sys.exit(f"FAILED: {one} and {other} differ")
    return first


def main():
    kind, project, build, work = sys.argv[1], *map(pathlib.Path, sys.argv[2:])
    if kind == "deb":
        if absent := missing("dpkg-buildpackage", "dh", "debootstrap"):
            skip(f"{', '.join(absent)} is not installed")
        if os.geteuid() != 0:
            skip("only root can make a chroot")
    elif absent := missing("readelf", "strip"):
        skip(f"{', '.join(absent)} is not installed")
    shutil.rmtree(work, ignore_errors=True)
    packages = made_twice(project, kind, build, work)
    if kind == "wheel":
        subprocess.run([sys.executable, project / "packaging/check_wheel", packages[0], work / "tried"], check=True)
    else:
        subprocess.run([project / "packaging/check_deb", work / "first"], check=True)


if __name__ == "__main__":
    main()
