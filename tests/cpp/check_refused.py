#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Common mistakes do not compile, and the compiler says what is wrong: each file of refused/ must fail with the
text of its first line, in no more than 15 lines. One good file proves that the compiler works at all.
Use: check_refused.py compiler file flag..."""
import re
import subprocess
import sys
from pathlib import Path

MOST_LINES = 15


def main():
    compiler, file, *flags = sys.argv[1:]
    source = Path(file).read_text(encoding="utf-8")
    wanted = re.match(r"// says: (.*)\n", source).group(1)
    command = [compiler, "-std=c++20", "-fsyntax-only", "-fdiagnostics-color=never", *flags, "-xc++", "-"]
    # The same file without its mistake compiles.
    good = re.sub(r"(?ms)^void mistake\(.*?^}\n", "", source)
    if good == source:
        sys.exit(f"{file} has no function called mistake")
    result = subprocess.run(command, input=good, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"{file} does not compile without its mistake:\n{result.stderr}")
    result = subprocess.run(command, input=source, capture_output=True, text=True, check=False)
    lines = result.stderr.splitlines()
    print(result.stderr)
    if result.returncode == 0:
        sys.exit(f"{file} compiles")
    if not any(text in result.stderr for text in wanted.split("|")):
        sys.exit(f"{file} fails, but the compiler does not say: {wanted}")
    if len(lines) > MOST_LINES:
        sys.exit(f"{file}: the compiler says {len(lines)} lines, more than {MOST_LINES}")


if __name__ == "__main__":
    main()
