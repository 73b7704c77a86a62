#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes both sides of a replay, from the same rows: recorded_calls.cpp, the calls of the library that records what a
program calls (lislerun --record-trace), and played_calls.cpp, which makes the same calls again (--replay-trace).

Usage: generate_replay.py DATA_DIR OUTPUT_DIR
"""
import pathlib
import re
import sys

import generate_mpi_h
import standard
from parameters import ELEMENT_COUNTS, Parameter, parcels

# What only asks or sets something within the rank takes no time of a modelled machine, and makes nothing that others use.
GROUPS = {"pt2pt", "coll", "neighbor", "partitioned", "topo", "comm", "group", "datatype", "op", "info", "rma", "memory"}
LOCAL = re.compile(
    r"MPI_(Comm_(compare|get_name|rank|size|remote_size|set_name|test_inter)|Reduce_local|Group_(compare|rank|size|translate_ranks)"
    r"|(Cart|Graph)_(get|rank|coords|shift|map)|(Cart|Graph)dims?_get|Dims_create|Topo_test|Graph_neighbors\w*|Dist_graph_neighbors\w*"
    r"|Type_(get_(?!value_index)\w+|set_name|size\w*)|Pack\w*|Unpack\w*|Get_(address|count|elements\w*|processor_name|\w*version|hw\w+)|Op_commutative|Info_(get\w*|delete|create_env)"
    r"|Win_(get_(?!group|info)\w+|set_name|shared_query|sync)|Alloc_mem|Free_mem|Aint_\w+)(_c)?")
# What is written by hand (mpi/src/replay/recorder, mpi/src/replay/player).
BY_HAND = re.compile(r"MPI_(Probe|Iprobe|Mprobe|Improbe)")
# What cannot be replayed is left out, and named.
OMITTED_GROUPS = {"io", "spawn", "session"}
NOT_OMITTED = re.compile(r"MPI_(Session_get_\w+|Open_port|Close_port|Comm_get_parent|Register_datarep\w*|File_get_\w+|Comm_disconnect|(Lookup|Publish|Unpublish)_name)")
OMITTED = re.compile(
    r"MPI_(Win_(create_dynamic|attach|detach)|Grequest_\w+|Comm_create_from_group|Intercomm_create_from_groups|Group_from_session_pset"
    r"|Session_(init|finalize|\w+_buffer)|Request_get_status_\w+)")
OMITTED_EXTENSION = re.compile(r"MPIX_(Comm_(shadow|revoke|i?agree|i?shrink)|(Send|Recv|Tryrecv)_owned|I?[Rr]ecv_(allocate|inspect)"
                               r"|Mrecv_\w+|I?[Ss]end_pieces?|Type_create_section|Run|Threadcomm_\w+)")

NUMBERS = {
    "RANK", "RANK_NNI", "TAG", "LOGICAL", "COLOR", "KEY", "SPLIT_TYPE", "ASSERT", "LOCK_TYPE", "ORDER", "MATH", "TYPECLASS",
    "TYPECLASS_SIZE", "NUM_DIMS", "DIMENSION", "DEGREE", "INDEX", "COMM_SIZE", "COMM_SIZE_PI", "PARTITION", "ARRAY_LENGTH",
    "ARRAY_LENGTH_NNI", "ARRAY_LENGTH_PI", "DISTRIB_ENUM", "DTYPE_DISTRIBUTION", "PROCESS_GRID_SIZE", "DISPLACEMENT",
    "RMA_DISPLACEMENT_NNI", "WINDOW_SIZE", "POLYXFER_NUM_ELEM_NNI", "POLYXFER_NUM_ELEM", "POLYDISPLACEMENT",
    "POLYDISPLACEMENT_COUNT", "POLYDISPLACEMENT_AINT_COUNT", "POLYDTYPE_NUM_ELEM_NNI", "POLYDTYPE_NUM_ELEM", "POLYDTYPE_NUM_ELEM_PI",
    "POLYDTYPE_STRIDE_BYTES", "POLYNUM_BYTES_NNI", "POLYRMA_DISPLACEMENT",
}  # fmt: skip
HANDLES = {"COMMUNICATOR", "DATATYPE", "GROUP", "OPERATION", "INFO", "WINDOW", "MESSAGE"}
# Handles that mean something at some ranks only: others may pass anything.
ANY_HANDLE = {"MPI_Intercomm_create:peer_comm": "at_root(local_comm, local_leader) ? peer_comm : MPI_COMM_NULL"}
LENGTHS = {
    "MPI_Cart_sub:remain_dims": "dimensions(comm)",
    "MPI_Graph_create:edges": "last_of({indx})",
    "MPI_Dist_graph_create:destinations": "sum({degrees})",
    "MPI_Dist_graph_create:weights": "sum({degrees})",
    "MPI_Dist_graph_create_adjacent:sourceweights": "indegree",
    "MPI_Dist_graph_create_adjacent:destweights": "outdegree",
}
NULL_OF = {"DATATYPE": "MPI_DATATYPE_NULL"}


class Function:
    def __init__(self, function):
        self.function, self.name = function, function["name"]
        self.bare = self.name.removesuffix("_c")
        self.parameters = [Parameter(function, row) for row in function["c_params"]]
        self.named = {p.name: p for p in self.parameters}
        self.collective = function["group"] in ("coll", "neighbor")
        self.parcels = parcels(self.parameters) if function["group"] in ("pt2pt", "coll", "neighbor", "partitioned", "rma") else []
        self.persistent = self.bare.endswith("_init")

    def comm(self):
        return next(p.name for p in self.parameters if p.kind == "COMMUNICATOR")

    def element(self, p):
        """int of const int []"""
        return p.type.removeprefix("const ").strip()

    # ---- what an argument means ----

    def parcel_of(self, p):
        return next((x for x in self.parcels if any(p is y for y in x.parts)), None)

    def meaning(self, p):
        """The name of a variable that tells whether the arguments of a buffer mean something, and its value; or None."""
        parcel = self.parcel_of(p) if self.collective else None
        if parcel is None:
            return None
        conditions = []
        rooted = "root" in self.named
        if rooted and p.row.get("root_only"):
            conditions.append(f"at_root({self.comm()}, root)")
        elif rooted and len(self.parcels) == 2:
            conditions.append(f"(!is_intercommunicator({self.comm()}) || beside_root({self.comm()}, root))")
        elif rooted:
            conditions.append("root != MPI_PROC_NULL")
        if len(parcel.buffers) == 1 and len(self.parcels) == 2:
            conditions.append(f"!is_in_place({parcel.buffers[0].name})")
        return (f"{parcel.buffers[0].name}_counts", " && ".join(conditions)) if conditions else None

    def meanings(self):
        found = {}
        for p in self.parameters:
            if meaning := self.meaning(p):
                found[meaning[0]] = meaning[1]
        return [f"const bool {name} = {condition};" for name, condition in found.items()]

    def length(self, p):
        """The expression for how many elements an array has."""
        given = p.row["length"]
        if isinstance(given, list):
            return f"{given[0]} * {given[1]}"
        if given != "*":
            return given
        if expression := LENGTHS.get(f"{self.bare}:{p.name}"):
            return expression
        if self.function["group"] == "neighbor":
            return f"destinations_of({self.comm()})" if p.name.startswith("s") else f"sources_of({self.comm()})"
        if "reduce_scatter" in self.bare.lower():
            return f"own_members({self.comm()})"
        return f"members({self.comm()})"

    def completes_later(self):
        return "request" in self.named and not self.persistent

    def is_open(self, p):
        return p.kind in ("RANK", "TAG") and p.name in ("source", "recvtag") or p.kind == "TAG" and "source" in self.named and "dest" not in self.named

    # ---- recording ----

    def recorded(self):
        before, passed, after = [], {}, list(self.meanings())
        for p in self.parameters:
            direction = p.row["direction"]
            if p.kind == "STATUS":
                before.append(f"asked_status asked{{{p.name}}};")
                passed[p.name] = "asked.pass()"
            elif p.pointer and p.kind in HANDLES and direction == "inout" and self.bare != "MPI_Type_commit":
                before.append(f"const {p.type.rstrip(' *')} given_{p.name} = *{p.name};")
            after += self.record(p, direction)
        arguments = ", ".join(passed.get(p.name, p.name) for p in self.parameters)
        name = self.name
        head = generate_mpi_h.prototype(self.function, name).split(" ", 1)[1]
        return [f"int {head} {{", f'    noted_call here{{"{name}"}};', *(f"    {line}" for line in before),
                f"    const int result = P{name}({arguments});", "    if (here.ended(result)) {",
                *(f"        {line}" for line in after), "    }", "    return result;", "}", ""]

    def record(self, p, direction):
        meaning = self.meaning(p)
        if p.kind == "BUFFER":
            return [f"here.memory({p.name});"]
        if p.array and p.kind == "WEIGHT":
            return [f"here.weights({p.name}, {self.length(p).format(**self.spans())});"]
        if p.array:
            length = self.length(p).format(**self.spans())
            length = f"{meaning[0]} ? {length} : 0" if meaning else length
            values = f"&{p.name}[0][0]" if p.array == "[][3]" else p.name
            return [f"here.{'handles' if p.kind == 'DATATYPE' else 'numbers'}({values}, {length});"]
        if p.kind == "STRING":
            return [f"here.text({p.name});"]
        if p.kind in HANDLES and not p.pointer:
            value = ANY_HANDLE.get(f"{self.bare}:{p.name}", p.name)
            value = f"{meaning[0]} ? {p.name} : {NULL_OF[p.kind]}" if meaning else value
            return [f"here.handle({value});"]
        if p.kind in HANDLES and direction == "out":
            return [f"here.made(*{p.name});"]
        if p.kind in HANDLES and self.bare == "MPI_Type_commit":
            return [f"here.handle(*{p.name});"]
        if p.kind in HANDLES:
            return [f"here.handle(given_{p.name});", f"here.forget(given_{p.name});"]
        if p.kind == "REQUEST" and direction == "out":
            return [f"here.made(*{p.name});"]
        if p.kind == "REQUEST" and not p.pointer:
            return [f"here.request({p.name});"]
        if p.kind in NUMBERS and direction == "in":
            if "status" in self.named and self.is_open(p):
                return [f"here.number(asked.{'source' if p.kind == 'RANK' else 'tag'}({p.name}));"]
            if self.completes_later() and self.is_open(p):
                return [f"here.open_{'source' if p.kind == 'RANK' else 'tag'}({p.name});"]
            return [f"here.number({meaning[0]} ? {p.name} : 0);" if meaning else f"here.number({p.name});"]
        if p.kind == "LOGICAL" and p.name == "flag":
            return [f"here.looked(*{p.name} != 0);"]
        if p.kind in ("STATUS", "POLYFUNCTION", "C_BUFFER", "C_BUFFER2", "POLYNUM_BYTES"):
            return []
        raise ValueError(f"{self.name}: {p.name} is of a kind that has no rule: {p.kind} {direction}")

    def spans(self):
        return {"indx": "{indx, static_cast<std::size_t>(nnodes)}", "degrees": "{degrees, static_cast<std::size_t>(n)}"}

    # ---- playing ----

    def played(self):
        read, checks, passed = [], [], []
        for p in self.parameters:
            one, check, argument = self.play(p, p.row["direction"])
            read += one
            checks += check
            passed.append(argument)
        call = f"{self.name}({', '.join(passed)})"
        flag = self.named.get("flag")
        text = " ".join(checks)
        lines = [*read, *(line for line in self.meanings() if line.split()[2] in text), *checks]
        if flag is not None:
            lines += ["in.looks_until([&] {", "    int flag = 0;", f"    in.expect_success({call});", "    return flag != 0;", "});"]
        else:
            lines.append(f"in.expect_success({call});")
        for p in self.parameters:
            if p.kind in HANDLES and p.pointer and p.row["direction"] == "out":
                lines.append(f"in.keep({p.name}_place, {p.name});")
            if p.kind == "REQUEST" and p.pointer and p.row["direction"] == "out":
                lines.append(f"in.keep({p.name}_place, {p.name});")
        return [f"void play_{self.name}(arguments &in) {{", *(f"    {line}" for line in lines), "}", ""]

    def play(self, p, direction):
        """What is read, what is checked when all has been read, and what is passed."""
        meaning = self.meaning(p)
        if p.kind == "BUFFER":
            return [f"const memory_use {p.name} = in.memory(memory_use::{self.most_special_memory(p)});"], [], self.memory(p)
        if p.array and p.kind == "WEIGHT":
            length = self.length(p).format(indx="indx", degrees="degrees")
            return ([f"const edge_weights {p.name} = in.weights();"], [f'in.expect_length("{p.name}", {p.name}, {length});'],
                    f"{p.name}.pass()")
        if p.array:
            length = self.length(p).format(indx="indx", degrees="degrees")
            length = f"{meaning[0]} ? {length} : 0" if meaning else length
            read = "handles<MPI_Datatype>" if p.kind == "DATATYPE" else f"numbers<{self.element(p)}>"
            data = f"{p.name}.data()"
            if p.array == "[][3]":
                data = f"reinterpret_cast<int(*)[3]>({data})"
            return [f"auto {p.name} = in.{read}();"], [f'in.expect_length("{p.name}", {p.name}.size(), {length});'], data
        if p.kind == "STRING":
            return [f"const std::string {p.name} = in.text();"], [], f"{p.name}.c_str()"
        base = p.type.rstrip(" *")
        if p.kind in HANDLES and not p.pointer:
            return [f"const auto {p.name} = in.handle<{base}>();"], [], p.name
        if p.kind in HANDLES and direction == "out":
            return [f"const auto {p.name}_place = in.place();", f"{base} {p.name}{{}};"], [], f"&{p.name}"
        if p.kind in HANDLES:
            return [f"auto &{p.name} = in.kept<{base}>();"], [], f"&{p.name}"
        if p.kind == "REQUEST" and direction == "out":
            return [f"const auto {p.name}_place = in.place();", f"MPI_Request {p.name} = MPI_REQUEST_NULL;"], [], f"&{p.name}"
        if p.kind == "REQUEST":
            return [f"const auto {p.name} = in.request();"], [], p.name
        if p.kind in NUMBERS and direction == "in":
            return [f"const auto {p.name} = in.number<{base}>();"], [], p.name
        if p.kind == "LOGICAL":
            return [], [], "&flag"
        if p.kind == "STATUS":
            return [], [], "MPI_STATUS_IGNORE"
        if p.kind == "POLYFUNCTION":
            return [], [], "keep_as_it_is<MPI_Count>" if self.name.endswith("_c") else "keep_as_it_is<int>"
        return [f"{'void *' if p.kind.startswith('C_') else base + ' '}{p.name}{{}};"], [], f"&{p.name}"

    def most_special_memory(self, p):
        """What may be given instead of memory: the last one of the enumeration that may."""
        if "attach_buffer" in self.bare or self.bare == "MPI_Buffer_attach":
            return "automatic"
        scatters = "scatter" in self.bare.lower() and "educe" not in self.bare
        in_place = self.function["group"] == "coll" and p.name == ("recvbuf" if scatters else "sendbuf")
        return "in_place" if in_place else "own"

    def memory(self, p):
        """The expression for memory that is long enough."""
        parcel = next((x for x in self.parcels if any(p is y for y in x.buffers)), None)
        area = "sent" if p.row["direction"] == "in" and p.row.get("constant") else "received"
        if parcel is None:  # a window's, or a buffer for messages
            return f"in.own_memory({p.name}, size)"
        return f"in.{area}({p.name}, {self.data(p, parcel)})"

    def data(self, p, parcel):
        names = {q.name: q for q in parcel.parts}
        types = next(q for q in parcel.parts if q.kind == "DATATYPE")
        counts = next((q for q in parcel.parts if q.kind in ELEMENT_COUNTS), None)
        displacements = next((q for q in parcel.parts if "DISPLACEMENT" in q.kind and q.array), None)
        if counts is None:
            return f"data_of(1, {types.name})"
        if counts.array and displacements is None:  # of MPI_Reduce_scatter
            return f"data_of({counts.name}, {types.name})"
        if counts.array:
            return f"data_of({counts.name}, {displacements.name}, {types.name})"
        times = self.times(p)
        return f"data_of({counts.name}, {types.name}{', ' + times if times else ''})"

    def times(self, p):
        """How many blocks of the count there are."""
        bare = self.bare.lower()
        sends, comm = p.name.startswith("send"), self.comm() if self.collective else ""
        if self.function["group"] == "partitioned":
            return "partitions"
        if self.function["group"] == "neighbor":
            if sends:
                return f"destinations_of({comm})" if "alltoall" in bare else ""
            return f"sources_of({comm})"
        if not self.collective:
            return ""
        if "reduce_scatter_block" in bare:
            return f"own_members({comm})"
        blocks = "alltoall" in bare or "allgather" in bare and not sends or "scatter" in bare and sends
        blocks = blocks or "gather" in bare and not sends
        if "scatter" in bare and not sends:
            blocks = False
        return f"members({comm})" if blocks else ""


def omitted_text(function):
    name = function["name"]
    arguments = ", ".join(p["name"] for p in function["c_params"])
    head = generate_mpi_h.prototype(function, name).split(" ", 1)[1]
    return [f"int {head} {{", f'    noted_call here{{"{name}"}};', f"    const int result = P{name}({arguments});",
            "    if (here.ended(result)) {", "        here.leave_out();", "    }", "    return result;", "}", ""]


def is_omitted(function):
    if function["group"] == standard.EXTENSION_GROUP:
        return bool(OMITTED_EXTENSION.fullmatch(function["name"]))
    name = function["name"].removesuffix("_c")
    return bool(OMITTED.fullmatch(name)) or function["group"] in OMITTED_GROUPS and not NOT_OMITTED.fullmatch(name)


def is_recorded(function):
    name = function["name"]
    return (not is_omitted(function) and not LOCAL.fullmatch(name) and not BY_HAND.fullmatch(name)
            and (function["group"] in GROUPS or name == "MPI_Comm_disconnect"))  # fmt: skip


def main():
    data, output = sys.argv[1], pathlib.Path(sys.argv[2])
    rows = [f for f in standard.load(data, "functions.json")["functions"] + standard.extensions(data)["functions"] if f["c_return"] == "int"]
    functions = [Function(f) for f in rows if is_recorded(f)]
    head = ["// SPDX-License-Identifier: Apache-2.0", "// Generated by tools/generate_replay.py from data/."]
    recorded = [*head, "#include <span>", "", '#include "replay/calls/meaning.hpp"', '#include "replay/recorder/noted_call.hpp"', "",
                "using namespace lisle::replay;", "", 'extern "C" {', ""]
    for function in functions:
        recorded += function.recorded()
    for function in rows:
        if is_omitted(function):
            recorded += omitted_text(function)
    played = [*head, "#include <array>", "", '#include "replay/calls/meaning.hpp"', '#include "replay/player/arguments.hpp"',
              '#include "replay/player/played_calls.hpp"', "", "namespace lisle::replay {", "", "namespace {", ""]
    for function in functions:
        played += function.played()
    played += ["constexpr played_function table[] = {",
               *(f'    {{"{f.name}", play_{f.name}}},' for f in functions), "};", "", "} // namespace", "",
               "std::span<const played_function> generated_functions() noexcept {", "    return table;", "}", "",
               "} // namespace lisle::replay", ""]
    output.mkdir(parents=True, exist_ok=True)
    (output / "recorded_calls.cpp").write_text("\n".join([*recorded, '} // extern "C"', ""]), encoding="utf-8")
    (output / "played_calls.cpp").write_text("\n".join(played), encoding="utf-8")


if __name__ == "__main__":
    main()
