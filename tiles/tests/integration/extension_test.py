#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A routing, a packet codec and a collective of one's own: the examples are built with nothing but what is installed, and
run on modelled machines, where they do what they are for.

Usage: extension_test.py CMAKE BUILT_TILES LIB_DIR COMPILER LISLERUN SUM COLLECTIVES EXAMPLES DIRECTORY
"""
import os
import pathlib
import re
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "mpi/tests/integration"))
from commands import empty_directory, expect, fail, run

CMAKE, BUILT, LIB_DIR, COMPILER, LAUNCHER, SUM, COLLECTIVES, EXAMPLES = sys.argv[1:9]
WORK = empty_directory(sys.argv[9]).resolve()
PREFIX = WORK / "installed"


def flags():
    found = run("pkg-config", "--cflags", "lisle-tiles", env={**os.environ, "PKG_CONFIG_PATH": str(PREFIX / LIB_DIR / "pkgconfig")})
    return found.stdout.split()


def build(source):
    made = source.with_suffix(".so")
    run(COMPILER, "-std=c++20", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", "-MMD", "-MF", source.with_suffix(".d"),
        *flags(), source, "-o", made)
    used = source.with_suffix(".d").read_text().replace("\\\n", " ").split()
    tree = pathlib.Path(__file__).resolve().parents[3]
    strange = [name for name in used if pathlib.Path(name).is_relative_to(tree) and not pathlib.Path(name).is_relative_to(WORK)]
    expect(not strange, f"{source.name} was built with {strange}")


def build_examples():
    sources = [pathlib.Path(shutil.copy(each, WORK)) for each in sorted(pathlib.Path(EXAMPLES).glob("*.cpp"))]
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(build, sources))
    older = WORK / "older.cpp"
    older.write_text('extern "C" const long lisle_tile_extension[16]{};\n')  # number 0
    run(COMPILER, "-shared", "-fPIC", older, "-o", WORK / "older.so")


def machine(name, lines):
    made = WORK / name
    made.write_text(lines)
    return made


def number(pattern, text):
    found = re.search(pattern, text)
    if found is None:
        fail(f"no {pattern} in\n{text}")
    return float(found[1])


def on_tiles(size, file, *options, program=(SUM,), status=0, **settings):
    return run(LAUNCHER, "--fabric", f"tile:{size}", "--mesh", file, *options, *program, status=status,
               env={**os.environ, **settings})


def routing():
    """Adaptive where dimension order is not: transpose traffic is let through that saturates the other."""
    tiles = PREFIX / "bin/lisle-tiles"
    own = machine("own", "extension = west_first.so\nrouting = own\nvirtual_channels = 2\nwidth = 6\nheight = 6\n")
    fixed = machine("fixed", "virtual_channels = 2\nwidth = 6\nheight = 6\n")
    said = {file: run(tiles, "traffic", "--pattern", "transpose", "--machine", file, "--rate", "0.3").stdout for file in [own, fixed]}
    expect("west-first routing" in said[own], said[own])
    accepted = {file: number(r"transpose +\S+ +(\S+)", said[file]) for file in said}
    expect(accepted[own] > accepted[fixed], f"{said}")
    done = on_tiles("6x6", own)
    expect("36 ranks: 0 sums are wrong" in done.stdout and "west-first routing, 2 virtual channels" in done.stderr, done.stderr)


def codec():
    """A word less for each message of a few words, on each link that it crosses."""
    file = machine("short", "extension = short_headers.so\n")
    own, usual = (on_tiles("4x4", file, "--packets", packets) for packets in ["own", "lisle"])
    expect("0 sums are wrong" in own.stdout and "short packets" in own.stderr, own.stdout + own.stderr)
    for pattern in [r"(\d+) words over links", r"(\d+) cycles"]:
        expect(number(pattern, own.stderr) < number(pattern, usual.stderr), own.stderr + usual.stderr)
    expect(number(r"(\d+) packets", own.stderr) == number(r"(\d+) packets", usual.stderr), own.stderr + usual.stderr)


def collective():
    """Of all roots and lengths the right data, also on machines on which Lisle's algorithms in stages are not possible."""
    own, usual = machine("line", "extension = snake_broadcast.so\n"), machine("without", "width = 4\n")
    program = (COLLECTIVES, "425", "bcast", "4,8192")
    took = {}
    for file in [own, usual]:
        done = on_tiles("4x3", file, program=program, LISLE_COLLECTIVES="bcast=mesh")
        took[file] = dict(re.findall(r"(\w+ \d+) (\d+)", done.stdout))
    expect(len(took[own]) == len(took[usual]) == 2, f"{took}")
    expect(took[own]["bcast 8192"] != took[usual]["bcast 8192"], f"{took}")
    line, tree = (on_tiles("11x1", own, program=(COLLECTIVES, "425", "bcast", "4096"), LISLE_COLLECTIVES=f"bcast={way}").stdout
                  for way in ["mesh", "binomial"])
    expect(number(r"bcast 4096 (\d+)", line) != number(r"bcast 4096 (\d+)", tree), f"{line}{tree}")
    expect("sums are wrong" in on_tiles("4x4", own, "-n", "7").stdout, "a job of seven ranks")


def refusals():
    for lines, options, sentence in [
            ("routing = own\n", [], "the machine's file has no \"extension = FILE\""),
            ("extension = none.so\nrouting = own\n", [], "none.so cannot be loaded"),
            ("extension = short_headers.so\nrouting = own\n", [], "short_headers.so has no routing"),
            ("extension = west_first.so\n", ["--packets", "own"], "has no packet codec (--packets own)"),
            ("extension = older.so\nrouting = own\n", [], "was built with the headers of another version of Lisle"),
            ("extension = west_first.so\nrouting = own\ntopology = torus\n", [], "west-first is for a whole mesh")]:
        done = on_tiles("4x4", machine("refused", lines), *options, status=None)
        expect(done.returncode != 0 and sentence in done.stderr, f"{lines}{options}: {done.stderr}")


run(CMAKE, "--install", BUILT, "--prefix", PREFIX)
build_examples()
routing()
codec()
collective()
refusals()
