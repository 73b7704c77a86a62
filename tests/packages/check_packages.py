# SPDX-License-Identifier: Apache-2.0
"""Makes packages of two finished builds, in folders of other names and depths, compares them byte by byte, and tries one set.

Usage: check_packages.py elsewhere PROJECT_DIR TREE       copies the sources to TREE and builds what packages are made of there
       check_packages.py deb|wheel PROJECT_DIR BUILD_DIR OTHER_BUILD_DIR WORK_DIR
       check_packages.py source PROJECT_DIR WORK_DIR      Debian's source package, made twice
"""
import filecmp
import os
import pathlib
import re
import shutil
import subprocess
import sys

SKIPPED = 77
ENDINGS = (".deb", ".whl", ".xz", ".dsc")


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


def skip_without(*commands):
    if absent := [command for command in commands if not shutil.which(command)]:
        skip(f"{', '.join(absent)} is not installed")


def build_elsewhere(project, tree):
    """What make package-deb builds, without tests and examples."""
    shutil.rmtree(tree, ignore_errors=True)
    shutil.copytree(project, tree, ignore=lambda folder, _: {".git", "build", "out"} if pathlib.Path(folder) == project else set())
    subprocess.run(["cmake", "--preset", "release", "--log-level=NOTICE", "-DLISLE_TESTS=OFF", "-DLISLE_EXAMPLES=OFF"], cwd=tree, check=True)
    subprocess.run(["cmake", "--build", "--preset", "release"], cwd=tree, check=True)


def made_twice(*commands):
    """The packages of the first of two commands, each with the folder that it writes to as the last word."""
    made = []
    for command in commands:
        folder = pathlib.Path(command[-1])
        folder.mkdir(parents=True)
        subprocess.run(command, check=True)
        made.append(sorted(path for path in folder.iterdir() if path.suffix in ENDINGS))
    first, second = made
    if [path.name for path in first] != [path.name for path in second] or not first:
        sys.exit(f"FAILED: {first} and {second}")
    for one, other in zip(first, second, strict=True):
        if not filecmp.cmp(one, other, shallow=False):
            sys.exit(f"FAILED: {one} and {other} differ")
    return first


def check_source(project, work):
    skip_without("dpkg-source", "dh", "git")
    packages = made_twice(*([project / "packaging/build_deb", "--source", work / name] for name in ("first", "second")))
    description = next(path for path in packages if path.suffix == ".dsc")
    subprocess.run(["dpkg-source", "--extract", description, work / "tree"], check=True)
    named = set(re.findall(r"^(lisle\S*|liblisle\S*) deb ", description.read_text().replace("\n ", "\n"), re.MULTILINE))
    if named != {"liblisle1", "lisle-bin", "lisle-dev", "lisle-doc"} or not (work / "tree/debian/rules").stat().st_mode & 0o100:
        sys.exit(f"FAILED: {description} names {named}")


def main():
    kind, project, *places = sys.argv[1], *map(pathlib.Path, sys.argv[2:])
    if kind == "elsewhere":
        build_elsewhere(project, places[0])
        return
    work = places[-1]
    shutil.rmtree(work, ignore_errors=True)
    if kind == "source":
        check_source(project, work)
        return
    if kind == "deb":
        skip_without("dpkg-buildpackage", "dh", "debootstrap")
        if os.geteuid() != 0:
            skip("only root can make a chroot")
    else:
        skip_without("readelf", "strip")
    packages = made_twice(*([project / f"packaging/build_{kind}", build, work / name]
                            for build, name in zip(places[:2], ("first", "second"), strict=True)))  # fmt: skip
    if kind == "wheel":
        subprocess.run([sys.executable, project / "packaging/check_wheel", packages[0], work / "tried"], check=True)
    else:
        subprocess.run([project / "packaging/check_deb", work / "first"], check=True)


if __name__ == "__main__":
    main()
