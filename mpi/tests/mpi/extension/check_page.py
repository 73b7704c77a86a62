#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles and runs the programs on a page of documentation with the compiler wrappers, and compares what they
print with the text block that follows. Use: check_page.py page folder-of-mpicc include-folder"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "integration"))
from commands import LIMIT  # noqa: E402

BLOCK = re.compile(r"^```(c|cpp)\n(.*?)^```\n(?:```text\n(.*?)^```)?", re.M | re.S)


def main():
    page, tools, include = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
    programs = BLOCK.findall(page.read_text(encoding="utf-8"))
    if len(programs) < 7:
        sys.exit(f"{page} has only {len(programs)} programs")
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        for number, (language, source, output) in enumerate(programs, 1):
            file = Path(folder, f"program_{number}.{language}")
            file.write_text(source, encoding="utf-8")
            wanted = re.search(r"^// link: (.*)$", source, re.M)
            compiler = [tools / "mpicc", "-std=gnu17"] if language == "c" else [tools / "mpicxx", "-std=c++20"]
            if "omp.h" in source:
                compiler.append("-fopenmp")
            program = file.with_suffix("")
            subprocess.run([*compiler, "-Wall", "-Wextra", "-I" + include, file, "-o", program,
                            *(wanted.group(1).split() if wanted else [])], check=True)
            result = subprocess.run([program], stdout=subprocess.PIPE, text=True, timeout=LIMIT, check=False)
            if result.returncode != 0 or (output and result.stdout != output):
                print(f"program {number} of {page.name} ended with {result.returncode} and printed\n{result.stdout}"
                      f"instead of\n{output}")
                failed = True
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
