#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the names that rows of two tables of the code introduce, as enumerations for the layers below.

Usage: generate_names.py PROJECT_DIR OUTPUT_DIR

A setting is a row of mpi/src/base/settings_table.cpp, an algorithm a row of mpi/src/collective/selection/table.cpp.
From them this makes OUTPUT_DIR/base/setting_names.inc, the enumerators of `setting` in the order of the rows;
OUTPUT_DIR/base/algorithm_names.inc, the algorithms and, for each collective, those that a setting can force; and
OUTPUT_DIR/algorithms.txt, a line bcast=binomial for each of these, from which tests are made.
"""
import re
import sys
from pathlib import Path

SETTING = re.compile(r'\{\s*"LISLE_(\w+)",\s*(?:users|experts|launching|tiles),\s*([^,]+),\s*([^,]+),\s*([^,]+),')
ROW = re.compile(r"\buse<on::(\w+),\s*by::(\w+),")
OPERATIONS = re.compile(r"enum class collective_operation : unsigned char \{([^}]*)\}")
# No setting asks for these: the first two are used where nothing else is possible, the third before all others.
UNASKED = ("between_groups", "copy", "pair")


def part(path, first, last):
    """The text of a file between two lines that begin so."""
    text = path.read_text()
    found = re.search(rf"^{re.escape(first)}.*?^{re.escape(last)}", text, re.DOTALL | re.MULTILINE)
    return found[0] if found else sys.exit(f'{path}: there is nothing between "{first}" and "{last}"')


def setting_names(table):
    """The enumerators: numbers and words first, then texts, whose limits are equal."""
    names, texts = [], 0
    for name, _, least, most in SETTING.findall(part(table, "std::vector<setting_description> rows()", "}")):
        name = name.lower()
        if least == most:
            texts += 1
            if texts == 1:
                names.append("first_text")
                name += " = first_text"
        elif texts:
            sys.exit(f"{table}: LISLE_{name.upper()} is a number and stands below a text")
        names.append(name)
    return "".join(f"{name},\n" for name in names)


def algorithm_names(table, operations):
    """The enumeration with its names and a row of algorithms for each operation, and the same rows as text."""
    rows = ROW.findall(part(table, "constexpr row table[] = {", "};"))
    algorithms = list(dict.fromkeys(use for _, use in rows))
    for what, _ in rows:
        if what not in operations:
            sys.exit(f"{table}: there is no collective_operation::{what}")
    offered = {each: [use for what, use in rows if what == each and use not in UNASKED] for each in operations}
    lines = ["enum class collective_algorithm : unsigned char {", *(f"    {name}," for name in algorithms), "};", "",
             f"inline constexpr std::array<std::string_view, {len(algorithms)}> collective_algorithm_names{{",
             *(f'    "{name}",' for name in algorithms), "};", ""]  # fmt: skip
    for each, uses in offered.items():
        lines += [f"inline constexpr std::array<collective_algorithm, {len(uses)}> algorithms_of_{each}{{",
                  *(f"    collective_algorithm::{use}," for use in uses), "};"]  # fmt: skip
    return "\n".join(lines) + "\n", "".join(f"{each}={use}\n" for each, uses in offered.items() for use in uses)


def write(path, text):
    """Leaves a file alone that has this text, so that nothing is compiled again."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    source, output = Path(sys.argv[1]) / "mpi/src", Path(sys.argv[2])
    listed = OPERATIONS.search((source / "base/collective_algorithms.hpp").read_text())[1]
    operations = [name for name in re.findall(r"\w+", listed) if name != "count"]
    write(output / "base/setting_names.inc", setting_names(source / "base/settings_table.cpp"))
    enumeration, text = algorithm_names(source / "collective/selection/table.cpp", operations)
    write(output / "base/algorithm_names.inc", enumeration)
    write(output / "algorithms.txt", text)


if __name__ == "__main__":
    main()
