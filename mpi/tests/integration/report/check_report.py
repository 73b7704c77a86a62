#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""lislerun --report and --stats: what the page says of waits that were planted, of jobs that die, of many ranks, and how it
looks in a browser, if Chromium is there."""
import argparse
import base64
import html.parser
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from commands import LIMIT, expect, run  # noqa: E402

STATES_AT = 8  # in the row of a rank, see page.cpp
LATE_AT = 16
UNEXPECTED_AT = 19
SKIPPED = 77
OVER_LOOPBACK = dict(os.environ, LISLE_NETWORK_INTERFACE="lo")


def data_of(page):
    return json.loads(re.search(r"^const run = (.*);$", page.read_text(encoding="utf-8"), re.MULTILINE).group(1))


def told(page):
    found = data_of(page)
    return {name: sum(rank[STATES_AT + at] for rank in found["ranks"]) / 1e9 for at, name in enumerate(found["states"])}


def shape_of(kind, program, folder):
    """The words of a job of three ranks: of a kind, of two programs, or on two hosts, of which one has another clock."""
    if kind == "programs":
        other = folder / "other"
        other.symlink_to(program)
        return ("-n", 1, program, ":", "-n", 2, other)
    if kind != "hosts":
        return ("-n", 3, "--ranks", kind, program)
    of_another_time = "unshare --time --monotonic 5000 --fork --kill-child"
    can_shift = subprocess.run(f"{of_another_time} true", shell=True, capture_output=True, check=False).returncode == 0
    agent = folder / "agent"
    agent.write_text(f"#!/bin/sh\nhost=$1\nshift\n[ $host = two ] && exec {of_another_time if can_shift else ''} sh -c \"$*\"\nexec sh -c \"$*\"\n")
    agent.chmod(0o755)
    return ("--launch-agent", agent, "--hosts", "one:2,two:1", program)


def waits(launcher, program, folder, kind):
    """Within 2% of what the program has found out itself. A rank may be stopped between its note and its call, so each state
    has to be right in one of several runs: what is computed wrongly is so in all of them."""
    page = folder / "page.html"
    wrong = None  # in all runs so far
    shape = shape_of(kind, program, folder)
    for _ in range(8):
        done = run(launcher, "-q", "--report", page, *shape, env=OVER_LOOPBACK)
        planted = {name: float(time) for name, time in (line.split(": ") for line in done.stdout.splitlines())}
        found = told(page)
        wrong_here = {name for name, time in planted.items() if abs(found[name] - time) > .02 * time}
        wrong = wrong_here if wrong is None else wrong & wrong_here
        if not wrong:
            break
    expect(not wrong, f"{wrong}: planted {planted}, told {found}")
    expect(all(time > 0.05 for time in planted.values()), f"nothing was planted: {planted}")
    pop = dict(zip(("parallel", "balance", "communication", "serialisation", "transfer"), data_of(page)["pop"], strict=True))
    expect(abs(pop["parallel"] - pop["balance"] * pop["communication"]) < 1e-4, str(pop))
    expect(abs(pop["communication"] - pop["serialisation"] * pop["transfer"]) < 1e-4, str(pop))
    expect(sorted((rank, level) for rank, _, level in data_of(page)["phases"]) == [(0, 2), (1, 2), (2, 2)], "marks of MPI_Pcontrol")
    expect_memory(data_of(page), all_grow=kind in ("thread", "fiber"))
    calls = {(name, place) for name, place, *_ in data_of(page)["calls"]}
    expect(any(name == "MPI_Scan" and re.fullmatch(r"planted\.c:\d+", place) for name, place in calls), str(calls))
    path = data_of(page)["path"]
    covered = sum(end - begin for begin, end in zip(path[1::3], path[2::3], strict=True))
    expect(covered > .9 * data_of(page)["duration"], f"the critical path covers {covered} of {data_of(page)['duration']}")


    found = data_of(page)
    expect(found["programs"] == ([[0, program.name], [1, "other"]] if kind == "programs" else []), str(found["programs"]))
    told_of_clocks = "The clocks of the hosts were compared" in page.read_text(encoding="utf-8")
    expect(told_of_clocks == (kind == "hosts"), "what the page says of clocks")


def expect_memory(found, all_grow):
    """The process of rank 1 grows by 48 MiB. What rank 1 probes for is there before it is received."""
    parts = base64.b64decode(found["memory"])
    for rank in range(3):
        seen = [part / 255 * found["most_memory"] for part in parts[rank * found["bins"]:(rank + 1) * found["bins"]] if part]
        grown = max(seen) - seen[0]
        expect((grown > 40e6) == (rank == 1 or all_grow), f"rank {rank} has grown by {grown} from {seen[0]}")
    expect(found["ranks"][1][UNEXPECTED_AT] >= 2, str(found["ranks"]))


def spawned(launcher, program, folder):
    """A job that another one spawns has a page beside that one's."""
    page, trace, other = (folder / name for name in ("page.html", "run.json", "page.spawned-1.html"))
    for kind in ("process", "thread", "fiber"):
        done = run(launcher, "-q", "-n", 2, "--ranks", kind, "--stats", "--report", page, "--trace", trace, program, "spawn")
        expect("spawned a job, which has a report of its own (from page.spawned-1.html on)" in page.read_text(encoding="utf-8"),
               f"{kind}: {done.stderr}")
        found = data_of(other)
        expect(found["size"] == 2 and [rank[3] for rank in found["ranks"]] == [6, 5], f"{kind}: {found['ranks']}")
        expect(data_of(page)["ranks"][0][3] == 0 and data_of(page)["size"] == 2, f"{kind}: {data_of(page)['ranks']}")
        expect((folder / "run.spawned-1.json").exists() and done.stderr.count("the job that was spawned, ") == 1, done.stderr)
        for each in (page, other, folder / "run.spawned-1.json"):
            each.unlink()


def ends(launcher, program, folder):
    page = folder / "page.html"
    done = run(launcher, "-n", 3, "--report", page, "--stats", program, "die", status=137)
    expect("The program ended before MPI_Finalize in ranks 0, 1, 2" in done.stderr, done.stderr)
    expect("MPI_Allreduce" in done.stderr and f"the report is in {page}" in done.stderr, done.stderr)
    expect("ended before MPI_Finalize" in page.read_text(encoding="utf-8"), "the page does not say that the program died")
    done = run(launcher, "--stats", *shape_of("hosts", program, folder), "die", status=137, env=OVER_LOOPBACK)
    expect("The program ended before MPI_Finalize in ranks 0, 1, 2" in done.stderr and "The clocks of" in done.stderr, done.stderr)
    done = run(launcher, "-q", "-n", 2, "--stats", "sh", "-c", f"exec {program} many 5")
    expect("MPI_Sendrecv" in done.stderr and done.stdout == "", done.stderr)
    done = run(launcher, "-q", "-n", 2, "--stats", "true")
    expect("no rank has recorded anything" in done.stderr, done.stderr)
    run(launcher, "-q", "-n", 2, "--report", folder / "no" / "page.html", program, "many", "5", status=2)
    run(launcher, "-q", "-n", 2, "--report", page, "--abi", "openmpi", program, "many", "5", status=2)
    left = list(pathlib.Path(tempfile.gettempdir()).glob(f"lisle-report-*/rank.{0}"))
    expect(not [each for each in left if each.stat().st_size == 0], f"records are left: {left}")


def trace(launcher, program, folder):
    """Programs that differ, on two nodes: each call is a slice of its rank, each message an arrow between two of them."""
    file = folder / "run.json"
    nodes = dict(os.environ, LISLE_NODES="2", LISLE_NETWORK_INTERFACE="lo")
    run(launcher, "-q", "-n", 3, "--ranks", "process", "--trace", file, program, "many", "20", ":", "-n", 1, program, "many", "20", env=nodes)
    events = json.loads(file.read_text(encoding="utf-8"))["traceEvents"]
    names = {event["args"]["name"]: event["tid"] for event in events if event["name"] == "thread_name"}
    expect(names == {f"rank {rank}": rank for rank in range(4)}, str(names))
    slices = [event for event in events if event["ph"] == "X"]
    for rank in range(4):
        own = sorted((event["ts"], event["ts"] + event["dur"]) for event in slices if event["tid"] == rank)
        expect(all(one[1] <= two[0] + .001 for one, two in zip(own, own[1:], strict=False)), f"calls of rank {rank} overlap: {own}")
    arrows = {kind: {event["id"]: event for event in events if event["ph"] == kind} for kind in "sf"}
    expect(len(arrows["s"]) == 80 and arrows["s"].keys() == arrows["f"].keys(), f"{len(arrows['s'])} messages of 80")
    for end in (event for kind in "sf" for event in arrows[kind].values()):
        expect(any(event["tid"] == end["tid"] and event["ts"] - .001 <= end["ts"] <= event["ts"] + event["dur"] + .001
                   for event in slices), f"no call has this end of an arrow: {end}")


def paje(launcher, program, folder):
    """The same in Paje's format, read by its own definitions: events in the order of time, calls that end, messages that arrive."""
    file = folder / "run.paje"
    nodes = dict(os.environ, LISLE_NODES="2", LISLE_NETWORK_INTERFACE="lo")
    run(launcher, "-q", "-n", 4, "--ranks", "process", "--trace", file, program, "many", "20", env=nodes)
    fields, events = {}, []
    for line in file.read_text(encoding="utf-8").splitlines():
        words = shlex.split(line)
        if words[0] == "%EventDef":
            name, fields[words[2]] = words[1], (words[1], [])
        elif words[0] == "%":
            fields[next(key for key, (known, _) in fields.items() if known == name)][1].append(words[1])
        elif words[0] != "%EndEventDef":
            kind, expected = fields[words[0]]
            expect(len(words) == 1 + len(expected), f"{kind} has not the fields {expected}: {line}")
            events.append((kind, dict(zip(expected, words[1:], strict=True))))
    times = [float(one["Time"]) for _, one in events if "Time" in one]
    expect(times == sorted(times), "events are not in the order of time")
    ranks = [one["Name"] for kind, one in events if kind == "PajeCreateContainer" and one["Type"] == "rank"]
    expect(ranks == [f"rank {rank}" for rank in range(4)], str(ranks))
    calls = {one["Alias"]: one["Name"] for kind, one in events if kind == "PajeDefineEntityValue"}
    depth, begun = dict.fromkeys(range(4), 0), []
    for kind, one in events:
        if kind in ("PajePushState", "PajePopState"):
            rank = int(one["Container"][1:])
            depth[rank] += 1 if kind == "PajePushState" else -1
            begun += [calls[one["Value"]]] if kind == "PajePushState" else []
            expect(depth[rank] in (0, 1), f"calls of rank {rank} are within each other")
    expect(set(depth.values()) == {0} and "MPI_Sendrecv" in begun, f"{depth} {set(begun)}")
    ends = [{one["Key"] for kind, one in events if kind == f"Paje{which}Link"} for which in ("Start", "End")]
    expect(len(ends[0]) == 80 and ends[0] == ends[1], f"{len(ends[0])} messages of 80")
    if shutil.which("pj_dump"):
        dumped = run("pj_dump", file).stdout
        expect(dumped.count("\nLink, ") == 80 and dumped.count("State, ") == len(begun), dumped[:500])


def many(launcher, program, folder):
    """Many ranks are folded; a page has a size that a browser likes."""
    page = folder / "page.html"
    run(launcher, "-q", "-n", 150, "--ranks", "fiber", "--report", page, program, "many", "100")
    found = data_of(page)
    expect((found["size"], found["rows"], found["per_row"]) == (150, 50, 3), str((found["size"], found["rows"])))
    messages = sum(rank[3] for rank in found["ranks"])
    expect(messages == 150 * 100 and sum(found["messages"]) == messages, f"{messages} messages, {sum(found['messages'])} in the matrix")
    expect(sum(found["bytes"]) == 8 * messages and found["sizes"] == [[3, messages, 8 * messages]], str(found["sizes"]))
    expect(page.stat().st_size < 3 << 20, f"the page has {page.stat().st_size} bytes")


def pieces(launcher, program, folder):
    """Records of hosts that are longer than what comes at a time."""
    page = folder / "page.html"
    agent = shape_of("hosts", program, folder)[:2]
    run(launcher, "-q", *agent, "--hosts", "one:2", "--report", page, program, "many", "9000")
    found = data_of(page)
    expect([rank[3] for rank in found["ranks"]] == [9000, 9000] and found["ranks"][0][7], f"{found['ranks']}")


def fortran(launcher, program, folder):
    page = folder / "page.html"
    for kind in ("process", "thread"):
        run(launcher, "-q", "-n", 2, "--ranks", kind, "--report", page, program)
        places = [place for name, place, *_ in data_of(page)["calls"] if name == "MPI_Allreduce"]
        expect(len(places) == 2 and all(re.fullmatch(r"lines\.f90:\d+", place) for place in places), str(places))


class Tags(html.parser.HTMLParser):
    """Counts elements within those that have an id."""

    def __init__(self):
        super().__init__()
        self.count, self.inside, self.title, self.in_title = {}, "", "", False

    def handle_starttag(self, tag, attrs):
        self.inside = dict(attrs).get("id", self.inside)
        self.count[self.inside, tag] = self.count.get((self.inside, tag), 0) + 1
        self.in_title = tag == "title" and not self.title

    def handle_data(self, data):
        if self.in_title:
            self.title, self.in_title = data, False


PROBE = """<script>document.title = JSON.stringify({wide: document.documentElement.scrollWidth, window: innerWidth,
 bars: [...document.querySelectorAll('#line rect[fill="var(--a0)"]')].map((r) => Number(r.getAttribute('width'))),
 late: [...document.querySelectorAll('#ranks tr')].slice(1).map((row) => row.children[5].textContent),
 unnamed: [...document.querySelectorAll('svg[role=img]')].filter((s) => !s.getAttribute('aria-label')).map((s) => s.id)});
document.getElementById('line').dispatchEvent(new KeyboardEvent('keydown', {key: '+'}));
document.body.dataset.closer = window_.to - window_.from < run.duration;</script>"""


def script(launcher, program, folder):
    """What the page's script makes of the record, without a browser: each column has what its head says."""
    node = shutil.which("node")
    if node is None:
        print("skipped: there is no node")
        sys.exit(SKIPPED)
    page = folder / "page.html"
    other = folder / "other"
    other.symlink_to(program)
    run(launcher, "-q", "--report", page, "-n", 1, program, ":", "-n", 2, other)
    found = data_of(page)
    seen = json.loads(subprocess.run([node, pathlib.Path(__file__).with_name("played_page.js"), page], text=True, capture_output=True,
                                     check=True, timeout=LIMIT).stdout)
    expect(len(seen["bars"]) == 3 and min(seen["bars"]) > 1000 and seen["memory"] == 3, f"pictures: {seen}")
    heads, *rows = seen["ranks"]
    rows = [dict(zip(heads, row, strict=True)) for row in rows]
    expect([row["rank"] for row in rows] == [f"0 ({program.name})", "1 (other)", "2 (other)"], str(rows))
    for row, known in zip(rows, found["ranks"], strict=True):
        for head, share in (("late", known[LATE_AT] / found["duration"]), ("waiting", sum(known[STATES_AT:LATE_AT]) / known[0])):
            expect(abs(float(row[head].rstrip("%")) - 100 * share) <= .05 * 100 * share + .1, f"{head} is {share}, not {row}")
        expect(row["unexpected messages"] == str(known[UNEXPECTED_AT]), f"{row}: {known}")


def browser(launcher, program, folder):
    chromium = shutil.which("chromium")
    if chromium is None:
        print("skipped: there is no chromium")
        sys.exit(SKIPPED)
    page = folder / "page.html"
    run(launcher, "-q", "-n", 4, "--ranks", "thread", "--report", page, program)
    page.write_text(page.read_text(encoding="utf-8").replace("</body>", PROBE + "</body>"), encoding="utf-8")
    for width in (1400, 500):  # narrower than 500 a headless window is not; the layout has no other step
        done = subprocess.run(
            [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
             f"--user-data-dir={folder}/profile", f"--window-size={width},900", "--dump-dom", f"file://{page}"],
            text=True, capture_output=True, check=True, timeout=LIMIT)
        seen = Tags()
        seen.feed(done.stdout)
        probe = json.loads(seen.title)
        expect(probe["wide"] <= probe["window"], f"the page is wider than its window: {probe}")
        expect(not probe["unnamed"], f"pictures without a name: {probe}")
        expect(len(probe["bars"]) == 4 and min(probe["bars"]) > 1000, f"ranks whose time is not shown: {probe}")
        expect(re.fullmatch(r"[\d.]{1,4}%", probe["late"][0]) and probe["late"][0] != "0%", f"rank 0 is late: {probe}")
        expect('data-closer="true"' in done.stdout, "the keyboard does not zoom")
        for at in (("line", "rect"), ("waits", "rect"), ("calls", "tr"), ("ranks", "tr"), ("pop", "b"), ("sizes", "text"), ("memory", "path")):
            expect(seen.count.get(at, 0) > 1, f"there is nothing in {at}: {seen.count}")


def main():
    parser = argparse.ArgumentParser()
    for name in ("--launcher", "--program", "--part"):
        parser.add_argument(name, required=True, type=pathlib.Path if name == "--program" else str)
    given = parser.parse_args()
    part, _, kind = given.part.partition(":")
    with tempfile.TemporaryDirectory() as made:
        arguments = (given.launcher, given.program, pathlib.Path(made))
        {"spawned": lambda: spawned(*arguments), "waits": lambda: waits(*arguments, kind), "ends": lambda: ends(*arguments), "many": lambda: many(*arguments), "pieces": lambda: pieces(*arguments),
         "trace": lambda: (trace(*arguments), paje(*arguments)), "script": lambda: script(*arguments),
         "fortran": lambda: fortran(*arguments), "browser": lambda: browser(*arguments)}[part]()


if __name__ == "__main__":
    main()
