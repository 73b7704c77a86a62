# SPDX-License-Identifier: Apache-2.0
"""LISLE_LOG shows each packet of a known exchange, at its sender and at its receiver, and nothing that was not asked for."""
import os
import re
import tempfile

import launched

KINDS = "process", "thread", "fiber"
EXCHANGE = os.environ["LISLE_TEST_EXCHANGE"]
LINE = re.compile(r"^\d+\.\d{6} \[(?P<rank>\d+)\] (?P<area>[a-z]+): (?P<text>.*)$")


class Log(launched.LauncherTest):
    def lines(self, kind, log, *arguments, **variables):
        done = self.run_job("-q", "-n", 2, "--ranks", kind, EXCHANGE, *arguments, env={"LISLE_LOG": log, **variables})
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        return self.parsed(done.stderr)

    def parsed(self, text):
        found = [LINE.match(line) for line in text.splitlines()]
        self.assertNotIn(None, found, text)
        return [(int(each["rank"]), each["area"], each["text"]) for each in found]

    def assert_has(self, lines, rank, area, pattern):
        self.assertTrue([text for where, which, text in lines if (where, which) == (rank, area) and re.search(pattern, text)],
                        f"rank {rank}, {area}: {pattern}\n" + "\n".join(map(str, lines)))

    def test_packets_of_an_exchange(self):
        for kind in KINDS:
            with self.subTest(kind=kind):
                lines = self.lines(kind, "packets:eager,rendezvous")
                self.assertEqual({area for _, area, _ in lines}, {"eager", "rendezvous"})
                for rank, direction in ((0, "to 1"), (1, "from 0")):
                    self.assert_has(lines, rank, "eager", rf"^eager {direction}, number 1, tag 7, source 0, 8 bytes, .*, local$")
                    self.assert_has(lines, rank, "rendezvous", rf"^announcement {direction}, number 2, tag 8, source 0, .* of a message "
                                                               "of 300000, ")

    def test_what_is_sent_arrives(self):
        for kind in KINDS:
            for nodes in "1", "2":
                if kind != "process" and nodes == "2":
                    continue # one process is on one node
                with self.subTest(kind=kind, nodes=nodes):
                    lines = self.lines(kind, "packets", LISLE_NODES=nodes)
                    packets = [(rank, re.match(r"^(\w+) (to|from) (\d+), number (\d+), (.*)$", text)) for rank, _, text in lines]
                    packets = [(rank, found.groups()) for rank, found in packets if found]
                    sent = {(kind, rank, int(peer), number, what) for rank, (kind, way, peer, number, what) in packets if way == "to"}
                    arrived = {(kind, int(peer), rank, number, what) for rank, (kind, way, peer, number, what) in packets if way == "from"}
                    self.assertEqual(sent, arrived)
                    self.assertGreaterEqual(len(sent), 3)

    def test_matching(self):
        for kind in KINDS:
            with self.subTest(kind=kind):
                lines = self.lines(kind, "packets:matching")
                self.assertEqual({area for _, area, _ in lines}, {"matching"})
                self.assert_has(lines, 1, "matching", "^receive begins: source any, tag 8, ")
                self.assert_has(lines, 1, "matching", "source 0, tag 7, .*(unexpected|takes it)")
                self.assert_has(lines, 1, "matching", "the receive of source any, tag 8, .* takes it|receive of source any, tag 8, .* takes the stored")

    def test_matching_and_checks(self):
        for kind in KINDS:
            for level in "1", "2":
                with self.subTest(kind=kind, level=level):
                    self.assert_has(self.lines(kind, "packets:matching", LISLE_CHECK=level), 1, "matching", "^receive begins: ")

    def test_events(self):
        for kind in KINDS:
            with self.subTest(kind=kind), tempfile.TemporaryDirectory() as folder:
                name = os.path.join(folder, "written")
                lines = self.lines(kind, "events", name)
                self.assertFalse([text for _, area, text in lines if area in ("eager", "rendezvous", "matching")])
                for rank in range(2):
                    self.assert_has(lines, rank, "launch", "^MPI begins$")
                    self.assert_has(lines, rank, "launch", "^MPI has ended$")
                    self.assert_has(lines, rank, "collective", "^bcast of 16 bytes among 2 ranks: ")
                    self.assert_has(lines, rank, "file", f"^{re.escape(name)}: opened")
                    self.assert_has(lines, rank, "file", f"^{re.escape(name)}: closed$")

    def test_a_file_for_each_rank(self):
        for kind in KINDS:
            with self.subTest(kind=kind), tempfile.TemporaryDirectory() as folder:
                self.assertEqual(self.lines(kind, f"packets:eager:{folder}/log.%r"), [])
                self.assertEqual(sorted(os.listdir(folder)), ["log.0", "log.1"])
                for rank in range(2):
                    with open(os.path.join(folder, f"log.{rank}"), encoding="utf-8") as file:
                        self.assertEqual({where for where, _, _ in self.parsed(file.read())}, {rank})

    def test_a_wrong_word_is_said(self):
        done = self.run_job("-q", "-n", 2, "--ranks", "thread", EXCHANGE, env={"LISLE_LOG": "packets:eeger"})
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"^lisle: LISLE_LOG=packets:eeger: eeger is neither a level .* nor an area .*\n$")


if __name__ == "__main__":
    launched.main()
