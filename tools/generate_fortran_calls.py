#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the procedures that Fortran programs call: mpi_send_ for MPI_Send and pmpi_send_ for PMPI_Send.

Usage: generate_fortran_calls.py DATA_DIR OUTPUT_DIR [plain | sections]

plain: without the procedures that take descriptors of buffers, for interfaces that have none. sections: with those of all
procedures that have buffers, for interfaces that describe all.
One file for each group of functions. A procedure turns integers into handles, strings into C's and places into
constants, as mpi/src/fortran/*.hpp can, and calls the C function of the same name, so that a tool that stands between programs
and MPI_Send sees Fortran programs as well. What has callbacks or means something else in Fortran is written by hand in
mpi/src/fortran: SPECIAL.
"""
import pathlib
import re
import sys

import fortran

SPECIAL = re.compile(
    r"MPI_(Op_create|Keyval_create|\w+_create_keyval|\w+_create_errhandler|Grequest_start|Register_datarep|Attr_get|Attr_put"
    r"|\w+_get_attr|\w+_set_attr|(Buffer_detach|\w+_detach_buffer)|Info_get_string|Comm_spawn|Comm_spawn_multiple|F_sync_reg"
    r"|Status_f082f|Status_f2f08)(_c)?")
# Their indices are those of Fortran arrays.
ONE_INDEX = {"MPI_Waitany", "MPI_Testany", "MPI_Request_get_status_any"}
SOME_INDICES = {"MPI_Waitsome", "MPI_Testsome", "MPI_Request_get_status_some"}
# What C programs pass of main's arguments.
NO_ARGUMENTS = {"MPI_Init": "nullptr, nullptr", "MPI_Init_thread": "nullptr, nullptr", "MPI_Info_create_env": "0, nullptr"}
# Whose error handlers hear of what is wrong with a call's arguments.
HEAR_OF_ERRORS = {"COMMUNICATOR", "WINDOW", "FILE", "SESSION"}
LONGEST_OF_UNSTATED = "MPI_MAX_INFO_KEY"


class Call:
    def __init__(self, procedure, all_buffers):
        self.procedure = procedure
        self.name = procedure.name
        self.sections = procedure.sections(all_buffers)

    def parameter(self, a):
        if a.kind in fortran.HANDLES:
            return f"int *{a.name}"
        if a.kind == "STRING":
            return f"char *{a.name}"
        if a.kind in {"BUFFER", "C_BUFFER", "STATUS", "LOGICAL_VOID"}:
            return f"void *{a.name}"
        base = a.c_type.replace("const ", "").replace("*", "").strip()
        return f"{base} *{a.name}"

    def parameters(self):
        ours = [self.parameter(a) for a in self.procedure.arguments]
        if self.procedure.has_error:
            ours.append("int *ierror")
        return ", ".join(ours + [f"std::size_t {a.name}_length" for a in self.procedure.arguments if a.kind == "STRING"])

    def count_of(self, a):
        """How many entries an array of handles has."""
        if a.length != "*":
            return f"*{a.length}"
        if "neighbor" not in self.name.lower():
            return "size_of(comm)"
        return "destinations_of(comm)" if a.name.startswith("send") else "sources_of(comm)"

    def handle(self, a):
        sort = fortran.HANDLES[a.kind]
        if not a.is_array:
            if "*" not in a.c_type:
                return f"handle<{sort}>({a.name})"
            return f"{'given' if a.direction == 'out' else 'changed'}_handle<{sort}>{{{a.name}}}"
        if a.direction == "out":
            return f"given_handles<{sort}>{{{a.name}, {self.count_of(a)}}}"
        if a.direction == "inout":
            return f"changed_handles<{sort}>{{{a.name}, {self.count_of(a)}}}"
        count = self.count_of(a)
        if a.name == "sendtypes":  # which mean nothing with MPI_IN_PLACE
            count = f"(data_at(sendbuf) == MPI_IN_PLACE ? 0 : {count})"
        return f"handles<{sort}>{{{a.name}, {count}}}"

    def string(self, a):
        where = f"{a.name}, {a.name}_length"
        if a.direction == "in":
            return f"{'trimmed_text' if self.procedure.group == 'info' else 'text'}{{{where}}}"
        longest = a.length if a.length and a.length != "*" else LONGEST_OF_UNSTATED
        if longest in {other.name for other in self.procedure.arguments}:
            longest = f"static_cast<std::size_t>(*{longest})"
        return f"given_text{{{where}, {longest}}}"

    def argument(self, a):
        if a.kind in fortran.HANDLES:
            return self.handle(a)
        if a.kind == "STRING":
            return self.string(a)
        if a.kind == "BUFFER":
            return f"data_at({a.name})"
        if a.kind == "STATUS":
            return f"{'statuses' if a.length else 'status'}_at({a.name})"
        if a.kind == "WEIGHT":
            return f"weights_at({a.name})"
        if a.kind == "ERROR_CODE" and a.is_array:
            return f"codes_at({a.name})"
        if a.kind == "INDEX" and self.name in ONE_INDEX:
            return f"given_index{{{a.name}}}"
        if a.name == "outcount" and self.name in SOME_INDICES:
            return "given_indices{outcount, array_of_indices}"
        if a.row.get("array", "").endswith("[3]"):
            return f"reinterpret_cast<int(*)[3]>({a.name})"
        if a.is_array or "*" in a.c_type:
            return a.name
        return f"*{a.name}"

    def argument_of_section(self, a):
        """The same where buffers are described."""
        for section in self.sections:
            if section.count is None or a not in (section.buffer, section.count, section.datatype):
                continue
            what = {section.buffer: "address()", section.count: f"count<{a.c_type}>()", section.datatype: "type()"}[a]
            return f"{section.buffer.name}_section.{what}"
        return self.argument(a)

    def made_sections(self):
        """Statements that look at the descriptors, and refuse what the call cannot take."""
        refused = [section.refused for section in self.sections if section.refused]
        for section in self.sections:
            if section.count is not None:
                buffer = section.buffer.name
                # Seldom asked, since it may take some calls.
                blocks = "1" if section.blocks == "1" else f"!has_gaps(*{buffer}) ? 1 : {section.blocks}"
                yield (f"const section {buffer}_section{{*{buffer}, *{section.count.name}, "
                       f"handle<MPI_Datatype>({section.datatype.name}), {blocks}}}; ")
                refused.append(f"!{buffer}_section.fits()")
        if refused:
            handler = next((f"handle<{fortran.HANDLES[a.kind]}>({a.name})" for a in self.procedure.arguments
                            if a.kind in HEAR_OF_ERRORS and a.direction == "in"), "MPI_COMM_SELF")
            yield f'if ({" || ".join(refused)}) {{ return end(ierror, refuse_section("{self.name}", {handler})); }} '

    def text(self, profiling, with_sections=False):
        symbol = self.name.lower() + ("_f08ts_" if with_sections else "_")
        callee = ("P" if profiling else "") + self.name
        given = [self.argument_of_section(a) if with_sections else self.argument(a) for a in self.procedure.arguments]
        if self.name in NO_ARGUMENTS:
            given = [NO_ARGUMENTS[self.name], *given]
        call = f"{callee}({', '.join(given)})"
        result = {None: "void", "DOUBLE PRECISION": "double"}.get(self.procedure.returns, "MPI_Aint")
        if self.procedure.has_error:
            call = f"end(ierror, {call})"
        elif result != "void":
            call = f"return {call}"
        parameters = self.parameters()
        if with_sections:
            for section in self.sections:
                name = section.buffer.name
                parameters = re.sub(rf"void \*{name}\b", f"CFI_cdesc_t *{name}", parameters, count=1)
            call = "".join(self.made_sections()) + call
        # A tool may have its own mpi_send_, which calls pmpi_send_.
        declared = f"{result} p{symbol}" if profiling else f"[[gnu::weak]] {result} {symbol}"
        return f"{declared}({parameters}) {{ {call}; }}"

    def lines(self, plain):
        yield self.text(False)
        yield self.text(True)
        if self.sections and not plain:
            yield self.text(False, True)
            yield self.text(True, True)
        symbol = self.name.lower()
        if self.procedure.f90 and any(a.kind == "C_BUFFER" for a in self.procedure.arguments):
            # The module mpi has it twice: the address is an integer, or a TYPE(C_PTR).
            yield f"#pragma weak {symbol}_cptr_ = {symbol}_"
        if self.procedure.f08:
            yield from (f"#pragma weak {prefix}{symbol}_f08_ = {prefix}{symbol}_" for prefix in ("", "p"))


def main():
    data, output, buffers = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
    plain, all_buffers = buffers == ["plain"], buffers == ["sections"]
    groups = {}
    for procedure in fortran.procedures(data):
        if not SPECIAL.fullmatch(procedure.name):
            groups.setdefault(procedure.group, []).append(Call(procedure, all_buffers))
    output.mkdir(parents=True, exist_ok=True)
    for group, calls in groups.items():
        lines = ["// Generated by tools/generate_fortran_calls.py; do not edit.", '#include "fortran/calls.hpp"', "",
                 "using namespace lisle::fortran;", "", 'extern "C" {']
        lines += [line for call in calls for line in call.lines(plain)]
        (output / f"{group}.cpp").write_text("\n".join([*lines, "}", ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
