#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes cxx/include/lisle/lisle.cppm, the module `lisle`: all names of namespace lisle that lisle/lisle.hpp declares, as
the preprocessor sees it. With --check it only says whether the file is what it would write.
Use: generate_module.py [--check] compiler flag..."""
import re
import subprocess
import sys
from pathlib import Path

MODULE = Path(__file__).resolve().parent.parent / "cxx/include/lisle/lisle.cppm"
TEXT = """// SPDX-License-Identifier: Apache-2.0
// `import lisle;` for compilers and build systems that can: the names of lisle/lisle.hpp. Written by
// tools/generate_module.py.
module;
#include "lisle/lisle.hpp"

export module lisle;

// GCC 14 does not find the placement new of templates that a program instantiates, unless it is exported.
export {{
    using ::operator new;
}}

export namespace lisle {{
{names}
}} // namespace lisle
"""
PATTERNS = (
    r"\bconcept (\w+) =",
    r"^using (\w+) =",
    r"^(?:class|struct|enum class|enum) (\w+)(?!\w|\s*<)",
    r"(operator\s*[^\s\w(]+)\s*\(",
    r"(?<!::)\b(\w+)\s*\(",
    r"^(?:inline )?constexpr .*?(\w+)\s*(?:=|\{|;|$)",
)


def own_text(command):
    """What the headers of lisle/ consist of, without strings."""
    lines, own = [], False
    source = '#include "lisle/lisle.hpp"\n'
    result = subprocess.run([*command, "-E", "-"], input=source, capture_output=True, text=True, check=True)
    for line in result.stdout.splitlines():
        if line.startswith("# "):
            own = re.search(r'/lisle/(?:\w+/)?\w+\.hpp"', line) is not None
        elif own:
            lines.append(line)
    return re.sub(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])\'', '""', "\n".join(lines))


def declarations(text):
    """The beginnings of what stands in namespace lisle itself."""
    stack, begin = [], 0
    for found in re.finditer(r"[{};]", text):
        if found.group() == "}":
            stack.pop()
            begin = found.end()
            continue
        words = " ".join(text[begin : found.start()].split())
        here = "::".join(stack) == "lisle"
        if found.group() == "{":
            space = re.search(r"(?:^|\s)(?:inline )?namespace ([\w:]*)$", words)
            stack.append(space.group(1) if space else "{")
            if here and not space:
                yield words
        elif here:
            yield words
        begin = found.end()


def without_head(words):
    """A declaration without template<...> and requires(...) before it, and without attributes."""
    words = re.sub(r"\[\[.*?\]\] ?", "", words)
    while True:
        words = words.lstrip("}&) ")
        if words.startswith("template"):
            depth, end = 0, 0
            for end, letter in enumerate(words):
                depth += (letter == "<") - (letter == ">")
                if letter == ">" and depth == 0:
                    break
            words = words[end + 1 :]
        elif words.startswith("requires"):
            words = re.sub(r"^requires\s*(?:\((?:[^()]|\([^()]*\))*\)|[\w:]+(?:<[^>]*>)?)", "", words)
        else:
            return words


def names_in(text):
    names = set()
    for words in declarations(text):
        words = without_head(words)
        for pattern in PATTERNS:
            found = re.search(pattern, words)
            if found:
                names.add(found.group(1).replace(" ", ""))
                break
    return names - {"decltype", "static_assert", "true"}


def main():
    arguments = sys.argv[1:]
    check = arguments[:1] == ["--check"]
    command = [*arguments[check:], "-std=c++20", "-xc++"]
    names = "\n".join(f"using lisle::{name};" for name in sorted(names_in(own_text(command))))
    text = TEXT.format(names=names)
    if not check:
        MODULE.write_text(text, encoding="utf-8")
    elif MODULE.read_text(encoding="utf-8") != text:
        sys.exit(f"{MODULE} is not what tools/generate_module.py writes")


if __name__ == "__main__":
    main()
