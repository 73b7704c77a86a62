#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Traces of programs: a replay takes the same cycles as the program, on the machine of the record and on others, and what
cannot be replayed is refused or named.

Usage: replay_test.py LISLERUN REPLAYED cycles|refusals|machine|suite [PROGRAM]...
"""
import os
import pathlib
import re
import struct
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[4] / "mpi/tests/integration"))
from commands import expect, fail, run

LAUNCHER, REPLAYED, PART, *PROGRAMS = sys.argv[1:]
HEAD, SECTION = struct.Struct("<QIIQ"), struct.Struct("<QQQ")

MACHINES = {
    "mesh": ("3x2", ""),
    "torus": ("6x1", "topology = torus\nrouting = adaptive\nvirtual_channels = 4\nreceive_word_cycles = 11\n"),
    "cluster": ("8x1", "grain = flow\nclock_mhz = 1000\ntopology = fat_tree\ntree_arity = 8\nsend_cycles = 300\n"
                       "receive_cycles = 300\nwire_cycles = 900\nlink_width = 3\neager_bytes = 1024\n"),
}  # fmt: skip


class Folder(tempfile.TemporaryDirectory):
    """With machines and traces in it."""

    def __enter__(self):
        super().__enter__()
        return self

    def path(self, name):
        return str(pathlib.Path(self.name, name))

    def on(self, machine):
        """The options for a machine."""
        tiles, lines = MACHINES[machine]
        pathlib.Path(self.path(machine)).write_text(lines)
        return ["--fabric", f"tile:{tiles}", *(["--mesh", self.path(machine)] if lines else [])]

    def program(self, machine, *arguments):
        return run(LAUNCHER, *self.on(machine), "-n", "6", REPLAYED, *arguments)

    def record(self, machine, name, *arguments):
        return run(LAUNCHER, *self.on(machine), "-n", "6", "--record-trace", self.path(name), REPLAYED, *arguments)

    def replay(self, machine, name, status=0):
        return run(LAUNCHER, *self.on(machine), "--replay-trace", self.path(name), status=status)


def expect_same(first, second, what):
    """The whole summaries: cycles, phases, packets, links."""
    expect("cycles" in first.stderr and first.stderr == second.stderr, f"{what}:\n{first.stderr}\n{second.stderr}")


def recorded_on_the_mesh(*machines):
    with Folder() as folder:
        recorded = folder.record("mesh", "trace")
        programs = {machine: folder.program(machine) for machine in machines}
        expect_same(programs["mesh"], recorded, "the record takes time")
        expect(len({each.stderr for each in programs.values()}) == len(machines), "the machines are alike")
        for machine, program in programs.items():
            expect_same(program, folder.replay(machine, "trace"), f"recorded on the mesh, replayed on the {machine}")


def cycles():
    recorded_on_the_mesh("mesh", "cluster")


def machine():
    """Recorded on this machine, or with its time: replays are alike, and compute as the program did."""
    with Folder() as folder:
        trace = folder.path("trace")
        for options in [["-n", "2"], ["-n", "2", *folder.on("mesh"), "--compute", "host"]]:
            run(LAUNCHER, *options, "--record-trace", trace, REPLAYED, "busy")
            first, second = folder.replay("mesh", "trace"), folder.replay("mesh", "trace")
            expect_same(first, second, "replays of one trace")
            expect("2 ranks on 3 x 2 tiles" in first.stderr and "computing took no time" not in first.stderr, first.stderr)
        run(LAUNCHER, "--replay-trace", trace)  # without a modelled machine: the calls alone


def sum_of(content):
    value = 0xCBF29CE484222325
    for byte in content:
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return value


def number(value):
    out = b""
    while value >= 0x80:
        out, value = out + bytes([value & 0x7F | 0x80]), value >> 7
    return out + bytes([value])


def text(content):
    return number(len(content)) + content


def function(name):
    return number(1) + text(name)


def call(which, *arguments):
    return number(9 + which) + text(b"".join(number(each) for each in arguments))


def trace_of(*records, version=2):
    """A trace of these records, as the format has it."""
    at = HEAD.size + len(records) * SECTION.size
    head = HEAD.pack(0x79616C7065726C6C, version, len(records), 0)
    for each in records:
        head += SECTION.pack(at, len(each), sum_of(each))
        at += len(each)
    return head + b"".join(records)


def refusals():
    with Folder() as folder:
        told = folder.record("mesh", "unfit", "unfit", "ring").stderr
        expect("leaves out what cannot be replayed: MPI_Win_create_dynamic" in told, told)
        told = folder.replay("mesh", "unfit").stderr
        expect("leaves out what cannot be replayed: MPI_Win_create_dynamic" in told, told)

        whole = pathlib.Path(folder.path("unfit")).read_bytes()
        changed = bytearray(whole)
        changed[-3] ^= 1
        world, integer = 2 * 0x101, 2 * 0x209  # MPI_COMM_WORLD, MPI_INT
        barrier, send, wait = function(b"MPI_Barrier"), function(b"MPI_Send"), function(b"MPI_Wait")
        split = function(b"MPI_Comm_split")
        for name, content, sentence in [
            ("empty", b"", "has 0 bytes; the head of a trace alone has 24"),
            ("other", b"#!/bin/sh\necho a program and no trace\n", "is no trace of lislerun --record-trace"),
            ("newer", trace_of(b"", version=7), "is a trace of version 7; this Lisle reads version 2"),
            ("short", whole[:60], "has 60 bytes, too few for 6 ranks"),
            ("shorter", whole[:-50], "the record of rank 5 has"),
            ("changed", bytes(changed), "the record of rank 5 has been changed"),
            ("unknown", trace_of(function(b"MPI_\x07None")), "item 0: a replay has no function of the name 'MPI_?None'"),
            ("unnamed", trace_of(call(3, world)), "a call of function 3, where 0 are named"),
            ("cut", trace_of(barrier + call(0, world)[:-1]), "a text of 2 bytes, where 1 are left"),
            ("longer", trace_of(barrier + call(0, world, 4)), "item 1 (MPI_Barrier): 1 bytes stand behind the last argument"),
            ("object", trace_of(barrier + call(0, 2 * 5 + 1)), "object 5 is used, where 0 have been made"),
            ("handle", trace_of(barrier + call(0, 2 * 70000)), "the predefined handle 70000 is none below 4096"),
            ("request", trace_of(wait + call(0, 1, 3)), "request 2 is used, where 0 have been made"),
            ("place", trace_of(split + call(0, world, 0, 0, 9)), "object 8 is made, where 0 have been"),
            ("count", trace_of(send + call(0, 0, 2**40, integer, 0, 0, world)), "the number 549755813888 is outside of"),
            ("rank", trace_of(send + call(0, 0, 2, integer, 2 * 7, 0, world)), "rank 7 is outside MPI_COMM_WORLD"),
            ("long", trace_of(function(b"MPI_Send_c") + call(0, 0, 2**50, integer, 0, 0, world)), "a buffer is longer than"),
            ("memory", trace_of(send + call(0, 1, 2, integer, 0, 0, world)), "the word 1 for memory is more than 0"),
            ("array", trace_of(function(b"MPI_Allgatherv") + call(0, 0, 0, integer, 0, 2, 0, 0, 1, 0, integer, world)),
             "recvcounts has 2 elements, and the call needs 1"),
        ]:
            pathlib.Path(folder.path(name)).write_bytes(content)
            done = folder.replay("mesh", name, status=None)
            expect(done.returncode != 0 and sentence in done.stderr, f"{name}: {done.returncode}, {done.stderr}")
        for words, sentence in [
            (["--replay-trace", folder.path("none")], "cannot be read: No such file"),
            (["--replay-trace", folder.path("unfit"), REPLAYED], "runs no program: leave out"),
            (["-n", "4", "--replay-trace", folder.path("unfit")], "has the calls of 6 ranks"),
            (["--record-trace", folder.path("none/x"), REPLAYED], "cannot be written"),
            (["--record-trace", folder.path("x"), "--stats", REPLAYED], "take the same calls"),
            (["--record-trace", folder.path("x"), "--explore", REPLAYED], "records one run"),
            (["--record-trace", folder.path("x"), "true"], "no rank has recorded anything"),
        ]:
            done = run(LAUNCHER, *words, status=None)
            expect(sentence in done.stderr, f"{words}: {done.returncode}, {done.stderr}")


def leaving_out(done):
    found = re.search(r"leaves out what cannot be replayed: (.*)", done.stderr)
    return found[1].split(", ") if found else []


def summary(done):
    return [line for line in done.stderr.splitlines() if line.startswith("tiles:")]


def suite():
    """Programs of others, and their replays."""
    if not PROGRAMS:
        fail("there are no programs")
    recorded_on_the_mesh(*MACHINES)
    with Folder() as folder:
        trace = folder.path("trace")
        expect_same(folder.record("cluster", "flows"), folder.replay("cluster", "flows"), "recorded on the cluster")
        for program in PROGRAMS:
            on_tiles = [LAUNCHER, "--fabric", "tile:4x4", "-n", "4"]
            environment = {**os.environ, "CHECK_LEVEL": "funneled"}
            recorded = run(*on_tiles, "--record-trace", trace, program, env=environment)
            replayed = run(*on_tiles, "--replay-trace", trace, env=environment)
            # Some make mistakes to see them refused, which takes no time.
            left_out = [each for each in leaving_out(recorded) if not each.endswith("that has failed")]
            expect(not left_out, f"{program}: {left_out} are left out")
            expect(summary(recorded) == summary(replayed) != [], f"{program}:\n{recorded.stderr}\n{replayed.stderr}")


{"cycles": cycles, "machine": machine, "refusals": refusals, "suite": suite}[PART]()
