#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the C entry points: for each function of the standard and each extension PMPI_X and its weak alias MPI_X.

Usage: generate_entry_points.py DATA_DIR SOURCE_DIR OUTPUT_DIR
       generate_entry_points.py --declarations DATA_DIR GROUP...

One file for each group of functions. An entry point checks its arguments and converts them as the tables
in parameters.py say, by the standard's kind of each parameter, and calls lisle::api::x; what lisle::api does not
declare (see standard.py) is an error, MPI_ERR_UNSUPPORTED_OPERATION. With --declarations: prints what the
entry points of a group expect src/api/*.hpp to declare.
"""
import pathlib
import re
import sys

import standard
from parameters import (
    AMONG_RANKS, AMONG_RANKS_GROUPS, ANY_TIME, ANY_TIME_GROUPS, BEGINS_ONLY, COLLECTIVE_GROUPS, FREED, FREES_NOTHING,
    HANDLES, INFO_STRINGS, LAX_GROUPS, MOVES_DATA, MOVES_DATA_GROUPS, NOT_ANY_TIME, NOT_NEGATIVE, NULL_HANDLES,
    OPTIONAL_OUTPUT, OWN_HANDLER, REQUIRED_INPUT, TELLS_ITSELF, UNDEFINED_IF_TOO_LARGE, Parameter, parcels,
)


class EntryPoint:
    """The text of one entry point."""

    def __init__(self, function, callee, at_once=None):
        self.function, self.callee, self.at_once = function, callee, at_once
        self.name, self.group = function["name"], function["group"]
        self.parameters = [Parameter(function, row) for row in function["c_params"]]
        self.raw = function["c_return"] != "int" or function["return_kind"] != "ERROR_CODE"
        self.lines = []

    def named(self, name):
        return next((p for p in self.parameters if p.name == name), None)

    def first(self, kind):
        return next((p for p in self.parameters if p.kind == kind and p.handle), None)

    def tells_form(self):
        """True for constructors of datatypes: MPI_Type_get_envelope tells which form made a type."""
        two_forms = self.function["has_large_count"] or self.function["large_count_of"]
        return bool(two_forms) and self.group == "datatype" and self.named("newtype") is not None

    # Checks, in the order in which they run.

    def check_state(self):
        if self.looks_up_communicator():
            return
        free = self.group in ANY_TIME_GROUPS or self.name in ANY_TIME or self.function.get("any_time")
        if not free or self.name in NOT_ANY_TIME:
            self.lines.append("require_running();")

    def looks_up_communicator(self):
        """True if looking up the first handle tells whether the library may be called at all."""
        first = next((p for p in self.parameters if p.kind in ("COMMUNICATOR", "SESSION")), None)
        return (first is not None and first.kind == "COMMUNICATOR" and first.handle and not first.may_be_null
                and self.group not in LAX_GROUPS and self.group not in ANY_TIME_GROUPS and self.name not in ANY_TIME
                and not self.function.get("any_time"))  # fmt: skip

    def convert_communicators(self):
        """First, since errors in other arguments go to the communicator's error handler."""
        target = False
        for p in self.parameters:
            if p.kind == "SESSION" and (p.handle or p.row["direction"] == "inout"):
                if p.pointer:
                    self.lines.append(f"check_pointer({p.name}, \"{p.name}\");")
                self.lines.append(f"auto &{p.local()} = to_session({'*' if p.pointer else ''}{p.name}, \"{p.name}\");")
                self.lines.append(f"about = &{p.local()};")
            if p.kind != "COMMUNICATOR":
                continue
            if p.handle and p.may_be_null:
                self.lines.append(f"communicator *const {p.local()} = to_communicator_or_null({p.name}, \"{p.name}\");")
            elif p.handle:
                converter = "to_communicator"
                if not target and self.looks_up_communicator():
                    converter += "_in_use"
                self.lines.append(f"communicator &{p.local()} = {converter}({p.name}, \"{p.name}\");")
                if not target:
                    self.lines.append(f"about = &{p.local()};")
                    target = True
            elif p.row["direction"] == "inout":
                self.lines.append(f"check_pointer({p.name}, \"{p.name}\");")
                self.lines.append(f"about = &to_communicator(*{p.name}, \"{p.name}\");")

    def convert_windows(self):
        """As communicators: errors go to the window's error handler."""
        for p in self.parameters:
            if p.kind != "WINDOW":
                continue
            if p.handle and p.may_be_null:
                self.lines.append(f"rma::window *const {p.local()} = to_window_or_null({p.name}, \"{p.name}\");")
            elif p.handle:
                self.lines.append(f"rma::window &{p.local()} = to_window({p.name}, \"{p.name}\");")
                self.lines.append(f"about = &{p.local()};")
            elif p.row["direction"] == "inout":
                self.lines.append(f"check_pointer({p.name}, \"{p.name}\");")
                self.lines.append(f"about = &to_window(*{p.name}, \"{p.name}\");")

    def convert_own_handler(self):
        """The same for calls that bring the handler along."""
        if sort := OWN_HANDLER.get(self.name):
            p = next(p for p in self.parameters if p.kind == "ERRHANDLER")
            self.lines.append(
                f"auto &{p.local()} = to_errhandler_for(errhandler_kind::{sort}, {p.name}, \"{p.name}\");"
            )
            self.lines.append(f"about = &{p.local()};")

    def convert_handles(self):
        ignorable = {id(part) for parcel in parcels(self.parameters) for part in parcel.parts}
        for p in self.parameters:
            if p.kind in ("COMMUNICATOR", "SESSION", "WINDOW") or p.kind not in HANDLES:
                continue
            if p.kind == "ERRHANDLER" and self.name in OWN_HANDLER:
                continue
            converter = HANDLES[p.kind][0]
            if p.handle:
                if p.kind == "DATATYPE" and self.moves_data():
                    if id(p) in ignorable and self.significance(p):
                        continue
                    converter = "to_committed"
                    if self.group == "rma" and p.name == "origin_datatype" and self.named("op"):
                        condition = f"{self.named('op').name} != MPI_NO_OP"  # else the origin means nothing
                        call = f"to_committed_if({condition}, {p.name}, \"{p.name}\")"
                        self.lines.append(f"auto &{p.local()} = {call};")
                        continue
                    if peer := self.peer_of(p):
                        count = self.parcel_of(p).count.name
                        call = f"to_committed_for({peer}, {count}, {p.name}, \"{p.name}\")"
                        self.lines.append(f"auto &{p.local()} = {call};")
                        continue
                elif p.kind == "INFO" and self.group == "info":
                    converter = "to_info"
                elif p.may_be_null:
                    converter += "_or_null"
                if not HANDLES[p.kind][1]:
                    self.lines.append(f"(void){converter}({p.name}, \"{p.name}\");")
                    continue
                # Not by the type's name: many parameters are called as their type is.
                auto = "auto *const " if p.implementation_type().endswith("*") else "auto &"
                self.lines.append(f"{auto}{p.local()} = {converter}({p.name}, \"{p.name}\");")
            elif p.pointer and (p.row["direction"] == "inout" or p.input):
                converter = converter.removesuffix("_or_null")
                if p.kind == "REQUEST" and self.name.startswith(("MPI_Wait", "MPI_Test")):
                    converter = "to_request_or_null"
                self.lines.append(f"check_pointer({p.name}, \"{p.name}\");")
                self.lines.append(f"(void){converter}(*{p.name}, \"{p.name}\");")

    def check_ranks_and_tags(self):
        window = self.first("WINDOW")
        if window is not None:
            self.lines += [
                f"check_target({window.local()}, {p.name}, \"{p.name}\");"
                for p in self.parameters if p.kind == "RANK_NNI" and p.scalar
            ]
        comm = self.first("COMMUNICATOR")
        if comm is None or comm.may_be_null:
            return
        receives = self.named("source") is not None and self.named("dest") is None
        for p in self.parameters:
            if p.kind == "RANK" and p.scalar and p.name in ("dest", "source", "root", "rank"):
                self.lines.append(f"check_{p.name}({comm.local()}, {p.name}, \"{p.name}\");")
            elif p.kind == "TAG" and p.scalar:
                check = "check_tag_or_any" if p.name == "recvtag" or receives else "check_tag"
                self.lines.append(f"{check}({p.name}, \"{p.name}\");")

    def moves_data(self):
        named = self.name.removesuffix("_c") in MOVES_DATA or self.function.get("moves_data", False)
        return named or self.group in MOVES_DATA_GROUPS

    def peer_of(self, kind):
        """The rank that a message of this type goes to or comes from: with MPI_PROC_NULL there is none."""
        if self.group not in ("pt2pt", "partitioned"):
            return None
        ends = [p.name for p in self.parameters if p.kind == "RANK" and p.name in ("dest", "source")]
        if len(ends) == 2:
            return {"sendtype": "dest", "recvtype": "source"}.get(kind.name)
        return ends[0] if ends else None

    def parcel_of(self, part):
        return next((x for x in parcels(self.parameters) if any(part is y for y in x.parts)), None)

    def significance(self, part):
        """The conditions under which the arguments of a buffer mean something; none: always."""
        if self.group not in COLLECTIVE_GROUPS or not part.handle:
            return []
        parcel, root, comm = self.parcel_of(part), self.named("root"), self.first("COMMUNICATOR")
        conditions = []
        if root is not None:
            if part.row.get("root_only"):
                conditions.append(f"at_root({comm.local()}, {root.name})")
            elif "Bcast" in self.name or "bcast" in self.name or len(parcel.buffers) > 1:
                conditions.append(f"{root.name} != MPI_PROC_NULL")
            else:
                conditions.append(f"beside_root({comm.local()}, {root.name})")
        if len(parcel.buffers) == 1 and not self.name.lower().startswith(("mpi_bcast", "mpi_ibcast")):
            conditions.append(f"{parcel.buffers[0].name} != MPI_IN_PLACE")
        return conditions

    def check_data(self):
        """The counts, types and addresses of the buffers."""
        if not self.moves_data():
            return
        for parcel in parcels(self.parameters):
            kind, count = parcel.type, parcel.count
            if not kind.handle:
                continue
            conditions = self.significance(kind)
            checks = []
            if count is not None:
                checks.append(f"check_not_negative({count.name}, \"{count.name}\");")
                if len(parcel.buffers) == 1 and not self.group == "rma":
                    buffer = parcel.buffers[0]
                    peer = f", {self.peer_of(kind)}" if self.peer_of(kind) else ""
                    checks.append(
                        f"check_buffer({buffer.name}, {count.name}, {kind.name}, \"{buffer.name}\"{peer});"
                    )
            if conditions:
                flag = f"{parcel.buffers[0].name}_counts"
                self.lines.append(f"const bool {flag} = {' && '.join(conditions)};")
                self.lines.append(f"auto &{kind.local()} = to_committed_if({flag}, {kind.name}, \"{kind.name}\");")
                if checks:
                    self.lines += [f"if ({flag}) {{", *(f"    {c}" for c in checks), "}"]
                if count is not None:
                    self.replaced[count.name] = f"{flag} ? {count.name} : 0"
            else:
                self.lines += checks
            if count is not None:
                self.counts_checked.add(count.name)

    def check_numbers(self):
        for p in self.parameters:
            if not (p.scalar and p.input and p.kind in NOT_NEGATIVE) or p.name in self.counts_checked:
                continue
            error = "MPI_ERR_COUNT" if self.group == "request" else NOT_NEGATIVE[p.kind]
            given = "" if error == "MPI_ERR_COUNT" else f", {error}"
            self.lines.append(f"check_not_negative({p.name}, \"{p.name}\"{given});")

    def check_pointers(self):
        if self.group in LAX_GROUPS:
            return
        variable_length = any(p.kind in ("STRING_LENGTH", "INFO_VALUE_LENGTH") and p.row["direction"] == "inout"
                              for p in self.parameters)  # fmt: skip
        for p in self.parameters:
            if p.array and p.kind == "REQUEST":
                count = next(q for q in self.parameters if q.kind == "ARRAY_LENGTH_NNI")
                self.lines.append(f"check_array({p.name}, {count.name}, \"{p.name}\", MPI_ERR_REQUEST);")
            elif p.array or (p.kind in HANDLES and p.row["direction"] == "inout"):
                continue
            elif p.input and p.kind in REQUIRED_INPUT:
                error = REQUIRED_INPUT[p.kind]
                if p.kind == "FUNCTION" and self.group == "attr":
                    continue
                if p.kind == "STRING" and self.group == "info":
                    error = INFO_STRINGS.get(p.name, error)
                given = "" if error == "MPI_ERR_ARG" else f", {error}"
                self.lines.append(f"check_pointer({p.name}, \"{p.name}\"{given});")
            elif p.output and p.pointer and p.kind not in OPTIONAL_OUTPUT:
                if not (p.kind == "STRING" and variable_length):
                    self.lines.append(f"check_pointer({p.name}, \"{p.name}\");")
            elif p.kind == "STATUS" and p.row["direction"] == "inout":
                self.lines.append(f"check_pointer({p.name}, \"{p.name}\");")

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
        among_ranks = self.group in AMONG_RANKS_GROUPS or AMONG_RANKS.fullmatch(self.name)
        if among_ranks and not TELLS_ITSELF.fullmatch(self.name):
            self.lines.append(f"const rma::call_among_ranks among_ranks{{rma::hearing::{self.hearing()}}};")
        self.lines.append(f"api::{self.callee}({', '.join(arguments)});")
        self.lines += stores + self.notes()

    def hearing(self):
        """What a rank may have heard when the call returns."""
        if self.group in MOVES_DATA_GROUPS | {"request"} and BEGINS_ONLY.fullmatch(self.name):
            return "nothing"
        return "entries" if self.group == "coll" else "anything"

    # What keeps the list of open handles.

    def freed_kinds(self):
        return [] if self.group in LAX_GROUPS else [p for p in self.parameters if p.kind in FREED]

    def watches(self):
        """Before the call. Communicators that it is to make are null unless it makes them."""
        lines = []
        for p in self.freed_kinds():
            direction = p.row["direction"]
            if direction == "out" and p.kind == "COMMUNICATOR":
                lines.append(f"*{p.name} = MPI_COMM_NULL;")
            elif direction == "inout" and self.name not in FREES_NOTHING:
                count = "1" if p.pointer else next(q.name for q in self.parameters if q.kind == "ARRAY_LENGTH_NNI")
                if p.kind == "REQUEST" and self.name.startswith(("MPI_Wait", "MPI_Test")):
                    lines.append(f"const completion_watch watch{{{p.name}, {count}}};")
                else:
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
        self.convert_own_handler()
        self.check_ranks_and_tags()
        self.convert_handles()
        self.check_data()
        self.check_numbers()
        self.check_pointers()
        self.call()
        about, sort = self.target()
        return [
            *([f"{sort} *about = nullptr;"] if about == "about" else []),
            "try {",
            *indented(self.lines),
            "    return MPI_SUCCESS;",
            "} catch (const std::exception &caught) {",
            f"    {self.answer(about)}",
            "}",
        ]

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
        if self.group == "io":
            answer = f"return raise_about_files(\"{self.name}\", caught);"
        else:
            self.convert_communicators()
            answer = self.answer(self.target()[0])
        about, sort = self.target()
        return [
            *([f"{sort} *about = nullptr;"] if about == "about" else []),
            "try {",
            *indented([*self.lines, "fail_unsupported();"]),
            "} catch (const std::exception &caught) {",
            f"    {answer}",
            "}",
        ]

    def body_at_once(self):
        """The commonest way alone (see src/api/fast_path.hpp), so that it saves no registers for the other one."""
        arguments = ", ".join(p.name for p in self.parameters)
        return [
            f"if (api::{self.at_once}({arguments})) [[likely]] {{",
            "    return MPI_SUCCESS;",
            "}",
            f"return in_general_{self.name}({arguments});",
        ]

    def answer(self, target):
        """What becomes of an error: calls of the tool interface only return it. [MPI-5.0 15.3]"""
        if self.group in LAX_GROUPS:
            return "return code_of(caught);"
        return f"return raise({target}, \"{self.name}\", caught);"

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
    points = [EntryPoint(f, standard.implementation(f, names), standard.at_once(f, names)) for f in functions]
    works = any(p.callee for p in points)
    out = [
        "// SPDX-License-Identifier: Apache-2.0",
        f"// Entry points: {title}.",
        f"// Generated by tools/generate_entry_points.py from the rows of group \"{group}\" in data/.",
        '#include "abi/entry.hpp"',
    ]
    out += ['#include "abi/call_place.hpp"', '#include "abi/check.hpp"', '#include "rma/races/watch.hpp"']
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
    for name in sorted({n.removeprefix("try_") for n in names} - known):
        sys.exit(f"{source}/{names[name]} declares lisle::api::{name}, which is no function of the standard and no extension")
    for f in extensions:
        if not standard.implementation(f, names):
            sys.exit(f"extensions.json has {f['name']}, but src/api declares no lisle::api::{standard.api_name(f)}")
    groups = {**table["groups"], standard.EXTENSION_GROUP: {"title": "extensions"}}
    for group, about in groups.items():
        functions = [f for f in table["functions"] + extensions if f["group"] == group]
        used = {find(f, names) for f in functions for find in (standard.implementation, standard.at_once)} - {None}
        headers = sorted({names[n] for n in used})
        write_group(group, about["title"], functions, names, headers, output)


if __name__ == "__main__":
    main()
