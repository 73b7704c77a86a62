#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every program of examples/task as one process, as processes, as threads, as fibers and with several tiles,
and compares what they print with what plain C++ computes and with each other. Also what the command says of errors.

usage: run_programs.py bin-directory source-directory direct-program [nodes | hosts]
nodes: as one process and as three, each a node of its own, instead. hosts: on three hosts that are network namespaces of this
machine, instead; exits with 77 where there can be none.
"""
import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "mpi/tests/integration/cluster"))
sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "mpi/tests/integration"))
from commands import LIMIT  # noqa: E402
from hosts import SKIPPED, Hosts, missing  # noqa: E402

binaries, source, direct = (pathlib.Path(each).resolve() for each in sys.argv[1:4])
environment, models = dict(os.environ), None
end = contextlib.ExitStack()
task, mpirun = str(binaries / "lisle-task"), str(binaries / "mpirun")
shapes = [
    [task],
    [task, "--tiles", "3"],
    [mpirun, "-q", "-n", "3", task],
    [mpirun, "-q", "-n", "3", "--ranks", "thread", task],
    [mpirun, "-q", "-n", "4", "--ranks", "fiber", "--workers", "2", task],
    [mpirun, "-q", "-P", "2", "-T", "2", task, "--tiles", "2"],
    [mpirun, "-q", "--fabric", "tile:4x4", "-n", "4", task],
]
if sys.argv[4:] == ["nodes"]:  # each process counts as one, and what crosses goes over the network
    shapes = [[task], ["env", "LISLE_NODES=-1", "LISLE_NETWORK_INTERFACE=lo", mpirun, "-q", "-n", "3", task]]
if sys.argv[4:] == ["hosts"]:
    why = missing() if shutil.which("mpiexec.hydra") else "there is no mpiexec.hydra (Debian: hydra)"
    if why is not None:
        print(why)
        sys.exit(SKIPPED)
    hosts = end.enter_context(Hosts(3))
    environment |= {"LISLE_NETWORK_INTERFACE": "eth0", **hosts.environment}
    over = [mpirun, "-q", "--through", "mpiexec.hydra", "--launch-agent", str(hosts.agent), "--hosts"]
    shapes = [[task], over + [",".join(f"{name}:1" for name in hosts.names), task],
              over + [",".join(f"{name}:1" for name in hosts.names), task, "--tiles", "2"],
              over + [",".join(f"{name}:2" for name in hosts.names), "--ranks", "thread", task]]
    models = [[mpirun, "-q", "-n", "1"], over + [",".join(f"{name}:1" for name in hosts.names[:2])]]
failures = 0


def run(command):
    return subprocess.run(command, cwd=source, capture_output=True, text=True, timeout=LIMIT, env=environment)


def expect(holds, sentence):
    global failures
    if not holds:
        failures += 1
        print(sentence, file=sys.stderr)


expected = {"placement.td": "(true true true)"}
for line in run([str(direct), "LICENSE"]).stdout.splitlines():
    name, value = line.split(" ", 1)
    expected[name] = value


def is_expected(program, printed):
    """Sums of many numbers are rounded in the order in which they are added."""
    wanted = expected[program]
    if program in ("lu.td", "matrix.td", "stencil.td"):
        return abs(float(printed) - float(wanted)) <= 1e-12 * abs(float(wanted))
    return printed.strip() == wanted or (program == "word_count.td" and printed.startswith(wanted + " words"))


programs = sorted((source / "examples" / "task").glob("*.td"))
expect(len(programs) >= 8, "there are programs to run")
for program in programs:
    first = None
    for shape in shapes:
        ended = run(shape + [str(program)])
        first = ended.stdout if first is None else first
        shown = " ".join(shape + [program.name])
        expect(ended.returncode == 0 and ended.stdout, f"{shown} ended with {ended.returncode}: {ended.stderr}")
        expect(ended.stdout == first, f"{shown} prints {ended.stdout!r}, one process {first!r}")
    expect(is_expected(program.name, first), f"{program.name} prints {first!r}, C++ {expected[program.name]}")

sums = {run(shape + [str(binaries.parent / "examples" / "ocean_atmosphere")]).stdout
        for shape in models or ([mpirun, "-q", "-n", "1"], [mpirun, "-q", "-n", "2"],
                                [mpirun, "-q", "-n", "2", "--ranks", "fiber"])}
expect(len(sums) == 1 and "" not in sums, f"ocean and atmosphere differ: {sums}")

for text, sentence in [("(+ 1\n  (- 2", "2:7: the text ends where ')' was expected"),
                       ("(+ 1 x)", "1:6: 'x' is no variable"),
                       ("(sys.fail \"no luck\")", "1:1: no luck (sys.fail, tile 0 of rank 0)")]:
    for shape in shapes:
        ended = run(shape + ["-e", text])
        expect(ended.returncode == 1 and sentence in ended.stderr, f"{shape}: {text!r} says {ended.stderr!r}")
        expect(ended.stderr.count(sentence) == 1, f"{shape}: the error of {text!r} is said more than once")
shown = run([task, "--help"])
expect(shown.returncode == 0 and "(fold f list)" in shown.stdout and "text.count" in shown.stdout, "--help teaches")

with tempfile.TemporaryDirectory() as folder:
    graph, time = pathlib.Path(folder, "graph.svg"), pathlib.Path(folder, "time.svg")
    run([task, "--explain", str(graph), "examples/task/merge_sort.td"])
    expect("sort.merge" in graph.read_text(), "--explain draws the kernels")
    expect("(div (+ first end) 2)" in graph.read_text(), "--explain uses the program's names")
    run([mpirun, "-q", "-n", "2", task, "--trace", str(time), "examples/task/merge_sort.td"])
    slices = pathlib.Path(folder, "time.json")
    run([mpirun, "-q", "-n", "2", task, "--tiles", "2", "--trace", str(slices), "examples/task/lu.td"])
    events = json.loads(slices.read_text())["traceEvents"]
    kernels = [each for each in events if each["ph"] == "X"]
    expect(len([each for each in kernels if each["name"] == "matrix.multiply-subtract"]) == 55, "a slice for each kernel")
    expect(all(each["dur"] >= 0 and each["ts"] >= 0 and each["tid"] // 2 == each["pid"] for each in kernels),
           "slices have their tiles and ranks")
    expect({each["args"]["called at"] for each in kernels if each["name"] == "matrix.sum"} == {"lu.td:18:33"},
           "slices say where their kernels are called")
    expect({each["args"]["name"] for each in events if each["ph"] == "M"} >= {"rank 0", "tile 0"}, "threads have names")
    expect("tile 1" in time.read_text() and "sort.sort" in time.read_text(), "--trace draws what tiles have run")

end.close()
sys.exit(failures != 0)
