#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""lislerun --explore and --replay on programs whose mistakes only some orders show (orders.c), and on the same without them: what is
found, how many matchings there are, and that a file of choices runs what it was written for."""
import argparse
import pathlib
import re
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from commands import expect, run  # noqa: E402

ABORTED = 3
DEADLOCK = 125
SIGSEGV = 128 + 11

# Name: ranks, the exit code of a run that fails, words of the story.
MISTAKES = {
    "first_two": (3, ABORTED, r"rank 0: MPI_Recv at orders\.c:\d+ takes rank 2's message before rank 1's"),
    "named_second": (3, DEADLOCK, r"takes rank 2's message before rank 1's"),
    "crooked_barrier": (3, ABORTED, r"rank 1: MPI_Irecv at orders\.c:\d+ takes rank 2's message before rank 0's"),
    "relay": (3, ABORTED, r"takes rank 2's message before rank 1's"),
    "late_message": (4, ABORTED, r"takes rank 3's message, which comes late, before rank 1's"),
    "late_named": (5, ABORTED, r"takes rank 2's message, which comes late, before rank 1's"),
    "any_tag": (4, ABORTED, r"takes rank 3's message before"),
    "late_probe": (3, None, r"(finds|takes) rank 2's message before rank 1's"),
    "matched_probe": (3, ABORTED, r"MPI_Mprobe at orders\.c:\d+ finds rank 2's message before rank 1's"),
    "one_look": (2, None, r"MPI_Iprobe at orders\.c:\d+ finds nothing yet"),
    "wait_any": (3, ABORTED, r"MPI_Waitany at orders\.c:\d+ completes the request at place 1 before the request at place 0"),
    "test_some": (3, ABORTED, r"MPI_Testsome at orders\.c:\d+ completes the request at place 1 alone"),
    "wait_some": (3, ABORTED, r"MPI_Waitsome at orders\.c:\d+ completes the request at place [01] "),
    "one_test": (2, ABORTED, r"MPI_Test at orders\.c:\d+ finds nothing complete yet"),
    "head_to_head": (2, DEADLOCK, r"MPI_Isend\) are not buffered"),
    "short_ones": (3, DEADLOCK, r"of up to 7 bytes are buffered, and longer ones wait"),
    "by_way_of_buffers": (3, DEADLOCK, r"not buffered"),
    "forgotten_answer": (4, ABORTED, r"takes rank 3's message before rank \d's"),
    "tasks": (3, ABORTED, r"takes rank \d's message before rank \d's"),
    "crash": (4, SIGSEGV, r"takes rank 3's message before"),
    "leak": (3, None, r"takes rank 2's message before rank 1's"),
    "tickets": (3, ABORTED, r"rank 2: MPI_Fetch_and_op at orders\.c:\d+ has its turn at the memory of rank 0 before rank 1"),
    "last_writer": (3, ABORTED, r"rank 2: MPI_Win_lock at orders\.c:\d+ has its turn at the memory of rank 0 before rank 1"),
    "spin": (3, ABORTED, r"MPI_Compare_and_swap at orders\.c:\d+ has its turn at the memory of rank 0 before rank"),
}

# Name and ranks: how many matchings there are, counted by hand.
COUNTS = {
    ("first_two", 4): 6,  # 3!
    ("first_two", 5): 24,  # 4!
    ("named_second", 3): 2,
    ("crooked_barrier", 3): 2,
    ("relay", 3): 2,
    ("late_message", 4): 2,
    ("late_named", 5): 4,  # 2! x 2!
    ("any_tag", 4): 6,
    ("late_probe", 3): 2,
    ("matched_probe", 4): 6,
    ("wait_any", 3): 2,
    ("wait_some", 3): 3,  # one, the other, both
    ("two_each", 3): 6,  # 4! / 2^2
    ("two_each", 4): 90,  # 6! / 2^3
    ("two_masters", 6): 4,  # 2! x 2!
    ("short_ones", 3): 2,
    ("forgotten_answer", 3): 3,  # 3! / 2!
    ("crash", 4): 6,
    ("tickets", 4): 6,  # 3!
    ("last_writer", 3): 2,
    ("last_writer", 4): 6,
    ("ring", 4): 1,
}

SOME_MISTAKES = ("first_two", "late_message", "wait_any", "head_to_head")
SOME_COUNTS = (("crooked_barrier", 3), ("late_message", 4), ("late_named", 5), ("two_masters", 6), ("ring", 4))


class Checker:
    def __init__(self, launcher, program, found, folder):
        self.launcher, self.program, self.program_found, self.folder = launcher, program, found, folder

    def explore(self, *options, status=0):
        return run(self.launcher, "-q", *options, status=status, cwd=self.folder).stdout

    def mistake(self, name, replays):
        ranks, code, story = MISTAKES[name]
        file = self.folder / f"{name}.choices"
        told = self.explore("-n", ranks, "--explore", "--explore-file", file, self.program, name, status=1)
        expect(re.search(story, told), f"{name}: the story is\n{told}")
        found = re.match(r"run (\d+) fails \((\d+\.\d) s\)", told)
        expect(found and int(found[1]) <= 1000, f"{name}: {told}")
        for _ in range(replays):
            again = run(self.launcher, "-q", "-n", ranks, "--replay", file, self.program, name, status=code)
            expect(code is not None or "lisle: rank" in again.stderr or again.returncode != 0, f"{name}: {again}")

    def twin(self, name, ranks):
        told = self.explore("-n", ranks, "--explore", self.program, name, "right")
        expect(re.match(r"(all \d+ matchings|the only matching) explored: none fails", told), f"{name}: {told}")

    def count(self, name, ranks):
        told = self.explore("-n", ranks, "--explore", self.program, name, "right")
        wanted = COUNTS[name, ranks]
        words = "the only matching explored" if wanted == 1 else f"all {wanted} matchings explored"
        expect(told.startswith(f"{words}: none fails"), f"{name} with {ranks} ranks has {wanted} matchings: {told}")

    def sends(self):
        """Each send buffered, and not: 2! matchings, 2^2 ways to send."""
        told = self.explore("-n", 3, "--explore", "--explore-sends", "each", self.program, "first_two", "right")
        expect(told.startswith("all 8 ways explored: none fails (8 runs"), told)
        told = self.explore("-n", 3, "--explore", "--explore-sends", "each", self.program, "short_ones", status=1)
        expect(re.search(r"rank [02]: MPI_Send at orders\.c:\d+ waits for its receive", told), told)
        for way in ("buffered", "waiting"):
            told = self.explore("-n", 3, "--explore", "--explore-sends", way, self.program, "short_ones")
            expect("none fails" in told, told)

    def mistakes(self):
        told = self.explore("-n", 3, "--explore", "--explore-mistakes", "ignore", self.program, "leak")
        expect(told.startswith("all 2 matchings explored: none fails"), told)

    def outputs(self):
        told = self.explore("-n", 4, "--explore", self.program, "sums")
        expect("The output is not always the same" in told and "sum " in told, told)

    def by_chance(self):
        told = self.explore("-n", 3, "--explore=random:20", self.program, "first_two", status=1)
        expect(re.search(MISTAKES["first_two"][2], told), told)
        told = self.explore("-n", 3, "--explore=random:5", self.program, "first_two", "right")
        expect(told.startswith("5 runs by chance: none fails"), told)

    def records(self, kinds):
        """A file of receives is followed by ranks of every kind, and an ordinary run writes one."""
        file = self.folder / "record.choices"
        for order, wanted in (((3, 1, 2), "sum 0"), ((1, 2, 3), "sum 1")):
            file.write_text("".join(f"posted 0 {i} takes {rank} posting {i}\n" for i, rank in enumerate(order, 1)))
            for kind in kinds:
                done = run(self.launcher, "-q", "-n", 4, *kind, "--replay", file, self.program, "sums")
                expect(done.stdout.strip() == wanted and not done.stderr, f"{order}, {kind}: {done}")
        for kind in ("process", "thread"):
            told = run(self.launcher, "-q", "-n", 4, "--ranks", kind, "--record", file, self.program, "sums").stdout
            taken = sorted(re.findall(r"^posted 0 \d takes (\d) posting \d$", file.read_text(), re.MULTILINE))
            expect(taken == ["1", "2", "3"], file.read_text())
            expect(run(self.launcher, "-q", "-n", 4, "--replay", file, self.program, "sums").stdout == told, kind)

    def found(self, kinds):
        """Receives in MPI_Sendrecv and probes of all sorts follow a file as well; some ways have their receives numbered, others their
        probes or looks. What a look in vain has not found it does not find again."""
        file = self.folder / "found.choices"
        for order in ((3, 1, 2), (2, 3, 1)):
            lines = [f"posted 0 {i} takes {rank} posting {i}" for i, rank in enumerate(3 * order, 1)]
            lines += [f"probe 0 {i} takes {rank}" for i, rank in enumerate(2 * order, 1)]
            lines += ["look 0 1 takes -1", *(f"look 0 {i} takes {rank}" for i, rank in enumerate(2 * order, 3)), "look 0 9 takes -1"]
            file.write_text("\n".join(lines) + "\n")
            text = "".join(map(str, order))
            for kind in kinds:
                done = run(self.launcher, "-q", "-n", 4, *kind, "--replay", file, self.program_found)
                expect(done.stdout == 7 * f"{text} " + "not seen\n" and not done.stderr, f"{order}, {kind}: {done}")
        for kind in ("process", "thread"):
            told = run(self.launcher, "-q", "-n", 4, "--ranks", kind, "--record", file, self.program_found).stdout
            for again in kinds:
                done = run(self.launcher, "-q", "-n", 4, *again, "--replay", file, self.program_found)
                expect(done.stdout == told and not done.stderr, f"{kind}, {again}: {told}{done}\n{file.read_text()}")

    def programs(self):
        """A job of two programs, whose ranks are fibers of one process all the same, and jobs that start others."""
        other = self.folder / "other"
        shutil.copy(self.program, other)
        file = self.folder / "programs.choices"
        job = ("-n", 1, self.program, "first_two", ":", "-n", 2, other, "first_two")
        told = self.explore("--explore", "--explore-file", file, *job, status=1)
        expect(re.search(MISTAKES["first_two"][2], told), told)
        again = re.search(r"To run exactly this again: lislerun (.*)", told)[1].split()
        expect(again == ["--replay", str(file), *map(str, job)], told)
        run(self.launcher, "-q", *again, status=ABORTED)
        told = self.explore("--explore", *job[:4], "right", *job[4:], "right")
        expect(told.startswith("all 2 matchings explored: none fails"), told)
        file.write_text("")
        found = self.folder / "found"
        shutil.copy(self.program_found, found)
        done = run(self.launcher, "-q", "--replay", file, "-n", 1, found, "program", ":", "-n", 2, self.program_found, "program")
        expect(done.stdout == "0 1 1\n", str(done))
        done = run(self.launcher, "-q", "--explore", "-n", 1, "-x", "A=1", found, "program", ":", "-n", 2, found, "program", status=2)
        expect("let them have one directory and one environment" in done.stderr, str(done))
        done = run(self.launcher, "-q", "--explore", "-n", 2, found, "spawn", status=1)
        expect(re.search(r"rank \d: MPI_Comm_spawn.*: jobs that start others, or meet them, are not explored", done.stderr), str(done))

    def times(self):
        """A rank that polls for a time to come does not poll for ever."""
        told = self.explore("-n", 2, "--explore", self.program_found, "time")
        expect(told.startswith("the only matching explored: none fails"), told)

    def limits(self):
        told = self.explore("-n", 4, "--explore", "--explore-runs", 10, self.program, "two_each", "right")
        expect(re.match(r"10 of about \d+ matchings explored in .* s: none fails", told), told)
        file = self.folder / "wrong.choices"
        file.write_text("receive 0 1 takes 7\n")
        done = run(self.launcher, "-n", 3, "--replay", file, self.program, "first_two", "right", status=None)
        expect(done.returncode != 0 and "this was not the run of the file" in done.stderr, str(done))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("launcher", "program", "found", "part"):
        parser.add_argument(f"--{name}", required=True)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        check = Checker(given.launcher, given.program, given.found, pathlib.Path(folder))
        all_of_it = given.part == "all"
        for name in MISTAKES if all_of_it else SOME_MISTAKES:
            check.mistake(name, 100 if all_of_it else 1)
        for name, ranks in COUNTS if all_of_it else SOME_COUNTS:
            check.count(name, ranks)
        kinds = [[], ["--ranks", "process"], ["--ranks", "thread"]] if all_of_it else [["--ranks", "process"]]
        check.records(kinds)
        check.found(kinds)
        check.programs()
        check.times()
        if all_of_it:
            for name, (ranks, *_) in MISTAKES.items():
                check.twin(name, ranks)
            check.sends()
            check.mistakes()
            check.outputs()
            check.by_chance()
            check.limits()


if __name__ == "__main__":
    main()
