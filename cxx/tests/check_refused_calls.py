#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every call that is given an object which cannot travel does not compile, and the compiler says why in the
interface's own sentence and in no more than 15 lines: for a class that is only declared, and for one with a pointer in it.
Use: check_refused_calls.py compiler [--only CALL] flag..."""
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

MOST_LINES = 15

# What x is, and the sentence of it.
OBJECTS = {
    "declared": ("class refused;", "This class is only declared here"),
    "pointer": ("struct refused { int value; refused *next; };", "A class with this field cannot be sent"),
}

PROGRAM = """#include <lisle/file.hpp>
#include <lisle/lisle.hpp>
#include <lisle/topology.hpp>
#include <lisle/window.hpp>
#include <functional>
#include <vector>
{object}
void mistake(refused &x, std::vector<int> &v, std::vector<int> &n, lisle::topology &near) {{
    auto w = lisle::world();
    {call};
}}
"""


def calls():
    """Each call by its name: the function, and what is particular."""
    found = {}

    def add(function, arguments, particular="", on="w"):
        found[f"{function} {particular}".strip()] = f"auto result = {on}.{function}({arguments})"

    def add_statement(name, statement):
        found[name] = statement

    lent, plus = "lisle::borrow(x)", "std::plus<>{}"
    exchange = "{.dest = 1, .source = 0}"

    # messages
    for function in ("send", "ssend"):
        add_statement(function, f"w.{function}(x, 1)")
    add("isend", f"{lent}, 1")
    add("isend", "x, 1", "without borrow")
    add("issend", f"{lent}, 1")
    for function in ("receive", "receive_with_status", "ireceive"):
        add(f"{function}<refused>", "0")
    add_statement("receive_into", "w.receive_into(x, 0)")
    add_statement("receive_into resized", "w.receive_into(lisle::resized(x), 0)")
    add("ireceive_into", f"{lent}, 0")
    add("mprobe(0).receive<refused>", "")
    add_statement("mprobe(0).receive_into", "w.mprobe(0).receive_into(x)")
    add("sendrecv", f"x, {exchange}")
    add_statement("sendrecv_into", f"w.sendrecv_into(x, x, {exchange})")
    for function in ("send_init", "receive_init"):
        add(function, f"{lent}, 1")
    add("send_init", "x, 1", "without borrow")
    for function in ("partitioned_send_init", "partitioned_receive_init"):
        add(function, f"{lent}, 2, 1")
    add_statement("scope isend", "lisle::scope s{w}; s.isend(x, 1)")
    add_statement("scope ireceive_into", "lisle::scope s{w}; s.ireceive_into(x, 1)")

    # collectives
    for function in ("gather", "allgather", "scatter", "alltoall", "gatherv", "allgatherv", "scatterv", "alltoallv"):
        for given, said in (("x", ""), (lent, "lent")):
            add("i" + function, given, said)
        add(function, "x")
    add("alltoallv", "x, n", "with counts")
    add("ialltoallv", "x, n", "with counts")
    for function in ("reduce", "allreduce", "scan", "exscan", "reduce_scatter"):
        for given, said in (("x", ""), (lent, "lent")):
            add("i" + function, f"{given}, {plus}", said)
        add(function, f"x, {plus}")
        add_statement(f"{function} in place", f"w.{function}(lisle::in_place(x), {plus})")
    for function in ("gather", "allgather", "alltoall", "scatter", "gatherv", "allgatherv"):
        add_statement(f"{function} in place", f"w.{function}(lisle::in_place(x))")
    for function in ("iallreduce", "ireduce", "iscan", "iexscan", "allreduce_init"):
        add(function, f"lisle::in_place({lent}), {plus}", "in place")
    for function in ("iallgather", "ialltoall", "igather", "iscatter"):
        add(function, f"lisle::in_place({lent})", "in place")
    for word in ("whole", "elements"):
        for function, more in (("gather", ""), ("allgather", ""), ("reduce", f", {plus}"), ("allreduce", f", {plus}")):
            add(function, f"lisle::{word}(x){more}", word)
    for given, said in (("x", ""), ("lisle::resized(x)", "resized"), ("lisle::whole(x)", "whole")):
        add_statement(f"broadcast {said}".strip(), f"w.broadcast({given})")
    add("ibroadcast", lent)
    add("broadcast_init", lent)

    # into memory that exists: from what cannot travel, and to it
    moving = ("gather_into", "allgather_into", "alltoall_into", "gatherv_into", "allgatherv_into", "scatterv_into")
    for function in (*moving, "reduce_into", "allreduce_into", "scan_into", "exscan_into", "reduce_scatter_into"):
        more = "" if function in moving else f", {plus}"
        add_statement(function, f"w.{function}(x, lisle::resized(v){more})")
        add_statement(f"{function} to", f"w.{function}(v, x{more})")
    add_statement("alltoallv_into", "w.alltoallv_into(x, n, lisle::resized(v))")
    add_statement("alltoallv_into to", "w.alltoallv_into(v, n, x)")
    for function in ("igather_into", "iallgather_into", "ialltoall_into", "ireduce_into", "iallreduce_into"):
        more = f", {plus}" if "reduce" in function else ""
        add(function, f"{lent}, lisle::resized(v){more}")

    # persistent
    for function in ("gather_init", "allgather_init", "alltoall_init", "scatter_init", "reduce_init", "allreduce_init",
                     "scan_init"):
        more = f", {plus}" if function in ("reduce_init", "allreduce_init", "scan_init") else ""
        add(function, f"{lent}, lisle::borrow(v){more}")
    for function in ("allgather_init", "alltoall_init", "scatter_init"):
        add(function, f"lisle::borrow(v), {lent}", "to")
    add("allreduce_init", f"lisle::borrow(v), {lent}, {plus}", "to")

    # among neighbours
    for function in ("neighbor_allgather", "neighbor_alltoall", "neighbor_allgatherv", "neighbor_alltoallv",
                     "ineighbor_allgather", "ineighbor_alltoall", "ineighbor_alltoallv"):
        add(function, "x", on="near")
    for function in ("neighbor_allgather_into", "neighbor_alltoall_into"):
        add_statement(function, f"near.{function}(x, lisle::resized(v))")
        add_statement(f"{function} to", f"near.{function}(v, x)")

    # what is no call of a communicator
    add_statement("attempt", "auto result = lisle::attempt([&] { return w.gather(x); })")
    add_statement("datatype_of", "auto result = lisle::datatype_of<refused>()")
    add_statement("as_buffer", "auto result = lisle::as_buffer(x)")
    add_statement("file", 'lisle::file<refused> result{w, "name"}')
    add_statement("window", "lisle::window<refused> result{w, 3}")
    add_statement("window shared", "auto result = lisle::window<refused>::shared(w, 3)")
    return found


def main():
    compiler, *flags = sys.argv[1:]
    only = flags.pop(flags.index("--only") + 1) if "--only" in flags else None
    command = [compiler, "-std=c++20", "-fsyntax-only", "-fdiagnostics-color=never",
               *(flag for flag in flags if flag != "--only"), "-xc++", "-"]

    def mistake(job):
        kind, name, call = job
        source = PROGRAM.format(object=OBJECTS[kind][0], call=call)
        result = subprocess.run(command, input=source, capture_output=True, text=True, check=False)
        lines = result.stderr.splitlines()
        if only:
            print(result.stderr)
        if result.returncode == 0:
            return f"{name} ({kind}) compiles"
        if not any("error:" in line and OBJECTS[kind][1] in line for line in lines):
            return f"{name} ({kind}): the compiler does not say: {OBJECTS[kind][1]}"
        if len(lines) > MOST_LINES:
            return f"{name} ({kind}): the compiler says {len(lines)} lines, more than {MOST_LINES}"
        return None

    jobs = [(kind, name, call) for kind in OBJECTS for name, call in calls().items() if only in (None, name)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        wrong = [said for said in pool.map(mistake, jobs) if said]
    print(f"{len(jobs)} calls are refused, {len(wrong)} of them not as they should", *wrong, sep="\n")
    sys.exit(1 if wrong or not jobs else 0)


if __name__ == "__main__":
    main()
