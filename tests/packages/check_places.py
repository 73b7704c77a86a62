# SPDX-License-Identifier: Apache-2.0
"""No file that is made by compiler and linker and is installed, with its debug information, names the folder of the sources or
of the build.

Usage: check_places.py PROJECT_DIR BUILD_DIR
"""
import pathlib
import sys

PATTERNS = ["bin/lisle*", "lib/libmpi*", "lib/liblisle*", "lib/lisle/**/*", "libexec/lisle/**/*", "include/*.mod"]


def main():
    project, build = map(pathlib.Path, sys.argv[1:])
    files = sorted({path.resolve() for pattern in PATTERNS for path in build.glob(pattern) if path.is_file()})
    if not any(path.name.startswith("libmpi_abi.so") for path in files):
        sys.exit(f"FAILED: {build} has no library")
    places = [str(folder.resolve()).encode() for folder in (project, build)]
    for path in files:
        contents = path.read_bytes()
        if (at := max(map(contents.find, places))) >= 0:
            sys.exit(f"FAILED: {path} says {contents[at : at + 200].split(bytes(1))[0].decode(errors='replace')}")
    print(f"{len(files)} files name no place")


if __name__ == "__main__":
    main()
