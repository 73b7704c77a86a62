#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What including lisle/lisle.hpp gives the compiler to read, which unlike its time does not depend on the machine: no
more than a third above mpi.h and the standard headers that most programs have, little of its own, and none of the
headers that are known to cost. Use: check_umbrella.py compiler flag..."""
import re
import subprocess
import sys

USUAL = ["algorithm", "functional", "iostream", "map", "memory", "string", "vector"]
COSTLY = ["atomic", "cereal", "chrono", "complex", "coroutine", "iostream", "map", "random", "ranges_views",
          "regex", "sstream", "thread"]
MOST, MOST_OF_OWN = 4 / 3, 1 / 7


def preprocessed(command, headers):
    source = "".join(f"#include <{header}>\n" for header in headers)
    return subprocess.run([*command, "-E", "-"], input=source, capture_output=True, text=True, check=True).stdout


def sizes(text):
    """Bytes without lines of the preprocessor, by file."""
    result, file = {}, ""
    for line in text.splitlines():
        if line.startswith("# "):
            file = line.split('"')[1]
        else:
            result[file] = result.get(file, 0) + len(line) + 1
    return result


def main():
    command = [sys.argv[1], "-std=c++20", "-xc++", *sys.argv[2:]]
    usual = sum(sizes(preprocessed(command, ["mpi.h", *USUAL])).values())
    files = sizes(preprocessed(command, ["lisle/lisle.hpp"]))
    total = sum(files.values())
    own = sum(size for file, size in files.items() if re.search(r"/lisle/(?:\w+/)?\w+\.hpp$", file))
    print(f"lisle.hpp {total} bytes, {own} of its own; mpi.h and usual headers {usual}: ratio {total / usual:.3f}")
    costly = [file for file in files for name in COSTLY if re.search(rf"(^|/){name}(/|$)", file)]
    if total > MOST * usual:
        sys.exit(f"that is more than {MOST:.3f}")
    if own > MOST_OF_OWN * usual:
        sys.exit(f"its own text is more than {MOST_OF_OWN} of theirs")
    if costly:
        sys.exit(f"it includes {', '.join(costly)}")


if __name__ == "__main__":
    main()
