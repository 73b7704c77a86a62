# SPDX-License-Identifier: Apache-2.0
"""Expects tools/format to find a file that is not formatted, tools/lint a fault and a file that does not compile, also
where it checks files together, and tools/check_words.py a coined word in a name, a comment and a page.

Usage: check_planted.py PROJECT_DIR
"""
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path


def run(*command):
    return subprocess.run([sys.executable, *map(str, command)], capture_output=True, text=True, check=False)


def expect(result, status, words):
    said = result.stdout + result.stderr
    if result.returncode != status or words not in said:
        sys.exit(f"{result.args} gives status {result.returncode} and\n{said}\ninstead of {status} and {words}")


def check_words(project, original):
    """A word counts as known if the list or the glossary has it, in one of its forms."""
    words = project / "tools/check_words.py"
    (project / "docs").mkdir()
    shutil.copy(original / "docs/glossary.md", project / "docs")
    file = project / "mpi/src/base/planted.cpp"
    file.write_text("// Queued.\nint queued_messages(int unposted) { return unposted; }\n")
    expect(run(words, project), 0, "")
    file.write_text("int count_gribbles();\n")
    expect(run(words, project), 1, 'mpi/src/base/planted.cpp:1: "gribbles" in count_gribbles')
    file.write_text("// For whoever waits.\n")
    expect(run(words, project), 1, 'mpi/src/base/planted.cpp:1: "whoever"')
    file.write_text("\n")
    (project / "docs/planted.md").write_text("The **gribble** waits.\n")
    expect(run(words, project), 1, 'docs/planted.md:1: "gribble"')


def main():
    original = Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as place:
        project = Path(place).resolve()
        for name in (".clang-format", ".clang-tidy"):
            shutil.copy(original / name, project)
        shutil.copytree(original / "tools", project / "tools")
        file = project / "mpi/src/base/planted.cpp"
        file.parent.mkdir(parents=True)
        other = project / "mpi/src/world/other.cpp"
        other.parent.mkdir()
        (project / "compile_commands.json").write_text(json.dumps(
            [{"directory": str(project), "file": str(each), "command": f"c++ -std=c++20 -c {each}"} for each in (file, other)]))

        other.write_text("int thrice(int number) {\n    return 3 * number;\n}\n")
        file.write_text("int  twice( int number ) { return 2*number; }\n")
        expect(run(project / "tools/format", "--check", project), 1, "mpi/src/base/planted.cpp")
        expect(run(project / "tools/format", project), 0, "mpi/src/base/planted.cpp")
        expect(run(project / "tools/format", "--check", project), 0, "")
        if file.read_text() != "int twice(int number) {\n    return 2 * number;\n}\n":
            sys.exit(f"tools/format has made this:\n{file.read_text()}")
        expect(run(project / "tools/lint", project), 0, "2 files checked, 0 findings")

        file.write_text("int *place = 0;\n")
        expect(run(project / "tools/lint", project), 1, "modernize-use-nullptr")
        file.write_text("int broken(\n")
        for choice in ("--all",), ():
            expect(run(project / "tools/lint", *choice, project), 1, "clang-diagnostic-error")
        # What two files define cannot be compiled together, but alone.
        file.write_text(other.read_text())
        expect(run(project / "tools/lint", project), 0, "2 files checked, 0 findings")
        check_words(project, original)


if __name__ == "__main__":
    main()
