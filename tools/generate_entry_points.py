#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the C entry points: for each function of the standard and each extension PMPI_X and its weak alias MPI_X.

Usage: generate_entry_points.py DATA_DIR SOURCE_DIR OUTPUT_DIR
       generate_entry_points.py --declarations DATA_DIR GROUP...

One file for each group of functions. An entry point checks its arguments and converts them as the tables
in parameters.py say, by the standard's kind of each parameter, and calls lisle::api::x; what lisle::api does not
declare (see standard.py) is an error, MPI_ERR_UNSUPPORTED_OPERATION. With --declarations: prints what the
entry points of a group expect mpi/src/api/*.hpp to declare.
"""
import pathlib
import re
import sys

import standard
from parameters import (
    AMONG_NO_RANKS, AMONG_RANKS, AMONG_RANKS_GROUPS, BEGINS_ONLY, FLOWS, FREED, FREES_NOTHING, LAX_GROUPS,
    MAKES_WHAT_ENDS_ITSELF, MOVES_DATA_GROUPS, NULL_HANDLES, ORDERING, ORDERING_GROUPS, ORDERING_NOTHING, OWN_HANDLER, TELLS_ITSELF,
    UNDEFINED_IF_TOO_LARGE,
)
from preparation import Preparation

class EntryPoint(Preparation):
    """The text of one entry point."""

    def __init__(self, function, callee, at_once=None, plain=None):
        super().__init__(function)
        self.callee, self.at_once, self.plain = callee, at_once, plain

    def call(self):
        """The call, between fetching and storing the counts that it changes."""
        stores, arguments = [], []
        for p in self.parameters:
            if p.type == "...":
                continue
            if p.poly and p.pointer and not p.array:
                initial = f"*{p.name}" if p.row["direction"] == "inout" else "0"
                self.lines.append(f"MPI_Count {p.local()} = {initial};")
                if p.kind in UNDEFINED_IF_TOO_LARGE:
                    stores.append(f"store_or_undefined({p.local()}, {p.name});")
                else:
                    stores.append(f"store_or_fail({p.local()}, {p.name}, \"{p.name}\");")
            arguments.append(self.replaced.get(p.name, p.argument()))
        if self.tells_form():
            arguments.append("count_form::large" if self.function["large_count_of"] else "count_form::small")
        self.lines += self.watches()
        call = f"api::{self.callee}({', '.join(arguments)});"
        if self.is_among_ranks() and not TELLS_ITSELF.fullmatch(self.name):
            call = f"rma::call_among_ranks::make(rma::hearing::{self.hearing()}, [&] {{ {call} }}{self.order()});"
        self.lines.append(call)
        self.lines += stores + self.notes()

    def is_among_ranks(self):
        """Whether it may tell other ranks, or hear from them."""
        if self.group in AMONG_RANKS_GROUPS:
            return not AMONG_NO_RANKS.fullmatch(self.name)
        return AMONG_RANKS.fullmatch(self.name)

    def hearing(self):
        """What a rank may have heard when the call returns."""
        if self.group in MOVES_DATA_GROUPS | {"request"} and BEGINS_ONLY.fullmatch(self.name):
            return "nothing"
        return "entries" if self.group == "coll" else "anything"

    def orders(self):
        """Whether it orders what the members of a communicator do."""
        small = self.name.removesuffix("_c")
        return (self.group in ORDERING_GROUPS or ORDERING.fullmatch(small)) and not ORDERING_NOTHING.fullmatch(small)

    def order(self):
        """A function that makes the call and tells its order."""
        if not self.orders():
            return ""
        request = next((p.name for p in self.parameters if p.kind == "REQUEST"), None)
        how = "in_order" if request is None else "in_order_when_started" if "_init" in self.name else "in_order_with"
        return (f",\n    [&](const auto &call) {{ {how}({f'{request}, ' if request else ''}"
                f"[&] {{ return collective_order{self.order_of_call()}; }}, call); }}")  # fmt: skip

    def order_of_call(self):
        """Between whom."""
        for met_by, number in (("stringtag", "stringtag"), ("tag", "static_cast<std::uint64_t>(tag)"),
                               ("threadcomm", "handle_value(threadcomm)")):  # fmt: skip
            if self.named(met_by):
                return f"::of_meeting({number})"
        small = self.name.removesuffix("_c")
        flow = next((flow for names, flow in FLOWS if names.fullmatch(small)), "everyone")
        root = ", root" if "root" in flow else ""
        comm = next((p.local() for p in self.parameters if p.kind == "COMMUNICATOR" and p.handle), "about->comm()")
        return f"{{{comm}, order_between::{flow}{root}}}"

    # What keeps the list of open handles.

    def freed_kinds(self):
        if self.group in LAX_GROUPS or self.name in MAKES_WHAT_ENDS_ITSELF:
            return []
        return [p for p in self.parameters if p.kind in FREED]

    def watches(self):
        """Before the call. Communicators that it is to make are null unless it makes them."""
        lines = []
        for p in self.freed_kinds():
            direction = p.row["direction"]
            if direction == "out" and p.kind == "COMMUNICATOR":
                lines.append(f"*{p.name} = MPI_COMM_NULL;")
            elif direction == "inout" and self.name not in FREES_NOTHING:
                count = "1" if p.pointer else next(q.name for q in self.parameters if q.kind == "ARRAY_LENGTH_NNI")
                # What completes requests forgets each of them itself (api/completion.cpp).
                if p.kind != "REQUEST" or not self.name.startswith(("MPI_Wait", "MPI_Test")):
                    lines.append(f"const handle_watch watch{{{p.name}, {count}, \"{FREED[p.kind]}\"}};")
        return lines

    def notes(self):
        """After the call."""
        lines = []
        for p in self.freed_kinds():
            if p.row["direction"] == "out" and p.pointer:
                lines.append(f"note_given(*{p.name}, \"{FREED[p.kind]}\", \"{self.name}\");")
            elif p.row["direction"] == "out":  # MPI_Type_get_contents
                lines.append(f"note_contents(datatype_, {p.name}, \"{self.name}\");")
        return lines

    # The text.

    def signature(self, prefix):
        parameters = ", ".join(p.declaration() for p in self.parameters)
        if not self.callee:
            text = "\n".join(self.body())
            parameters = ", ".join(p.declaration() if re.search(rf"\b{p.name}\b", text) else Unnamed(p).text()
                                   for p in self.parameters)  # fmt: skip
        return f"{self.function['c_return']} {prefix}{self.name}({parameters})"

    def target(self):
        """The variable whose error handler hears of an error, once the lines are there, and its type."""
        if not any(line.startswith("about = ") for line in self.lines):
            return "static_cast<communicator *>(nullptr)", None
        if self.name in OWN_HANDLER:
            return "about", "lisle::errhandler"
        if any("to_window" in line for line in self.lines):
            return "about", "rma::window"
        return "about", "lisle::session" if any(p.kind == "SESSION" for p in self.parameters) else "communicator"

    def body(self):
        if not self.callee:
            return ["return {};"] if self.raw else self.body_without_callee()
        if self.raw:
            arguments = ", ".join(p.name for p in self.parameters)
            return [f"return api::{self.callee}({arguments});"]
        self.lines, self.replaced, self.counts_checked = [], {}, set()
        self.check_state()
        self.convert_communicators()
        self.convert_windows()
        self.convert_files()
        self.convert_own_handler()
        self.check_ranks_and_tags()
        self.convert_handles()
        self.check_data()
        self.check_numbers()
        self.check_pointers()
        self.call()
        shorter = self.done_by(self.plain) if self.plain else []
        return [*shorter, *self.told_of_errors([*self.lines, "return MPI_SUCCESS;"], self.hear())]

    def body_without_callee(self):
        """An error as any other, about the communicator or session that the call is about. Handles that a program
        might go on with are null."""
        self.lines = []
        self.check_state()
        self.lines += [
            f"if ({p.name} != nullptr) {{ *{p.name} = {NULL_HANDLES[p.kind]}; }}"
            for p in self.parameters
            if p.kind in NULL_HANDLES and p.pointer and not p.array and p.row["direction"] == "out"
        ]
        self.convert_communicators()
        return self.told_of_errors([*self.lines, "fail_unsupported();"], self.hear())

    def done_by(self, shorter_way):
        arguments = ", ".join(p.name for p in self.parameters)
        return [f"if (api::{shorter_way}({arguments})) [[likely]] {{", "    return MPI_SUCCESS;", "}"]

    def body_at_once(self):
        """The commonest way alone (see mpi/src/api/fast_path.hpp), so that it saves no registers for the other one."""
        arguments = ", ".join(p.name for p in self.parameters)
        return [*self.done_by(self.at_once), f"return in_general_{self.name}({arguments});"]

    def hear(self):
        """What becomes of an error; None if no handler hears of it: calls of the tool interface. [MPI-5.0 15.3]"""
        if self.group in LAX_GROUPS:
            return None
        call = "hear_of_file" if self.is_about_files() else "hear"
        return f"{call}({self.target()[0]}, \"{self.name}\", caught)"

    def told_of_errors(self, lines, hear):
        """The program's handler is called when no exception is handled any more: it may leave by longjmp."""
        about, sort = self.target()
        return [
            *([f"{sort} *about = nullptr;"] if about == "about" else []),
            *(["communicator_ref kept; // that of a file which is gone when its close fails"]
              if any(line.startswith("kept = ") for line in lines) else []),
            *(["told_error told;"] if hear else []),
            "try {",
            *indented(lines),
            "} catch (const std::exception &caught) {",
            f"    {f'told = {hear}' if hear else 'return code_of(caught)'};",
            "}",
            *(["return told.tell();"] if hear else []),
        ]

    def text(self):
        note = "" if self.callee else ": not implemented yet"
        visible = '[[gnu::visibility("default")]]'
        begin, body = [], self.body()
        if self.at_once:
            assert not self.notes(), f"{self.name}: the call that made a handle is known by its return address"
            begin = [f"[[gnu::noinline]] static {self.signature('in_general_')} {{", *indented(body), "}",
                     f"static const general_call call_of_{self.name}{{\"{self.name}\", "
                     f"reinterpret_cast<const void *>(&in_general_{self.name})}};"]
            body = self.body_at_once()
        return "\n".join([
            f"// {self.name}{note}",
            *begin,
            f"{visible} {self.signature('P')} {{",
            *indented(body),
            "}",
            f"{visible} {self.signature('')}"
            f" __attribute__((weak, alias(\"P{self.name}\")));",
            "",
        ])  # fmt: skip

    def expected_declaration(self):
        result = self.function["c_return"] if self.raw else "void"
        parameters = [p.declaration() if self.raw else p.implementation_declaration()
                      for p in self.parameters if p.type != "..."]  # fmt: skip
        parameters += ["count_form form"] if self.tells_form() else []
        return f"{result} {self.callee}({', '.join(parameters)});"


def indented(lines):
    return [f"    {line}" for line in lines]


class Unnamed:
    """A parameter of an entry point that does not look at it."""

    def __init__(self, parameter):
        self.parameter = parameter

    def text(self):
        p = self.parameter
        if p.array:
            return f"{p.type}{'' if p.type.endswith('*') else ' '}{p.array}"
        return p.type


def write_group(group, title, functions, names, headers, output):
    points = [EntryPoint(f, standard.implementation(f, names), standard.at_once(f, names),
                         standard.plain(f, names)) for f in functions]
    works = any(p.callee for p in points)
    out = [
        "// SPDX-License-Identifier: Apache-2.0",
        f"// Entry points: {title}.",
        f"// Generated by tools/generate_entry_points.py from the rows of group \"{group}\" in data/.",
        '#include "abi/entry.hpp"',
    ]
    out += ['#include "abi/told_orders.hpp"', '#include "abi/call_place.hpp"', '#include "abi/check.hpp"', '#include "rma/races/watch.hpp"']
    if works:
        out += ['#include "datatype/count_list.hpp"', '#include "abi/handle_watch.hpp"']
        out += [f'#include "{h}"' for h in headers]
    out += ["", "using namespace lisle;", "using namespace lisle::abi;", "", 'extern "C" {', ""]
    out += [p.text() for p in points]
    out += ['} // extern "C"', ""]
    text = "\n".join(out)
    path = output / f"{group}.cpp"
    # Unchanged files keep their time, so that a new function recompiles its own group only.
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def print_declarations(data, groups):
    for f in standard.load(data, "functions.json")["functions"] + standard.extensions(data)["functions"]:
        if f["group"] in groups and not (f["large_count_of"] and not standard.large_only(f)):
            print(EntryPoint(f, standard.api_name(f)).expected_declaration())


def main():
    if sys.argv[1] == "--declarations":
        print_declarations(sys.argv[2], sys.argv[3:])
        return
    data, source, output = (pathlib.Path(a) for a in sys.argv[1:4])
    table = standard.load(data, "functions.json")
    names = standard.implemented(source)
    output.mkdir(parents=True, exist_ok=True)
    extensions = standard.extensions(data)["functions"]
    known = {standard.api_name(f) for f in table["functions"] + extensions}
    for name in sorted({n.removeprefix("try_").removeprefix("plain_") for n in names} - known):
        sys.exit(f"{source}/{names[name]} declares lisle::api::{name}, which is no function of the standard and no extension")
    for f in extensions:
        if not standard.implementation(f, names):
            sys.exit(f"extensions.json has {f['name']}, but mpi/src/api declares no lisle::api::{standard.api_name(f)}")
    groups = {**table["groups"], standard.EXTENSION_GROUP: {"title": "extensions"}}
    for group, about in groups.items():
        functions = [f for f in table["functions"] + extensions if f["group"] == group]
        used = {find(f, names) for f in functions for find in (standard.implementation, standard.at_once)} - {None}
        headers = sorted({names[n] for n in used})
        write_group(group, about["title"], functions, names, headers, output)


if __name__ == "__main__":
    main()
