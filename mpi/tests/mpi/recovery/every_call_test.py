#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every_call and compares how its calls end: every_call_test.py LISLERUN PROGRAM FUNCTIONS.json after|during|names
ROWS OPTION...

after: all rows in one job whose survivors know of the death: each ends as its row says, alike at all survivors.
during: a job for each row, or for each so-many-th (ROWS), in which the process dies meanwhile: each survivor ends, with
success or with MPIX_ERR_PROC_FAILED. names: each function of the standard that communicates is in a row."""

import json
import re
import subprocess
import sys

PROC_FAILED = 16000
BOUND = 100  # seconds, for loaded machines: only a hang takes so long

# Functions that talk to nobody, or that no job can go without.
LOCAL = re.compile(
    r"""MPI_(Comm_join|T_|Type_|Info_|Group_|Op_|Attr_|Keyval_|Errhandler_|Error_|Add_error|Remove_error|Address|Aint_|Alloc_mem
    |Free_mem|Status_|Wtime|Wtick|Get_|Init|Finalize|Is_thread|Query_thread|Initialized|Abort|Pcontrol|Dims_create
    |Grequest_|Register_datarep|Session_|Abi_|Buffer_|Pack|Unpack|Cartdim_get|Graphdims_get|Lookup_name|Publish_name
    |Unpublish_name|Topo_test|Cart_(coords|get|map|rank|shift)|Graph_(get|map|neighbors)|Dist_graph_neighbors
    |Comm_(call|compare|create_(err|key)|delete_attr|free_keyval|get_|set_|group|rank|remote|size|test_inter|attach|detach
    |iflush|flush)|Win_(attach|detach|shared_query|call|create_(err|key)|delete_attr|free_keyval|get_|set_)
    |File_(call|create_err|get_|set_(errhandler|info)|seek$|delete)|Request_get_status|Reduce_local|Sizeof|.*_(c2f|f2c|f082c|c2f08|f082f|f2f08
    |fromint|toint)$|DUP_FN|NULL_|CONVERSION|Test_cancelled|Conversion)""",
    re.VERBOSE)


def run(command, bound):
    """Output of a job, whatever becomes of it, and its exit code; None: it has hung."""
    job = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        return job.communicate(timeout=bound)[0], job.returncode
    except subprocess.TimeoutExpired:
        job.terminate()
        return job.communicate()[0], None


def ends_in(output):
    """The class with which each row has ended at each rank."""
    ends = {}
    for row, rank, error in re.findall(r"^(MPIX?_\S+) (\d+) (\d+)$", output, re.M):
        ends.setdefault(row, {})[int(rank)] = int(error)
    return ends


def check_after(command, rows, survivors):
    output, code = run(command + ["after"], BOUND)
    ends = ends_in(output)
    wrong = []
    for row, how, _ in rows:
        found = ends.get(row, {})
        good = {"fails": {PROC_FAILED}, "works": {0}, "either": {0, PROC_FAILED}}[how]
        if set(found) != survivors or not set(found.values()) <= good:
            wrong.append(f"{row}, which {how}: class by rank {dict(sorted(found.items()))}")
    if code != 0 and not wrong:
        wrong.append(f"the job ended with {code}")
    if wrong:
        wrong.append("\n".join(line for line in output.splitlines() if not line.startswith("MPI")))
    return wrong


def check_during(command, rows, survivors):
    wrong = []
    for row, how, _ in rows:
        output, code = run(command + ["during", row], BOUND)
        found = ends_in(output).get(row, {})
        good = {0} if how == "works" else {0, PROC_FAILED}
        if code != 0 or set(found) != survivors or not set(found.values()) <= good:
            ended = "hung" if code is None else f"exit code {code}"
            wrong.append(f"{row}: {ended}, class by rank {dict(sorted(found.items()))}\n{output}")
    return wrong


def check_names(rows, functions):
    with open(functions, encoding="utf-8") as file:
        names = {each["name"] for each in json.load(file)["functions"]}
    names = {re.sub(r"_c$", "", name) for name in names}
    covered = {name for row in rows for name in row[2]}
    return [f"{name} is in no row" for name in sorted(names) if name not in covered and not LOCAL.match(name)]


def main():
    lislerun, program, functions, mode, step, *options = sys.argv[1:]
    listed = subprocess.run([program, "list"], capture_output=True, text=True, check=True).stdout.splitlines()
    rows = [(words[0], words[1], words[2:]) for words in (line.split() for line in listed)]
    if mode == "names":
        wrong = check_names(rows, functions)
    else:
        processes, threads = int(options[options.index("-P") + 1]), int(options[options.index("-T") + 1])
        survivors = set(range((processes - 1) * threads))
        command = [lislerun, "--with-ft", "ulfm", *options, program]
        check = check_after if mode == "after" else check_during
        wrong = check(command, rows[::int(step)] if mode == "during" else rows, survivors)
    for each in wrong:
        print(each)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
