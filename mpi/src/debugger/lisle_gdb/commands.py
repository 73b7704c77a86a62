# SPDX-License-Identifier: Apache-2.0
"""The commands `lisle ...` and the function `$rank()`."""
import os

import gdb

from . import core_files, fibers, process, processes, ranks, symbol_files


class RankFunction(gdb.Function):
    """$rank(): the number of the selected thread's rank in the job, -1 for a thread of none.

    break work if $rank() == 3"""

    def __init__(self):
        super().__init__("rank")

    def invoke(self):
        note = ranks.here()
        return note.number if note is not None else -1


class Lisle(gdb.Command):
    """Ranks of an MPI job that runs with Lisle."""

    def __init__(self):
        super().__init__("lisle", gdb.COMMAND_STACK, prefix=True)


def every_rank():
    """(inferior, note) of each rank of every process that gdb debugs, by number. Leaves another inferior selected."""
    found = []
    for inferior in gdb.inferiors():
        if inferior.pid != 0 and inferior.threads():
            _select(inferior)
            found += [(inferior, note) for note in process.ranks()]
    return sorted(found, key=lambda pair: pair[1].number)


def _select(inferior):
    if gdb.selected_inferior().num != inferior.num:
        inferior.threads()[0].switch()


class Kept:
    """What is selected, to come back to."""

    def __enter__(self):
        self.inferior, self.thread = gdb.selected_inferior(), gdb.selected_thread()

    def __exit__(self, *_):
        fibers.leave()
        _select(self.inferior)
        if self.thread is not None and self.thread.is_valid():
            self.thread.switch()


def _chosen(words):
    """The numbers in `all`, `3`, `0,2` or `4-7`; None: all."""
    if words == "all":
        return None
    numbers = set()
    for part in words.split(","):
        first, dash, last = part.partition("-")
        try:
            numbers |= set(range(int(first), int(last if dash else first) + 1))
        except ValueError as error:
            raise gdb.GdbError(f"'{words}' is no list of ranks: all, 3, 0,2 or 4-7") from error
    return numbers


def describe(inferior, note):
    """A line about a rank, which is selected meanwhile."""
    _select(inferior)
    thread = process.thread_of(note)
    where = f"thread {inferior.num}.{thread.num}" if thread is not None else "its thread has ended"
    with ranks.Selection(note) as there:
        doing = ranks.activity() if there else "has not begun or has ended"
    turn = "" if note.runs() else ", waits for its turn"
    return f"rank {note.number}: {note.kind()}, {where}{turn}: {doing}{ranks.messages_of(note)}"


class Ranks(gdb.Command):
    """Lists the ranks: kind, thread, the MPI call that each is in, messages that it has not received."""

    def __init__(self):
        super().__init__("lisle ranks", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        refresh_all()
        with Kept():
            lines = [describe(*each) for each in every_rank()]
        gdb.write("".join(line + "\n" for line in lines) or "No rank has begun.\n")


class Rank(gdb.Command):
    """lisle rank N: goes to rank N, to the innermost frame of its program. Without N: says which rank is selected."""

    def __init__(self):
        super().__init__("lisle rank", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        if not argument.strip():
            note = ranks.here()
            gdb.write(f"rank {note.number}\n" if note is not None else "The selected thread is of no rank.\n")
            return
        wanted = _chosen(argument.strip())
        refresh_all()
        found = next((each for each in every_rank() if wanted and each[1].number in wanted), None)
        if found is None:
            raise gdb.GdbError(f"There is no rank {argument}.")
        _select(found[0])
        if not ranks.go_to(found[1]):
            raise gdb.GdbError(f"Rank {argument} has no stack: it has not begun or has ended.")
        frame = ranks.programs_frame()
        if frame is not None:
            frame.select()
        gdb.execute("frame")


class Apply(gdb.Command):
    """lisle apply all|N,M|N-M COMMAND: runs a command of gdb's for each of these ranks, in the innermost frame of its
    program."""

    def __init__(self):
        super().__init__("lisle apply", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        words, _, command = argument.strip().partition(" ")
        if not command:
            raise gdb.GdbError("lisle apply all|N,M|N-M COMMAND")
        wanted = _chosen(words)
        refresh_all()
        with Kept():
            for inferior, note in every_rank():
                if wanted is None or note.number in wanted:
                    self.one(inferior, note, command)

    def one(self, inferior, note, command):
        _select(inferior)
        with ranks.Selection(note) as there:
            gdb.write(f"\nRank {note.number}:\n")
            frame = ranks.programs_frame() if there else None
            if frame is not None:
                frame.select()
            try:
                gdb.execute(command)
            except gdb.error as error:
                gdb.write(f"{error}\n", gdb.STDERR)


class Start(gdb.Command):
    """lisle start PROCESSES [PROGRAM...] -- COMMAND: starts a job of so many processes by this command, up to where the
    first rank begins `main`. The programs are those that run as threads or fibers."""

    def __init__(self):
        super().__init__("lisle start", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        words = gdb.string_to_argv(argument)
        if "--" not in words or not words[0].isdigit():
            raise gdb.GdbError("lisle start PROCESSES [PROGRAM...] -- COMMAND")
        end = words.index("--")
        symbol_files.use([os.path.realpath(each) for each in words[1:end]])
        processes.start(int(words[0]), words[end + 1 :])
        gdb.execute("set breakpoint pending on")
        gdb.execute("break main", to_string=True)
        gdb.execute("continue")


class Attach(gdb.Command):
    """lisle attach PID: attaches to the processes of the job whose launcher has this number, or to that one process."""

    def __init__(self):
        super().__init__("lisle attach", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        processes.attach(argument.strip())
        refresh_all()


class Core(gdb.Command):
    """lisle core FILE [PROGRAM]: opens a core file of ranks, with the symbols of all images."""

    def __init__(self):
        super().__init__("lisle core", gdb.COMMAND_FILES, gdb.COMPLETE_FILENAME)

    def invoke(self, argument, from_tty):
        words = gdb.string_to_argv(argument)
        if len(words) not in (1, 2):
            raise gdb.GdbError("lisle core FILE [PROGRAM]")
        core_files.load(*words)
        refresh()
        core_files.go_to_cause()


def refresh():
    """gdb reads the symbols of the images of the selected process from copies, in which names are the rank's own."""
    paths = sorted({path for _, path in process.images()})
    if paths:
        symbol_files.use(paths)


def refresh_all():
    """The same of all processes."""
    fibers.leave()
    here = gdb.selected_inferior(), gdb.selected_thread()
    for inferior in gdb.inferiors():
        if inferior.pid != 0 and inferior.threads():
            _select(inferior)
            refresh()
    _select(here[0])
    if here[1] is not None and here[1].is_valid():
        here[1].switch()


def begin():
    for command in (RankFunction, Lisle, Ranks, Rank, Apply, Start, Attach, Core):
        command()
