# SPDX-License-Identifier: Apache-2.0
"""Expects the tools to find what is planted: tools/format a file that is not formatted, tools/lint a fault and a file
that does not compile, also where it checks files together, tools/check_words.py a coined word in a name, a comment and a
page, tools/check_settings.py settings that are read past their table, tools/check_design_pages.py a page without the
form, and tools/check_links.py links that lead nowhere and pages that no reader is led to.

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
    (project / "mpi/src/world/other.cpp").unlink()
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


def check_settings(project):
    """Reading what other programs set, and settings past their table."""
    check = project / "tools/check_settings.py"
    file = project / "mpi/src/base/planted.cpp"
    file.write_text('auto folder = std::getenv("TMPDIR"); // not getenv("LISLE_TMPDIR")\n')
    expect(run(check, project), 0, "")
    file.write_text('auto folder = std::getenv(\n    "LISLE_TMPDIR");\n')
    expect(run(check, project), 1, "mpi/src/base/planted.cpp:1: reads LISLE_TMPDIR;")
    file.write_text("\nauto folder = environment_text(names::folder_variable);\n")
    expect(run(check, project), 1, "mpi/src/base/planted.cpp:2: reads a variable that cannot be told from names::folder_variable;")
    header = file.with_suffix(".hpp")
    header.write_text('inline constexpr const char *folder_variable = "LISLE_TMPDIR";\n')
    expect(run(check, project), 1, "mpi/src/base/planted.cpp:2: reads LISLE_TMPDIR;")
    header.write_text('inline constexpr const char *folder_variable = "TMPDIR";\n')
    expect(run(check, project), 0, "")
    header.unlink()
    file.write_text("\n")


def check_pages(project):
    """A page of the form, and pages without."""
    check = project / "tools/check_design_pages.py"
    page = project / "mpi/docs/design/planted.md"
    page.parent.mkdir(parents=True)
    right = "# A\n\n## Problem\n\n## States\n\n```\n## -> b\n```\n\n## Invariants\n\n## Decision\n\n`base/planted.cpp`\n"
    page.write_text(right)
    expect(run(check, project), 0, "")
    page.write_text(right.replace("Invariants", "Rules"))
    expect(run(check, project), 1, "planted.md: has the sections Problem, States, Rules, Decision instead of")
    page.write_text(right.replace("```", ""))
    expect(run(check, project), 1, "planted.md: has the sections")
    page.write_text(right.replace("base/planted", "base/gone"))
    expect(run(check, project), 1, "planted.md:15: there is no base/gone.cpp")


def check_links(project):
    """A page that the index leads to, one that it does not, and a link that leads nowhere."""
    check = project / "tools/check_links.py"
    index, page = project / "docs/README.md", project / "docs/linked.md"
    for each in project.rglob("*.md"):
        each.unlink()
    page.write_text("[the index](README.md)\n")
    index.write_text("[a page](linked.md#place)\n")
    expect(run(check, project), 0, "")
    (project / "mpi/docs/alone.md").write_text("Nobody reads this.\n")
    expect(run(check, project), 1, "mpi/docs/alone.md: docs/README.md does not lead there")
    index.write_text("[a page](linked.md) [another](../mpi/docs/alone.md) [a third](gone.md)\n")
    expect(run(check, project), 1, "docs/README.md: there is no gone.md")


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
        check_settings(project)
        check_pages(project)
        check_links(project)


if __name__ == "__main__":
    main()
