#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The reference of the C++ interface is whole: every public name of namespace lisle, and every public function and type
of its classes, has a docstring where it is declared (one of its overloads does), and occurs in an example of
cxx/docs/cpp.md or cxx/docs/cpp_calls.md, all of which tests compile and run. Use: check_interface_reference.py [root]"""
import re
import sys
from pathlib import Path

HEADERS = "cxx/include/lisle"
PAGES = ("cxx/docs/cpp.md", "cxx/docs/cpp_calls.md")
# What belongs to other products, or is there for other headers and not for programs: MPI 4's functions over MPI 3.1, the
# archives of serialize.hpp.
OTHERS = ("task.hpp", "task/", "couple/", "forward.hpp", "detail/mpi3.hpp", "serialization/")
# What other headers of the interface ask, and programs do not.
INNER = {"request_access", "sender_tag", "sender_environment", "task::frame", "scheduler::resumption", "scheduler::root_task",
         "scheduler::resume_after", "scheduler::resume_soon"}
# Classes that lend their functions to communicators and topologies.
LENT = re.compile(r"^\w+_calls$")
SCOPE = re.compile(r"(?:^|[\s;}])(?P<kind>namespace|class|struct|enum class|enum|union)\b(?P<rest>[^;={}]*)$", re.S)
NOT_NAMES = {"if", "for", "while", "switch", "return", "decltype", "static_assert", "requires", "noexcept", "alignas", "sizeof",
             "explicit", "operator", "catch", "defined"}


def blanked(text):
    """The text with comments, strings and lines of the preprocessor as spaces, every other letter at its place."""
    pattern = r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*'
    text = re.sub(pattern, lambda found: re.sub(r"[^\n]", " ", found.group()), text, flags=re.S | re.M)
    return text.replace("= {})", "    )").replace("= {},", "    ,")  # default arguments


def without_templates(words):
    """A declaration without what stands in <>, (), [] and behind requires."""
    words = re.sub(r"operator\s*(?:\(\)|[^\w\s(]+|bool|co_await)", "operator_", words)
    while (shorter := re.sub(r"<[^<>()]*>|\[\[[^\[\]]*\]\]", " ", words)) != words:
        words = shorter
    return words


def name_of(words):
    """The name that a declaration makes, or None."""
    if re.match(r"\s*(?:friend|using\s+[\w:]+\s*$|using namespace|static_assert|return|namespace)\b", words):
        return None
    if found := re.match(r"\s*template.*\bconcept\s+(\w+)\s*=", words, re.S):
        return found.group(1)
    plain = without_templates(words)
    if found := re.match(r"\s*(?:template\s+)?using\s+(\w+)\s*=", plain):
        return found.group(1)
    plain = re.sub(r"\brequires\s*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)(?:\s*(?:&&|\|\|)\s*\((?:[^()]|\([^()]*\))*\))*", " ", plain)
    if found := re.search(r"(::\s*)?(~?\b\w+)\s*\(", plain):
        return None if found.group(1) else found.group(2)  # no member that is defined further down
    found = re.search(r"(\w+)\s*(?:=.*)?$", re.sub(r"\{.*", "", plain, flags=re.S), re.S)
    return found.group(1) if found else None


class Declared:
    """The public names of the headers: where each is declared, and whether it has a docstring there."""

    def __init__(self):
        self.names = {}

    def add(self, name, place, documented):
        place_of_first, known = self.names.get(name, (place, False))
        self.names[name] = (place_of_first, known or documented)

    def read(self, file, shown):
        original = file.read_text(encoding="utf-8")
        text = blanked(original)
        stack, begin = [], 0  # (kind, name, whether it is public at this place)
        for found in re.finditer(r"[{};]|\b(?:public|private|protected)\s*:(?!:)", text):
            mark = found.group()
            words = text[begin : found.start()]
            if mark == "}":
                stack.pop()
            elif mark.endswith(":"):
                stack[-1] = (*stack[-1][:2], mark.startswith("public"))
            else:
                self.declare(stack, words, begin, original, text, shown)
                if mark == "{":
                    stack.append(self.scope(words))
            begin = found.end()

    @staticmethod
    def scope(words):
        plain = without_templates(words)
        if "(" in re.sub(r"requires\s*\(.*?\)|alignas\(.*?\)", "", plain, flags=re.S) and "namespace" not in plain:
            return ("body", "", False)
        found = SCOPE.search(plain)
        if not found:
            return ("body", "", False)
        name = re.match(r"\s*([\w:]+)", found["rest"])
        return (found["kind"], name.group(1) if name else "", found["kind"] not in ("class",))

    def declare(self, stack, words, begin, original, text, shown):
        if not words.strip() or not stack or any(kind == "body" for kind, _, _ in stack):
            return
        spaces = [name for kind, name, _ in stack if kind == "namespace"]
        classes = [(kind, name, public) for kind, name, public in stack if kind != "namespace"]
        lent = len(classes) == 1 and LENT.match(classes[0][1])
        if not (spaces == ["lisle"] or (lent and spaces[:1] == ["lisle"])) or not all(public for _, _, public in classes):
            return
        if any(kind.startswith("enum") for kind, _, _ in classes):
            return
        kind, inner, _ = self.scope(words)
        name = inner if kind not in ("body", "namespace") else name_of(words)
        if kind == "namespace" or not name or name in NOT_NAMES or name.startswith("operator") or name.startswith("~"):
            return
        if classes and (name == classes[-1][1] or (kind == "body" and "(" not in without_templates(words))):
            return  # constructors; fields
        if lent and "refusal" in words.split():
            return
        start = begin + len(words) - len(words.lstrip())
        line = original.count("\n", 0, start)
        lines = original.split("\n")
        documented = line > 0 and lines[line - 1].strip().startswith("///") or "///<" in lines[original.count("\n", 0, begin + len(words))]
        owner = "" if lent or not classes else "::".join(name for _, name, _ in classes) + "::"
        self.add(owner + name, f"{shown}:{line + 1}", documented)


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    declared = Declared()
    for file in sorted((root / HEADERS).rglob("*.hpp")):
        place = str(file.relative_to(root / HEADERS))
        if not place.startswith(OTHERS):
            declared.read(file, f"{HEADERS}/{place}")
    examples = set()
    for page in PAGES:
        for block in re.findall(r"^```cpp\n(.*?)^```", (root / page).read_text(encoding="utf-8"), re.M | re.S):
            examples |= set(re.findall(r"\w+", re.sub(r"//[^\n]*", "", block)))
    wrong = []
    for name, (place, documented) in sorted(declared.names.items()):
        if name in INNER or name.split("::")[0] in INNER or "::".join(name.split("::")[:2]) in INNER:
            continue
        if not documented:
            wrong.append(f"{place}: {name} has no docstring")
        if name.split("::")[-1] not in examples:
            wrong.append(f"{place}: {name} is in no example of {' or '.join(PAGES)}")
    if gone := INNER - set(declared.names):
        wrong.append(f"not there any more: {', '.join(sorted(gone))}")
    print(f"{len(declared.names)} public names", *wrong, sep="\n")
    sys.exit(1 if wrong or len(declared.names) < 300 else 0)


if __name__ == "__main__":
    main()
