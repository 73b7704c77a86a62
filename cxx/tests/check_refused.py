#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Common mistakes do not compile, and the compiler says what is wrong: each file of refused/ must fail with the
text of its first line, in no more than 15 lines. With --good the files must compile without their functions `mistake`,
which proves that nothing else in them fails; those that include the same headers of Lisle's do it together.
Use: check_refused.py compiler file flag...
     check_refused.py --good compiler file... flag..."""
import re
import subprocess
import sys
from pathlib import Path

MOST_LINES = 15
INCLUDE = re.compile(r"^#include (<.*>)\n", re.MULTILINE)


def compile_text(compiler, text, flags):
    command = [compiler, "-std=c++20", "-fsyntax-only", "-fdiagnostics-color=never", *flags, "-xc++", "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=False)


def check_mistake(compiler, file, *flags):
    source = Path(file).read_text(encoding="utf-8")
    wanted = re.match(r"// says: (.*)\n", source).group(1)
    result = compile_text(compiler, source, flags)
    lines = result.stderr.splitlines()
    print(result.stderr)
    if result.returncode == 0:
        sys.exit(f"{file} compiles")
    if not any(text in result.stderr for text in wanted.split("|")):
        sys.exit(f"{file} fails, but the compiler does not say: {wanted}")
    if len(lines) > MOST_LINES:
        sys.exit(f"{file}: the compiler says {len(lines)} lines, more than {MOST_LINES}")


def check_good(compiler, *words):
    """Compiles the files without their mistakes, each in a namespace of its own."""
    flags = [word for word in words if word.startswith("-")]
    groups = {}
    for file in (Path(word) for word in words if word not in flags):
        source = file.read_text(encoding="utf-8")
        good = re.sub(r"(?ms)^void mistake\(.*?^}\n", "", source)
        if good == source:
            sys.exit(f"{file} has no function called mistake")
        headers = INCLUDE.findall(good)
        group = groups.setdefault(tuple(header for header in headers if header.startswith("<lisle/")), ([], []))
        group[0].extend(headers)
        group[1].append(f'namespace {file.stem} {{\n#line 1 "{file}"\n{INCLUDE.sub(chr(10), good)}}}\n')
    for headers, parts in groups.values():
        included = "".join(f"#include {header}\n" for header in dict.fromkeys(headers))
        result = compile_text(compiler, included + "".join(parts), flags)
        if result.returncode != 0:
            sys.exit(f"not only their mistakes are refused:\n{result.stderr}")


if __name__ == "__main__":
    if sys.argv[1] == "--good":
        check_good(*sys.argv[2:])
    else:
        check_mistake(*sys.argv[1:])
