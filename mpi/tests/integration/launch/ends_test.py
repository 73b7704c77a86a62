# SPDX-License-Identifier: Apache-2.0
"""Endings: exit codes, signals, time limits, and that nothing is left running whatever happens."""
import os
import pathlib
import pty
import random
import select
import signal
import time
import unittest

import launched

WAIT = "echo started; exec sleep 100"


class Ends(launched.LauncherTest):
    def test_exit_code_of_the_job(self):
        self.assertEqual(self.run_job("-q", "-n", 3, "true").returncode, 0)
        self.assertEqual(self.run_job("sh", "-c", "exit 5").returncode, 5)
        done = self.run_job("-q", "-n", 3, "sh", "-c", "test $LISLE_RANK = 1 && exit 9; sleep 100")
        self.assertEqual(done.returncode, 9)
        self.assert_quick(done.seconds, 1)

    def test_a_failed_rank_is_named(self):
        done = self.run_job("-n", 2, "sh", "-c", "test $LISLE_RANK = 1 && exit 9; sleep 100")
        self.assertRegex(done.stderr, r"^lislerun: rank 1 \(process \d+, sh\) ended with exit code 9; "
                                      r"the job is stopped\n$")

    def test_a_signal_is_named(self):
        done = self.run_job("-q", "-n", 2, "sh", "-c", "test $LISLE_RANK = 1 && kill -SEGV $$; sleep 100")
        self.assertEqual(done.returncode, 128 + signal.SIGSEGV)
        self.assertRegex(done.stderr, r"^lislerun: rank 1 \(process \d+, sh\) was ended by SIGSEGV "
                                      r"\(Segmentation fault\).*; the job is stopped\n$")
        self.assert_quick(done.seconds, 1)

    @unittest.skipIf(launched.SANITIZED, "sanitizers take more memory")
    def test_a_lack_of_memory_is_named(self):
        group = pathlib.Path("/sys/fs/cgroup/memory", f"lisle-test-{os.getpid()}")
        try:
            group.mkdir()
            (group / "memory.limit_in_bytes").write_text(str(64 << 20), encoding="ascii")
        except OSError as error:
            self.skipTest(f"no control group with a limit can be made here: {error}")
        try:
            for kind in "process", "thread", "fiber":
                done = self.run_job("-q", "-n", 2, "--ranks", kind, launched.RANK_ENDS, "memory", 1, preexec_fn=lambda: (
                    group / "cgroup.procs").write_text(str(os.getpid()), encoding="ascii"))
                self.assertEqual(done.returncode, 128 + signal.SIGKILL)
                self.assertRegex(done.stderr, r"^lislerun: ranks? .*ended by SIGKILL \(Killed\): the kernel has ended it for lack of "
                                              r"memory \(memory.limit_in_bytes of the control group: 64 MiB\).*\n$")
        finally:
            self.wait_until(lambda: not (group / "cgroup.procs").read_text(encoding="ascii"), 2, "the group is not empty")
            group.rmdir()

    def test_ranks_that_ignore_the_request_to_end(self):
        program = "test $LISLE_RANK = 0 && { sleep 0.2; exit 4; }; trap '' TERM INT HUP; while :; do sleep 1; done"
        done = self.run_job("-q", "-n", 3, "sh", "-c", program)
        self.assertEqual(done.returncode, 4)
        self.assert_quick(done.seconds, 1.5)

    def test_stopped_ranks_end_too(self):
        done = self.run_job("-q", "-n", 2, "sh", "-c", "test $LISLE_RANK = 0 && { sleep 0.2; exit 4; }; kill -STOP $$")
        self.assertEqual(done.returncode, 4)
        self.assert_quick(done.seconds, 1.5)

    def test_timeout(self):
        done = self.run_job("-q", "-n", 2, "--timeout", 0.3, "sleep", 100)
        self.assertEqual(done.returncode, 124)
        self.assertIn("0.3 s", done.stderr)
        self.assert_quick(done.seconds, 1.3)
        self.assertEqual(self.run_job("sleep", 100, env={"MPIEXEC_TIMEOUT": "1"}).returncode, 124)
        self.assertEqual(self.run_job("--timeout", 20, "true").returncode, 0)

    def test_what_ranks_leave_behind_is_ended(self):
        # The second one has a session of its own and lost its parent.
        done = self.run_job("-q", "-n", 2, "sh", "-c",
                            "sleep 100 >/dev/null 2>&1 & (setsid sleep 100 >/dev/null 2>&1 &) ; exit 0")
        self.assertEqual(done.returncode, 0)
        self.assert_quick(done.seconds, 2)

    def end_by(self, *signals, program=WAIT):
        job = self.start_job("-q", "-n", 3, "sh", "-c", program)
        self.wait_for_ranks(job, 3)
        begin = time.monotonic()
        for number in signals:
            job.send_signal(number)
            time.sleep(0.3)
        code, _, _ = self.finish(job)
        return code, time.monotonic() - begin

    def test_signals_to_the_launcher_end_the_job(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            code, seconds = self.end_by(number)
            self.assertEqual(code, 128 + number)
            self.assert_quick(seconds, 1)

    def test_ranks_may_save_their_work(self):
        job = self.start_job("-q", "-n", 2, "sh", "-c",
                             "trap 'sleep 0.3; echo saved; exit 0' INT; echo started; while :; do sleep 0.1; done")
        self.wait_for_ranks(job, 2)
        job.send_signal(signal.SIGINT)
        code, out, _ = self.finish(job)
        self.assertEqual((code, out), (130, "saved\n" * 2))

    def test_a_second_signal_kills_at_once(self):
        stubborn = "trap '' INT TERM; echo started; while :; do sleep 1; done"
        code, seconds = self.end_by(signal.SIGINT, signal.SIGINT, program=stubborn)
        self.assertEqual(code, 130)
        self.assert_quick(seconds, 1)
        code, seconds = self.end_by(signal.SIGINT, program=stubborn)
        self.assertEqual(code, 130)
        self.assert_quick(seconds, 3.5)

    def test_control_c_at_a_terminal(self):
        pid, terminal = pty.fork()
        if pid == 0:
            program = "trap 'echo got it; exit 0' INT; echo started; while :; do sleep 0.1; done"
            os.execve(launched.LAUNCHER, ["lislerun", "-q", "-n", "2", "sh", "-c", program], self.environment())
        text = ""
        sent = False
        end = time.monotonic() + launched.LIMIT
        while time.monotonic() < end:
            if select.select([terminal], [], [], 0.1)[0]:
                try:
                    text += os.read(terminal, 1000).decode()
                except OSError:
                    break
            if text.count("started") == 2 and not sent:
                sent = True
                os.write(terminal, b"\x03")
        os.close(terminal)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 130)
        self.assertEqual(text.count("got it"), 2, text)  # once for each rank, not twice

    def test_the_terminal_is_the_input_of_rank_0(self):
        pid, terminal = pty.fork()
        if pid == 0:
            os.execve(launched.LAUNCHER, ["lislerun", "-q", "-n", "2", "sh", "-c",
                                          "read line; echo $LISLE_RANK:$line:"], self.environment())
        os.write(terminal, b"typed\n")
        text = ""
        while True:
            try:
                text += os.read(terminal, 1000).decode()
            except OSError:
                break
        os.close(terminal)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 0)
        self.assertIn("0:typed:", text)
        self.assertIn("1::", text)

    def test_user_signals_reach_the_ranks(self):
        job = self.start_job("-q", "-n", 2, "sh", "-c",
                             "trap 'echo got USR1; exit 0' USR1; echo started; while :; do sleep 0.05; done")
        self.wait_for_ranks(job, 2)
        # Only now are the traps set and the loops' children plain sleeps, which the signal ends.
        job.send_signal(signal.SIGUSR1)
        code, out, _ = self.finish(job)
        self.assertEqual((code, out), (0, "got USR1\n" * 2))

    def test_stop_and_continue(self):
        job = self.start_job("-q", "-n", 2, "sh", "-c", WAIT)
        self.wait_for_ranks(job, 2)

        def states():
            found = []
            for pid in launched.marked(self.mark):
                with open(f"/proc/{pid}/stat", encoding="ascii") as stat:
                    fields = stat.read().rpartition(")")
                if "sleep" in fields[0]:
                    found.append(fields[2].split()[0])
            return found

        self.wait_until(lambda: states() == ["S", "S"], 10, "the ranks do not begin")
        job.send_signal(signal.SIGTSTP)
        self.wait_until(lambda: states() == ["T", "T"], 10, "the ranks do not stop")
        job.send_signal(signal.SIGCONT)
        self.wait_until(lambda: states() == ["S", "S"], 10, "the ranks do not go on")
        job.send_signal(signal.SIGTERM)
        self.assertEqual(self.finish(job)[0], 143)

    def test_signals_ignored_from_the_start_stay_ignored(self):
        job = self.start_job("-q", "-n", 2, "sh", "-c", "echo started; sleep 0.6",
                             preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        self.wait_for_ranks(job, 2)
        job.send_signal(signal.SIGHUP)
        self.assertEqual(self.finish(job)[0], 0)

    def test_killing_the_launcher_kills_the_job(self):
        # Including a child of a rank, and one that is a session leader.
        job = self.start_job("-q", "-n", 2, "sh", "-c", "sleep 100 & setsid sleep 100 & echo started; wait")
        self.wait_for_ranks(job, 2)
        self.wait_until(lambda: len(launched.marked(self.mark)) == 8, 2, "the ranks' children do not start")
        job.kill()
        self.wait_until(lambda: not launched.marked(self.mark), 1, "processes survive the launcher")
        job.communicate()

    def test_killing_the_keeper_kills_the_job(self):
        job = self.start_job("-q", "-n", 2, "sh", "-c", "sleep 100 & setsid sleep 100 & echo started; wait")
        self.wait_for_ranks(job, 2)
        with open(f"/proc/{job.pid}/task/{job.pid}/children", encoding="ascii") as children:
            keeper = int(children.read())
        os.kill(keeper, signal.SIGKILL)
        code, _, err = self.finish(job)
        self.assertEqual(code, 137)
        self.assertIn("SIGKILL", err)

    def test_killing_the_launcher_at_any_moment(self):
        chance = random.Random(1)
        for _ in range(30):
            job = self.start_job("-q", "-n", 6, "sh", "-c", "sleep 100 & wait")
            time.sleep(chance.uniform(0, 0.02))
            job.kill()
            job.communicate()
            self.wait_until(lambda: not launched.marked(self.mark), 2, "processes survive the launcher")

    def test_interrupting_the_launcher_at_any_moment(self):
        chance = random.Random(2)
        for _ in range(30):
            job = self.start_job("-q", "-n", 6, "sh", "-c", "sleep 100 & wait")
            time.sleep(chance.uniform(0.002, 0.03))
            job.send_signal(signal.SIGINT)
            code, _, _ = self.finish(job)
            self.assertIn(code, (130, -signal.SIGINT))  # the latter before it has begun

    def test_killing_both_kills_the_ranks(self):
        job = self.start_job("-q", "-n", 4, "sh", "-c", WAIT)
        self.wait_for_ranks(job, 4)
        with open(f"/proc/{job.pid}/task/{job.pid}/children", encoding="ascii") as children:
            keeper = int(children.read())
        os.kill(job.pid, signal.SIGSTOP)  # so that it cannot act in between
        os.kill(keeper, signal.SIGKILL)
        os.kill(job.pid, signal.SIGKILL)
        self.wait_until(lambda: not launched.marked(self.mark), 1, "ranks survive")
        job.communicate()


if __name__ == "__main__":
    launched.main()
