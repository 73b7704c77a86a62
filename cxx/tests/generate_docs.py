#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes one program of the C and C++ examples of a page of documentation: each becomes a function, and main calls
them all. Use: generate_docs.py page output"""
import re
import sys
from pathlib import Path

NAMES = ["rank", "size", "next", "previous", "seven", "mine", "my_count", "p", "out", "in", "how_many", "pieces",
         "name"]


def main():
    page, output = Path(sys.argv[1]), Path(sys.argv[2])
    blocks = re.findall(r"^```(c|cpp)\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)
    if len(blocks) < 10:
        sys.exit(f"{page} has only {len(blocks)} examples")
    text = [f'// Generated from {page.name}.', '#include "surroundings.hpp"']
    for number, (_, block) in enumerate(blocks):
        own_world = "auto world =" in block
        names = "".join(f"    [[maybe_unused]] auto &{name} = around.{name};\n" for name in NAMES)
        world = "" if own_world else "    [[maybe_unused]] const auto world = lisle::world();\n"
        text.append(f"static void example_{number}() {{\n    surroundings around;\n{names}{world}    {{\n{block}    }}\n}}\n")
    calls = "".join(f"    example_{number}();\n    lisle::world().barrier();\n" for number in range(len(blocks)))
    text.append(f"int main() {{\n    const lisle::environment mpi;\n{calls}}}\n")
    output.write_text("\n".join(text), encoding="utf-8")


if __name__ == "__main__":
    main()
