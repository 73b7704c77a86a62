#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs on a modelled mesh: equal cycles in all runs, the summary, the picture, and what is refused.

Usage: tile_test.py LISLERUN SUM small RECEIVE_CASE LOOKS SLOW_CLOCK FLOWS FILES
       tile_test.py LISLERUN SUM large
       tile_test.py LISLERUN SUM runs PROGRAM[,ARGUMENT]...
"""
import csv
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "mpi/tests/integration"))
from commands import LIMIT, expect, fail, preloading, run

LAUNCHER, SUM, AMOUNT, *PROGRAMS = sys.argv[1:]


def on_tiles(mesh, *options, arguments=(), status=0):
    return run(LAUNCHER, "--fabric", f"tile:{mesh}", *options, SUM, *arguments, status=status)


def number(pattern, text):
    found = re.search(pattern, text)
    if found is None:
        fail(f"no {pattern} in\n{text}")
    return float(found[1])


def cycles_of(done):
    return number(r"(\d+) cycles", done.stderr)


def same_cycles():
    for options in [[], ["--map", "compact"], ["--packets", "v2"], ["--packets", "v3"]]:
        first, second = on_tiles("4x4", *options), on_tiles("4x4", *options)
        expect("16 ranks: 0 sums are wrong" in first.stdout, first.stdout)
        expect(cycles_of(first) == cycles_of(second), f"{options}: {first.stderr}\n{second.stderr}")
        expect(first.stderr == second.stderr, f"{options}: the summaries differ")


def summary():
    with tempfile.TemporaryDirectory() as folder:
        made = pathlib.Path(folder, "made/for/it")
        done = on_tiles("4x4", "--trace", str(made), arguments=["1000000"])
        expect(len(done.stderr.splitlines()) <= 24, f"more than a screen:\n{done.stderr}")
        expect(cycles_of(done) > 1_000_000, done.stderr)
        # All compute at once, and then add up for a while.
        speed_up = number(r"speed-up (\d+\.\d+)", done.stderr)
        expect(10 < speed_up <= 16, f"speed-up {speed_up}")
        for words in ["busiest link", "Lisle packets", "picture:"]:
            expect(words in done.stderr, f"no \"{words}\" in\n{done.stderr}")
        report = json.loads((made / "report.json").read_text())
        table = list(csv.DictReader((made / "links.csv").open()))
        expect(report["cycles"] == cycles_of(done), f"{report['cycles']} cycles in the report\n{done.stderr}")
        expect(sum(int(each["words"]) for each in table) == report["words_over_links"] == number(r"(\d+) words over links", done.stderr),
               f"{table}")
        expect(sum(packets for _, packets in report["latencies"]) == report["packets"] > 0, f"{report['latencies']}")
        expect(min(cycles for cycles, _ in report["latencies"]) <= report["latency_50"] <= report["latency_most"], f"{report['latencies']}")
        expect(max(each["deepest"] for each in report["queues"]) > 0, f"{report['queues']}")
        picture = (made / "links.svg").read_text()
        expect("</svg>" in picture, picture[:200])
        refused = on_tiles("2x2", "--trace", str(made / "links.svg/deeper"))
        expect("cannot write" in refused.stderr and "Not a directory" in refused.stderr, refused.stderr)


def watched():
    """A run that is recorded takes the same cycles, and what is recorded is in the machine's time."""
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder, "run.json")
        done, alone = on_tiles("4x4", "--trace", str(trace), arguments=["100000"]), on_tiles("4x4", arguments=["100000"])
        expect(cycles_of(done) == cycles_of(alone), f"{done.stderr}\n{alone.stderr}")
        calls = [each for each in json.loads(trace.read_text())["traceEvents"] if each["ph"] == "X"]
        last = max(each["ts"] + each["dur"] for each in calls) / 1e6
        seconds = number(r"cycles, (\d+\.\d+) s", done.stderr)
        expect(0.99 * seconds <= last <= 1.01 * seconds, f"the last call ends at {last} s of {seconds}")


def computing():
    """The host's time instead of the program's word."""
    declared = cycles_of(on_tiles("2x2", arguments=["5000000"]))
    host = cycles_of(on_tiles("2x2", "--compute", "host:1000"))
    expect(declared > 5_000_000, f"{declared} cycles")
    expect(host > cycles_of(on_tiles("2x2")), f"{host} cycles with the host's time")
    counted = on_tiles("2x2", "--compute", "instructions", status=None)
    if "no counter of instructions" not in counted.stderr:
        expect(counted.returncode == 0 and cycles_of(counted) > cycles_of(on_tiles("2x2")), counted.stderr)


def looks_that_compute():
    """Where the library's own looks take as long as a program's work, and where a program computes between its looks."""
    slow = preloading(PROGRAMS[2])
    on_slow = run(LAUNCHER, "--fabric", "tile:2x2", "--compute", "host:1000", SUM, env=slow)
    expect("4 ranks: 0 sums are wrong" in on_slow.stdout, on_slow.stdout)
    for environment in [os.environ, slow]:
        done = run(LAUNCHER, "--fabric", "tile:2x2", "--compute", "host:1000", PROGRAMS[1], env=environment)
        expect("80 of 80 steps" in done.stdout, done.stdout)


def parameter_file(folder, lines):
    made = pathlib.Path(folder, "machine")
    made.write_text(lines)
    return str(made)


def networks():
    """A program on networks of other kinds, and sizes that a file and the command line may not state differently."""
    with tempfile.TemporaryDirectory() as folder:
        for lines, described in [("topology = torus\nrouting = adaptive\nbroken_link = 0 1\n", "around 1 broken"),
                                 ("topology = dragonfly\nrouting = valiant\nwidth = 4\n", "dragonfly, Valiant routing"),
                                 ("contention = off\n", "no contention"),
                                 ("network = 1 topology torus\npackets = large 1\n", "2 networks: mesh, ")]:
            first, second = (on_tiles("4x4", "--mesh", parameter_file(folder, lines)) for _ in range(2))
            expect("16 ranks: 0 sums are wrong" in first.stdout, first.stdout)
            expect(described in first.stderr and first.stderr == second.stderr, f"{first.stderr}{second.stderr}")
        for lines, sentence in [("width = 8\n", "says width = 8, and tile:4x4 says 4"),
                                ("broken_router = 3\n", "rank 3 is on tile 3, whose router 3 is broken"),
                                ("topology = fat_tree\ntree_arity = 3\n", "has a power of it")]:
            done = on_tiles("4x4", "--mesh", parameter_file(folder, lines), status=None)
            expect(done.returncode != 0 and sentence in done.stderr, done.stderr)


def several_networks():
    """Packets go by the network that carries their class, and a second network makes exchanges shorter, not wrong."""
    with tempfile.TemporaryDirectory() as folder:
        lines = "virtual_channels = 2\nsmall_bytes = 16\nnetwork = 1 link_width 2\npackets = "
        words = {}
        for carried in ["large 0", "large 1", "large all"]:
            made = pathlib.Path(folder, carried.replace(" ", "-"))
            done = on_tiles("4x4", "--mesh", parameter_file(folder, lines + carried + "\n"), "--trace", str(made))
            expect("16 ranks: 0 sums are wrong" in done.stdout, done.stdout)
            table = list(csv.DictReader((made / "links.csv").open()))
            words[carried] = [sum(int(each["words"]) for each in table if each["network"] == which) for which in "01"]
        expect(words["large 0"][1] == 0 < words["large 1"][1], f"{words}")
        expect(0 < words["large 1"][0] < words["large 0"][0], f"{words}")
        expect(len({sum(each) for each in words.values()}) == 1, f"{words}")
        expect(words["large 1"][0] < words["large all"][0] < words["large 0"][0], f"{words}")
        refused = on_tiles("4x4", "--mesh", parameter_file(folder, lines + "large 2\n"), status=None)
        expect(refused.returncode != 0 and "the machine has networks 0 to 1" in refused.stderr, refused.stderr)


def files():
    """An access to a file takes what the machine says, and those of several ranks come one after the other."""
    lines = "grain = flow\nclock_mhz = 1000\nfile_cycles = 5000\nfile_bytes = 2\n"
    with tempfile.TemporaryDirectory() as folder:
        machine = parameter_file(folder, lines)

        def took(ranks, megabytes):
            done = run(LAUNCHER, "--fabric", "tile:4x1", "-n", str(ranks), "--mesh", machine, PROGRAMS[4], str(pathlib.Path(folder, "data")),
                       str(megabytes))
            return number(r"written in (\d+) ns", done.stdout), number(r"read in (\d+) ns", done.stdout), done.stderr

        half, reading_half, _ = took(1, 1)
        whole, reading, said = took(1, 2)
        expect(whole - half == reading - reading_half == 500_000, f"{half} {whole} {reading_half} {reading}")
        expect(505_000 <= half < 506_000, f"{half} ns for 1 MB")
        expect("2 accesses to files, 4000000 bytes" in said, said)
        expect(4 * 500_000 < took(4, 1)[0] < 5 * 500_000, "four ranks write at the same time")


def memory():
    """A pass over data takes what of it is not in the cache, and channels serve one rank after the other."""
    lines = "cache_bytes = 32768\ncache_line = 64\ncache_ways = 4\ndram_cycles = 100\ndram_line_cycles = 20\ndram_channels = "
    with tempfile.TemporaryDirectory() as folder:

        def took(kilobytes, ranks=1, channels=1, more=""):
            machine = parameter_file(folder, f"{more}clock_mhz = 1000\n{lines}{channels}\n")
            done = run(LAUNCHER, "--fabric", "tile:4x1", "-n", str(ranks), "--mesh", machine, PROGRAMS[5], str(kilobytes))
            return [number(rf"{which} pass (\d+) ns", done.stdout) for which in ["first", "second", "writing"]] + [done.stderr]

        for grain in ["", "grain = flow\n"]:
            first, second, writing, said = took(16, more=grain)
            computed = 2 * 16 * 1024 // 8
            expect(first - second == 256 * 100, f"{first} and {second} ns: 256 lines of 100 cycles")
            expect(computed <= second == writing < computed + 200, f"{second} and {writing} ns for {computed} cycles")
            expect("tiles: memory: 768 lines used, 33.3% of them fetched, 0 written back" in said, said)
            # Twice the cache, in order: each line has gone when it comes again, and changed ones are written back.
            first, second, writing, said = took(64, more=grain)
            expect(first == second == writing, f"{first}, {second} and {writing} ns")
            expect("3072 lines used, 100.0% of them fetched, 512 written back" in said, said)
        # Of four ranks at one channel that wait 100 cycles for a line none waits longer: it moves four in 80. They do
        # where each has four lines under way.
        alone, beside = took(16)[0], took(64, 4)[0]
        expect(alone <= beside < alone + 1000, f"{alone} ns alone, {beside} ns with three others")
        shared = took(512, 4, 1, "dram_misses = 4\n")[1]
        moved = 4 * 2048 * 20  # they do not begin in the same cycle
        expect(0.99 * moved < shared - 2 * 16384 < 1.01 * moved, f"{shared} ns for 4 x 2048 lines at one channel")
        refused = on_tiles("4x4", "--mesh", parameter_file(folder, "cache_bytes = 100\n"), status=None)
        expect(refused.returncode != 0 and "cache_bytes = 100 is not a multiple" in refused.stderr, refused.stderr)


def energy():
    """What is spent, counted by hand from what the summary says besides."""
    with tempfile.TemporaryDirectory() as folder:
        for grain in ["cycle", "flow"]:
            machine = parameter_file(folder, f"grain = {grain}\nhop_picojoules = 7\nwork_picojoules = 30\nidle_picojoules = 2\n")
            made = pathlib.Path(folder, grain)
            said = on_tiles("4x4", "--mesh", machine, "--trace", str(made), arguments=["100000"]).stderr
            links, cores = number(r"links (\S+) J", said), number(r"cores (\S+) J", said)
            words = sum(int(each["words"]) for each in csv.DictReader((made / "links.csv").open()))
            expect(abs(links - 7e-12 * words) <= 1e-5 * links, f"{words} words\n{said}")
            idle, cycles = number(r"waiting (\S+)%", said) / 100, 16 * number(r"(\d+) cycles", said)
            expect(abs(cores - 1e-12 * cycles * (30 * (1 - idle) + 2 * idle)) < 0.01 * cores, said)
            expect(abs(number(r"energy (\S+) J", said) - links - cores) <= 1e-5 * cores, said)


def flows():
    """MPI programs as flows: LogGP's closed forms to the nanosecond, eager and not, and the same program as on tiles."""
    lines = "grain = flow\nclock_mhz = 1000\nsend_cycles = 110\nreceive_cycles = 90\nwire_cycles = 700\n"
    switch = lines + "topology = fat_tree\nwidth = 8\nheight = 1\ntree_arity = 8\n"
    with tempfile.TemporaryDirectory() as folder:
        machine = parameter_file(folder, switch)

        def took(pattern, rounds, size):
            done = run(LAUNCHER, "--fabric", "tile:8x1", "--mesh", machine, PROGRAMS[3], pattern, str(rounds), str(size))
            return number(r"(\d+) ns", done.stdout)

        def message(size):
            return 110 + size / 4 + 700 + 90

        for pattern, round_of in [("ping-pong", lambda size: 2 * message(size)), ("ring", lambda size: 8 * message(size)),
                                  ("binomial", lambda size: 3 * message(size) + message(0)),
                                  ("doubling", lambda size: 3 * message(size))]:
            for size in [0, 4000]:
                each = (took(pattern, 12, size) - took(pattern, 2, size)) / 10
                expect(each == round_of(size), f"{pattern} of {size} bytes: {each} ns a round, not {round_of(size)}")
        eager, announced = ((took("ping-pong", 12, size) - took("ping-pong", 2, size)) / 20 for size in [8192, 8196])
        # Two more messages go before the data of one that is announced.
        expect(eager == message(8192) and announced >= message(8196) + 2 * message(0), f"{eager}, {announced}")

        several = parameter_file(folder, lines + "host_ranks = 4\ntopology = torus\n")
        on_hosts = run(LAUNCHER, "--fabric", "tile:2x2", "-n", "16", "--mesh", several, SUM)
        expect("16 ranks: 0 sums are wrong" in on_hosts.stdout and "flows over a torus" in on_hosts.stderr, on_hosts.stderr)
        refused = on_tiles("2x2", "-n", "17", "--mesh", several, status=None)
        expect(refused.returncode != 0 and "have places for 16" in refused.stderr, refused.stderr)


def comparison():
    """The same program on a mesh and on it without contention, and latency over load in files."""
    tiles = str(pathlib.Path(LAUNCHER).parent / "lisle-tiles")
    with tempfile.TemporaryDirectory() as folder:
        first = parameter_file(folder, "width = 4\n")
        second = str(pathlib.Path(folder, "free"))
        pathlib.Path(second).write_text("contention = off\n")
        done = run(tiles, "compare", first, second, SUM)
        cycles = re.search(r"^cycles +(\d+) +(\d+)", done.stdout, re.MULTILINE)
        expect(cycles is not None and int(cycles[1]) > int(cycles[2]), done.stdout)
        curve = pathlib.Path(folder, "curve")
        run(tiles, "traffic", "--pattern", "neighbour", "--rate", "0.2", "--out", str(curve))
        points = json.loads((curve / "curve.json").read_text())
        rows = list(csv.DictReader((curve / "curve.csv").open()))
        expect(len(points) == len(rows) == 1 and abs(points[0]["offered"] - 0.2) < 0.02, f"{points}")
        expect(json.loads((curve / "report.json").read_text())["latency_mean"] > 0, "no latency")
    refused = run(tiles, "broadcast", "--set", "width=4", "--set", "width=4", status=None)
    expect(refused.returncode != 0 and "width stands twice" in refused.stderr, refused.stderr)


def refusals():
    for options, sentence in [(["--packets", "v4"], "lisle, v1, v2, v3 and own"),
                              (["--compute", "guessed"], "declared, host, instructions"),
                              (["--compute", "host:0"], "declared, host, instructions"),
                              (["--map", "/no/such/file"], "cannot be read"),
                              (["-n", "17"], "do not fit")]:
        done = on_tiles("4x4", *options, status=None)
        expect(done.returncode != 0 and sentence in done.stderr, f"{options}: {done.stderr}")
    checked = run(LAUNCHER, "--fabric", "tile:2x1", "--packets", "v3", PROGRAMS[0], "1", status=None,
                  env={**os.environ, "LISLE_CHECK": "1"})
    expect(checked.returncode != 0 and "no word for the type of a message" in checked.stderr, checked.stderr)


def copies():
    """What rMPI's third version copies of a message that has arrived, has not, or has partly."""
    def counted(case):
        done = run(LAUNCHER, "--fabric", "tile:2x1", "--packets", "v3", PROGRAMS[0], str(case))
        expect(case == 0 or f"case {case}: 0 words are wrong" in done.stdout, done.stdout)
        return number(r"(\d+) messages with data were copied", done.stderr), number(r"(\d+) written in place", done.stderr)
    copied, in_place = counted(0)
    for case, expected in [(1, (1, 0)), (2, (0, 1)), (3, (1, 0))]:
        more = counted(case)
        expect((more[0] - copied, more[1] - in_place) == expected, f"case {case}: {more}, without {copied, in_place}")


def summary_of(program):
    """What the run on four tiles ends with: all that is counted in cycles."""
    command = [LAUNCHER, "--fabric", "tile:4x4", "-n", "4", *program.split(",")]
    done = subprocess.run(command, text=True, capture_output=True, check=False, timeout=3 * LIMIT,
                          env={**os.environ, "CHECK_LEVEL": "funneled"})
    expect(done.returncode == 0, f"{command}: {done.stdout}{done.stderr}")
    return [line for line in done.stderr.splitlines() if line.startswith("tiles:")]


def equal_runs():
    """Each program twice: alone, and beside the others and processes that keep all cores busy."""
    alone = [summary_of(program) for program in PROGRAMS]
    load = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count() or 1)]
    try:
        with ThreadPoolExecutor(len(PROGRAMS)) as pool:
            busy = list(pool.map(summary_of, PROGRAMS))
    finally:
        for each in load:
            each.kill()
            each.wait()
    for program, first, again in zip(PROGRAMS, alone, busy):
        expect(first == again, f"{program}:\n{first}\n{again}")


def large():
    command = [LAUNCHER, "--fabric", "tile:64x64", SUM]
    runs = [subprocess.run(command, text=True, capture_output=True, check=False) for _ in range(2)]
    for done in runs:
        expect(done.returncode == 0 and "4096 ranks: 0 sums are wrong" in done.stdout, done.stdout + done.stderr)
    expect(runs[0].stderr == runs[1].stderr, f"{runs[0].stderr}\n{runs[1].stderr}")


if AMOUNT == "large":
    large()
elif AMOUNT != "small":
    equal_runs()
else:
    copies()
    same_cycles()
    summary()
    watched()
    computing()
    looks_that_compute()
    networks()
    several_networks()
    flows()
    files()
    memory()
    energy()
    comparison()
    refusals()
