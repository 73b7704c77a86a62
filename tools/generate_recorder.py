#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the calls of the library that records a run (lislerun --report): calls.cpp, one function for each of MPI's that may
wait, move data or make something that others use, over PMPI; and call_names.hpp, their names by number.

Usage: generate_recorder.py DATA_DIR OUTPUT_DIR
"""
import pathlib
import re
import sys

import generate_mpi_h
import standard

# What only asks or sets something within the rank: no time to speak of, and nobody waits in it.
LOCAL_GROUPS = {"status", "op", "group", "attr", "errhan", "timer", "info", "mpi_t", "convert", "abi", "datatype"}
LOCAL = re.compile(
    r"MPI_(Finalized|Initialized|Query_thread|Is_thread_main|Abort|Get_\w+|Grequest_\w+|Test_cancelled|Reduce_local"
    r"|Comm_(compare|get_\w+|group|rank|size|remote_\w+|set_(info|name)|test_inter)|\w+_(get|rank|coords|shift|map)|Cartdim_get"
    r"|Dims_create|Topo_test|Graph\w*_(neighbors\w*|get)|Dist_graph_neighbors\w*|Win_(get_\w+|set_\w+|attach|detach|shared_query|sync)"
    r"|File_(get_\w+|seek|set_info|set_atomicity)|Register_datarep|Session_get_\w+|Request_get_status\w*)(_c)?")

SHAPES = [
    (re.compile(r"Bcast|Scatter"), "one_to_all"),
    (re.compile(r"Gather|Reduce$"), "all_to_one"),
    (re.compile(r"(Ex)?[Ss]can"), "along_ranks"),
    (re.compile(r"Neighbor_"), "neighbours"),
]


class Function:
    def __init__(self, function):
        self.function, self.name = function, function["name"]
        self.parameters = function["c_params"]
        self.named = {p["name"]: p for p in self.parameters}
        self.bare = self.name.removeprefix("MPI_").removesuffix("_c")  # Isend

    def argument(self, kind, direction=None, pointer=False):
        """The name of the first parameter of a kind, or None."""
        for p in self.parameters:
            is_pointer = "*" in p["c_type"] and "array" not in p
            if p["kind"] == kind and (direction is None or p["direction"] == direction) and is_pointer == pointer:
                return p["name"]
        return None

    def group(self):
        """The expression for the ranks that take part, or None."""
        for kind in ("COMMUNICATOR", "WINDOW", "FILE"):
            name = self.argument(kind, "in") or self.argument(kind, "inout")
            if name:
                return f"here.to().group_of({name})"
        return None

    # ---- collectives ----

    def shape(self):
        bare = re.sub(r"^I(?=[a-z])|_init$", "", self.bare)
        bare = bare[0].upper() + bare[1:]
        for pattern, shape in SHAPES:
            if pattern.match(bare):
                return f"collective_shape::{shape}"
        return "collective_shape::all_to_all"

    def data(self):
        n = self.named
        scatters = "scatter" in self.bare.lower() and "educe" not in self.bare
        all_of_them = "neighbours(ranks)" if self.is_of_neighbours() else "all_ranks(ranks)"
        if "sendcounts" in n and "sendtype" in n and not scatters:
            return f"sum_of(sendcounts, {all_of_them}, sendbuf, sendtype)"
        if "sendtype" in n and not scatters:
            times = f"{all_of_them} * " if "lltoall" in self.bare else ""
            return f"elements{{sendbuf == MPI_IN_PLACE ? 0 : {times}sendcount, sendbuf == MPI_IN_PLACE ? MPI_DATATYPE_NULL : sendtype}}"
        if scatters:
            return "elements{recvbuf == MPI_IN_PLACE ? 0 : recvcount, recvbuf == MPI_IN_PLACE ? MPI_DATATYPE_NULL : recvtype}"
        if "recvcounts" in n and "datatype" in n:
            return f"sum_of(recvcounts, {all_of_them}, nullptr, datatype)"
        if "recvcount" in n and "datatype" in n:
            return "elements{recvcount, datatype}"
        if "count" in n and "datatype" in n:
            return "elements{count, datatype}"
        return "elements{0, MPI_DATATYPE_NULL}"

    def part(self, how, request="", persistent=""):
        root = "root" if "root" in self.named else "-1"
        return ["{", f"    const auto &ranks = {self.group()};",
                f"    here.{how}({request}ranks, {self.shape()}, {root}, {self.data()}{persistent});", "}"]

    # ---- what is said of a call when it is over ----

    def messages(self):
        bare, n = self.bare, self.named
        data, to = "{count, datatype}", "dest, tag, comm"
        if re.fullmatch(r"[BSR]?[Ss]end", bare):
            return [f"here.sends({data}, {to});"]
        if re.fullmatch(r"I[bsr]?send", bare):
            return [f"here.begins_send(*request, {data}, {to});"]
        if re.fullmatch(r"[BSR]?[Ss]end_init", bare):
            return [f"here.begins_send(*request, {data}, {to}, true);"]
        if bare == "Recv":
            return ["here.receives(asked.value(), comm);"]
        if bare == "Irecv":
            return ["here.begins_receive(*request, here.to().group_of(comm));"]
        if bare == "Recv_init":
            return ["here.begins_receive(*request, here.to().group_of(comm), true);"]
        if bare == "Sendrecv":
            return ["here.sends({sendcount, sendtype}, dest, sendtag, comm);", "here.receives(asked.value(), comm);"]
        if bare == "Sendrecv_replace":
            return ["here.sends({count, datatype}, dest, sendtag, comm);", "here.receives(asked.value(), comm);"]
        if bare == "Isendrecv":
            return ["here.begins_both(*request, {sendcount, sendtype}, dest, sendtag, comm);"]
        if bare == "Isendrecv_replace":
            return ["here.begins_both(*request, {count, datatype}, dest, sendtag, comm);"]
        if bare == "Mrecv":
            return ["here.receives(asked.value(), here.to().group_of(found));"]
        if bare == "Imrecv":
            return ["here.begins_receive(*request, here.to().group_of(found));"]
        if re.fullmatch(r"I?m?probe", bare, re.IGNORECASE):
            found = ["here.to().note(*message, comm);"] if "mprobe" in bare.lower() else []
            found.append("here.finds(asked.value(), comm);")
            if "flag" not in n:
                return found
            return ["if (*flag != 0) {", *(f"    {line}" for line in found), "} else {", "    here.found_nothing();", "}"]
        return []

    def partitions(self):
        if self.bare in {"Psend_init", "Precv_init"}:
            sends = "true" if self.bare == "Psend_init" else "false"
            return [f"here.begins_partitioned(*request, {sends}, partitions, {{count, datatype}}, dest, tag, comm);"]
        return {
            "Pready": ["here.marks_ready(request, partition, partition);"],
            "Pready_range": ["here.marks_ready(request, partition_low, partition_high);"],
            "Pready_list": ["for (int at = 0; at < length; ++at) {",
                            "    here.marks_ready(request, array_of_partitions[at], array_of_partitions[at]);", "}"],
            "Parrived": ["if (*flag != 0) {", "    here.finds_arrived(request, partition);", "} else {", "    here.found_nothing();", "}"],
        }.get(self.bare, [])

    def locks(self):
        """What is done with locks of windows: of all, or of one rank."""
        step = re.fullmatch(r"Win_(lock|flush|unlock)(_local)?(_all)?", self.bare)
        if not step:
            return []
        how = f"lock_step::{step[1]}"
        if step[1] == "lock":
            how = "lock_step::shared" if step[3] else "lock_type == MPI_LOCK_EXCLUSIVE ? lock_step::exclusive : lock_step::shared"
        return [f"here.locks(win, {'-1' if step[3] else 'rank'}, {how});"]

    def epochs(self):
        """Epochs of a group's: who lets whom in, and who has done."""
        step = re.fullmatch(r"Win_(post|start|complete|wait|test)", self.bare)
        if not step:
            return []
        if step[1] in {"post", "start"}:
            return [f"here.epochs(win, group, epoch_step::{step[1]}, assert);"]
        if step[1] == "test":
            return ["if (*flag != 0) {", "    here.epochs(win, MPI_GROUP_NULL, epoch_step::wait);", "} else {", "    here.found_nothing();", "}"]
        return [f"here.epochs(win, MPI_GROUP_NULL, epoch_step::{step[1]});"]

    def completion(self):
        index = next((name for name in ("index", "indx") if name in self.named), "")
        vain = ["} else {", "    here.found_nothing();", "}"]
        if self.bare == "Start":
            return ["here.starts(*request);"]
        if self.bare == "Startall":
            return ["for (int at = 0; at < count; ++at) {", "    here.starts(array_of_requests[at]);", "}"]
        return {
            "Wait": ["asked.done(here, 0, 0);"],
            "Waitall": ["asked.all_done(here);"],
            "Waitany": [f"asked.done(here, *{index}, 0);"],
            "Waitsome": ["asked.some_done(here, *outcount, array_of_indices);"],
            "Test": ["if (*flag != 0) {", "    asked.done(here, 0, 0);", *vain],
            "Testall": ["if (*flag != 0) {", "    asked.all_done(here);", *vain],
            "Testany": ["if (*flag != 0) {", f"    asked.done(here, *{index}, 0);", *vain],
            "Testsome": ["if (*outcount != 0) {", "    asked.some_done(here, *outcount, array_of_indices);", *vain],
        }.get(self.bare, [])

    def made(self):
        """New communicators, windows and files are known from the start, so that they get the same numbers everywhere."""
        lines = []
        comm = self.argument("COMMUNICATOR", "in")
        new = self.argument("COMMUNICATOR", "out", pointer=True)
        if new and self.argument("REQUEST", "out", pointer=True) is None:
            alone = re.search(r"_group|_groups|spawn|accept|connect|join|parent|Intercomm_create", self.bare)
            if comm and not alone:
                lines += self.part("takes_part")
            lines.append(f"static_cast<void>(here.to().group_of(*{new}));")
        for kind in ("WINDOW", "FILE"):
            new = self.argument(kind, "out", pointer=True)
            if new and comm:
                lines += [*self.part("takes_part"), f"here.to().note(*{new}, {comm});"]
        return lines

    def is_of_neighbours(self):
        return bool(re.match(r"I?neighbor_", self.bare, re.IGNORECASE))

    def is_file_part(self):
        return bool(re.fullmatch(r"File_(close|preallocate|set_(size|view)|sync|(read|write)(_at)?_all|(read|write)_ordered)", self.bare))

    def moved(self):
        if self.function["group"] == "rma" and "target_rank" in self.named:
            n = self.named
            data = "{origin_count, origin_datatype}" if "origin_count" in n else "{1, datatype}"
            return [f"here.moves(here.to().group_of(win), target_rank, {data});"]
        if self.function["group"] == "io" and re.match(r"File_i?(read|write)", self.bare) and "count" in self.named:
            return ["here.moves(nullptr, -1, {count, datatype});"]
        return []

    def after(self):
        group = self.function["group"]
        if group == "coll" or self.is_of_neighbours() or (self.bare in {"Win_fence"}) or self.is_file_part():
            if re.match(r"I[a-z]", self.bare):
                return self.part("begins_part", "*request, ")
            if self.bare.endswith("_init"):
                return self.part("begins_part", "*request, ", ", true")
            if self.bare == "File_close":
                return []  # the handle is gone: see before()
            return [*self.moved(), *self.part("takes_part")]
        return self.messages() or self.partitions() or self.completion() or self.made() or self.moved() or self.locks() or self.epochs()

    # ---- what must be asked before the call ----

    def before(self):
        status = self.argument("STATUS", pointer=True)
        if self.bare in {"Wait", "Test"}:
            return ["asked_requests asked{here, 1, request, status};"], {"status": "asked.pass()"}
        if self.bare in {"Waitany", "Testany"}:
            return ["asked_requests asked{here, count, array_of_requests, status};"], {"status": "asked.pass()"}
        if self.bare in {"Waitall", "Testall", "Waitsome", "Testsome"}:
            count = "incount" if self.bare.endswith("some") else "count"
            return ([f"asked_requests asked{{here, {count}, array_of_requests, array_of_statuses}};"],
                    {"array_of_statuses": "asked.pass()"})
        if status and self.function["group"] == "pt2pt" and re.match(r"Recv|Mrecv|Sendrecv|I?m?probe", self.bare, re.IGNORECASE):
            lines, passed = ["asked_status asked{status};"], {"status": "asked.pass()"}
            return (lines + ["const MPI_Message found = *message;"] if self.bare == "Mrecv" else lines), passed
        if self.bare == "Imrecv":
            return ["const MPI_Message found = *message;"], {}
        if self.bare == "Request_free":
            return ["const MPI_Request freed = *request;"], {}
        if self.bare in {"Comm_free", "Comm_disconnect"}:
            return ["const MPI_Comm freed = *comm;"], {}
        if self.bare == "Win_free":
            return ["const MPI_Win freed = *win;"], {}
        if self.bare == "File_close":
            return ["const MPI_File freed = *fh;"], {}
        return [], {}

    def forgotten(self):
        if self.bare == "Request_free":
            return ["here.to().dropped(freed);"]
        if self.bare in {"Comm_free", "Comm_disconnect"}:
            return ["here.to().forget(freed);"]
        if self.bare in {"Win_free", "File_close"}:
            return ["here.takes_part(here.to().group_of(freed), collective_shape::all_to_all, -1, {0, MPI_DATATYPE_NULL});",
                    "here.to().forget(freed);"]
        return []

    # ---- the text ----

    def text(self, number):
        lines, passed = self.before()
        arguments = ", ".join(passed.get(p["name"], p["name"]) for p in self.parameters)
        after = self.after() or self.forgotten()
        out = [f"int {generate_mpi_h.prototype(self.function, self.name).split(' ', 1)[1]} {{",
               f"    call here{{{number}, called_from()}};", *(f"    {line}" for line in lines)]
        out += [f"    const int result = P{self.name}({arguments});", "    here.ended();"]
        if after:
            out += ["    if (here && result == MPI_SUCCESS) {", *(f"        {line}" for line in after), "    }"]
        return [line for line in out if line] + ["    return result;", "}", ""]


def recorded(function):
    return (function["c_return"] == "int" and function["group"] not in LOCAL_GROUPS and function["name"] not in
            {"MPI_Init", "MPI_Init_thread", "MPI_Finalize", "MPI_Session_init", "MPI_Pcontrol"}
            and not LOCAL.fullmatch(function["name"])
            and not any(p["kind"] in {"VARARGS"} for p in function["c_params"]))


def main():
    data, output = sys.argv[1], pathlib.Path(sys.argv[2])
    functions = [Function(f) for f in standard.load(data, "functions.json")["functions"] if recorded(f)]
    head = ["// SPDX-License-Identifier: Apache-2.0", "// Generated by tools/generate_recorder.py from data/."]
    # Those that are written by hand (recorder/life.cpp) come first.
    names = ["MPI_Init", "MPI_Init_thread", "MPI_Finalize", "MPI_Session_init", *(f.name for f in functions)]
    calls = [*head, '#include "report/recorder/call.hpp"', '#include "report/recorder/counts.hpp"', "",
             "using namespace lisle::report;", "", 'extern "C" {', ""]
    for number, function in enumerate(functions, 4):
        calls += function.text(number)
    calls += ["} // extern \"C\"", ""]
    header = [*head, "#pragma once", "", "#include <array>", "#include <string_view>", "", "namespace lisle::report {", "",
              f"inline constexpr std::array<std::string_view, {len(names)}> call_names{{",
              *(f'    "{name}",' for name in names), "};", "", "} // namespace lisle::report", ""]
    (output / "trace").mkdir(parents=True, exist_ok=True)
    (output / "calls.cpp").write_text("\n".join(calls), encoding="utf-8")
    (output / "trace" / "call_names.hpp").write_text("\n".join(header), encoding="utf-8")


if __name__ == "__main__":
    main()
