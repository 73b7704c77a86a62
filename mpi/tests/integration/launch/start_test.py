# SPDX-License-Identifier: Apache-2.0
"""Starting: which processes run, with what environment, directory, input and output."""
import os
import pty
import re
import resource
import tempfile
import time

import launched


class Start(launched.LauncherTest):
    def test_programs_that_know_nothing_of_mpi(self):
        done = self.run_job("-n", 4, "echo", "hello")
        self.assertEqual((done.returncode, done.stdout), (0, "hello\n" * 4))

    def test_one_rank_without_a_number(self):
        self.assertEqual(self.run_job("echo", "hello").stdout, "hello\n")

    def test_ranks_are_numbered(self):
        done = self.run_job("-n", 3, "sh", "-c", "echo $LISLE_RANK of $LISLE_SIZE")
        self.assertEqual(sorted(done.stdout.split("\n")), ["", "0 of 3", "1 of 3", "2 of 3"])

    def at_terminal(self, *arguments):
        """What the launcher writes on a terminal that is its error output, and its exit code."""
        pid, terminal = pty.fork()
        if pid == 0:
            os.execve(launched.LAUNCHER, ["lislerun", *map(str, arguments)], self.environment())
        text = ""
        while True:
            try:
                text += os.read(terminal, 1000).decode()
            except OSError:  # the other side is closed
                break
        os.close(terminal)
        return text, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

    def test_more_ranks_than_cores_is_one_line_of_notice(self):
        ranks = len(os.sched_getaffinity(0)) + 14
        text, code = self.at_terminal("-n", ranks, "true")
        self.assertEqual((code, text.count("\n")), (0, 1))
        self.assertIn(f"{ranks} ranks share", text)
        for option in ("-q", "--oversubscribe"):
            self.assertEqual(self.at_terminal(option, "-n", ranks, "true"), ("", 0))

    def test_the_notice_about_cores_is_for_people(self):
        # Programs that compare error outputs must not find it there.
        ranks = len(os.sched_getaffinity(0)) + 14
        self.assertEqual(self.run_job("-n", ranks, "true").stderr, "")
        self.assertIn(f"{ranks} ranks share", self.run_job("-v", "-n", ranks, "true").stderr)

    def test_several_programs(self):
        done = self.run_job("-q", "-n", 1, "sh", "-c", "echo a $LISLE_RANK", ":", "-n", 2, "-x", "V=7",
                            "sh", "-c", "echo b $V $LISLE_RANK of $LISLE_SIZE")
        self.assertEqual(sorted(done.stdout.splitlines()), ["a 0", "b 7 1 of 3", "b 7 2 of 3"])

    def test_environment_in_both_dialects(self):
        show = ("sh", "-c", "echo ${A-unset} ${B-unset}")
        for options in (["-x", "A=1", "-x", "B"], ["--env", "A=1"], ["-env", "A", "1"], ["-genv", "A", "1"],
                        ["-genv", "A=1", "-genvall"], ["-genvlist", "B", "-x", "A=1"]):
            done = self.run_job(*options, *show, env={"B": "2"})
            self.assertEqual(done.stdout, "1 2\n", options)
        done = self.run_job("-genvnone", "/bin/sh", "-c", "echo ${B-unset} $LISLE_RANK", env={"B": "2"})
        self.assertEqual(done.stdout, "unset 0\n")

    def test_working_directory(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "here")
            with open(path, "w", encoding="ascii") as script:
                script.write("pwd\n")  # without an interpreter's name: a shell's, as everywhere
            os.chmod(path, 0o755)
            for options in (["--wdir", folder], ["-wdir", folder], [f"--wd={folder}"]):
                for name in ("./here", "here", path):
                    done = self.run_job(*options, name)
                    self.assertEqual(done.stdout, os.path.realpath(folder) + "\n", done.stderr)
        done = self.run_job("--wdir", "/nonexistent", "true")
        self.assertEqual(done.returncode, 127)
        self.assertIn("/nonexistent", done.stderr)

    def test_input_goes_to_rank_0_only(self):
        done = self.run_job("-q", "-n", 3, "sh", "-c", "echo $LISLE_RANK $(wc -c)", input="x" * 300_000)
        self.assertEqual(sorted(done.stdout.splitlines()), ["0 300000", "1 0", "2 0"])
        done = self.run_job("--stdin", "none", "wc", "-c", input="some")
        self.assertEqual(done.stdout.strip(), "0")

    def test_a_reader_that_stops_ends_its_writer(self):
        # The launcher keeps no end of the pipe open: the writer notices that rank 0 reads no more.
        read, write = os.pipe()
        job = self.start_job("-q", "sh", "-c", "exec <&-; sleep 100", stdin=read)
        os.close(read)
        with self.assertRaises(BrokenPipeError):
            end = time.monotonic() + launched.LIMIT
            while time.monotonic() < end:
                os.write(write, b"x" * 100)
                time.sleep(0.02)
        os.close(write)
        job.terminate()
        self.assertEqual(self.finish(job)[0], 143)

    def test_nested_jobs(self):
        # A rank's script may start a job; neither it nor other programs take the rank's place.
        done = self.run_job("-n", 2, launched.LAUNCHER, "-n", 2, "sh", "-c",
                            "echo $LISLE_RANK $LISLE_JOB $LISLE_SIZE; ls -l /proc/self/fd | grep -c lisle-job")
        lines = [re.sub(r"table=\d+", "table=N", line) for line in done.stdout.splitlines()]
        self.assertEqual(sorted(lines), ["0 table=N;process=0 2"] * 2 + ["1"] * 4 + ["1 table=N;process=1 2"] * 2)

    def test_binding(self):
        cores = sorted(os.sched_getaffinity(0))
        show = ("python3", "-c", "import os; cores = ' '.join(map(str, sorted(os.sched_getaffinity(0))))\n"
                "os.write(1, f\"{os.environ['LISLE_RANK']} {cores}\\n\".encode())")
        done = self.run_job("-q", "-n", 3, "--bind-to", "hwthread", *show)
        expected = [f"{rank} {cores[rank % len(cores)]}" for rank in range(3)]
        self.assertEqual(sorted(done.stdout.splitlines()), expected)
        done = self.run_job("-q", "-n", 1, *show)
        self.assertEqual(done.stdout.split(), ["0", *map(str, cores)])

    def test_64_processes_start_quickly(self):
        done = self.run_job("-q", "-n", 64, "true")
        self.assertEqual(done.returncode, 0)
        self.assert_quick(done.seconds, 3)

    def test_a_job_that_the_machine_cannot_bear(self):
        # Refused before anything runs, with need and limit.
        done = self.run_job("-q", "-n", 1 << 20, "true")
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (1, "", 1), done.stderr)
        self.assertRegex(done.stderr, r"^lislerun: this job of 1048576 ranks needs (at least )?\d+ .*(left|limit)")
        self.assert_quick(done.seconds, 2)
        hard = 60
        done = self.run_job("-q", "-l", "-n", 100, "true",
                            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard)))
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"needs \d+ open files, the limit is 60 \(ulimit -Hn\)")

    def test_no_socket_is_opened(self):
        done = self.run_job("-q", "-n", 2, "sh", "-c", "ls -l /proc/$PPID/fd | grep -c socket; true")
        self.assertEqual(done.stdout.split(), ["0", "0"])

    def test_options_of_other_launchers(self):
        done = self.run_job("-np", 2, "--oversubscribe", "--allow-run-as-root", "--mca", "btl", "self,vader",
                            "--map-by", "core", "-bind-to", "none", "-host", "localhost", "echo", "x")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "x\nx\n", ""))

    def test_wrong_command_lines(self):
        for arguments, said in (
            (["-nn", 2, "true"], "did you mean"),
            (["--lable", "true"], "did you mean --label?"),
            (["-n", "zero", "true"], "not 'zero'"),
            (["-n", 0, "true"], "at least 1"),
            (["-n", 2], "which program?"),
            (["-n"], "-n needs a value"),
            (["-host", "elsewhere", "--through", "pigeons", "true"], "--through pigeons is none of ssh, srun"),
            (["-hostfile", "list", "true"], "cannot be read"),
            (["-P", 2, "-T", 4, "-n", 9, "true"], "makes 8 ranks, but -n asks for 9"),
            (["-n", 2, "true", ":"], "a program is missing"),
            (["--ranks", "fibre", "true"], "fiber"),
        ):
            done = self.run_job(*arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(said, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)
        self.assertEqual(self.run_job("-n", 1, "true", env={"LISLE_RANKS": "horse"}).returncode, 2)

    def test_programs_that_cannot_start(self):
        with tempfile.TemporaryDirectory() as folder:
            plain = os.path.join(folder, "plain")
            with open(plain, "w", encoding="ascii") as file:
                file.write("text\n")
            lost = os.path.join(folder, "lost")
            with open(lost, "w", encoding="ascii") as file:
                file.write("#!/nonexistent/interpreter\n")
            os.chmod(lost, 0o755)
            cases = [("nonexistent-program", 127, "neither in PATH"), ("./nonexistent", 127, "there is no file"),
                     (plain, 126, "chmod +x"), (folder, 126, "is a directory")]
            if "thread" not in launched.SANITIZER:  # which makes vfork a fork: the child cannot say what failed
                cases.append((lost, 127, "interpreter"))
            for program, code, said in cases:
                done = self.run_job("-q", "-n", 3, program)
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertIn(said, done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1)

    def test_help_and_version(self):
        done = self.run_job("--help")
        self.assertEqual(done.returncode, 0)
        for word in ("lislerun -P 2 -T 4", "--ranks KIND", "-n, --np, -c N", "--bind-to"):
            self.assertIn(word, done.stdout)
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 100)
        settings = self.run_job("--help", "settings")
        self.assertEqual((settings.returncode, settings.stderr), (0, ""))
        self.assertIn("  LISLE_WAIT=auto|spin|yield|park or 0 to", settings.stdout)
        self.assertLessEqual(max(map(len, settings.stdout.splitlines())), 110)
        none = self.run_job("--help", "nothing")
        self.assertEqual((none.returncode, none.stdout), (2, ""))
        self.assertIn("there is no help on nothing", none.stderr)
        self.assertRegex(self.run_job("--version").stdout, r"^lislerun \(Lisle\) \d+\.\d+\.\d+, MPI 5\.0\n$")


if __name__ == "__main__":
    launched.main()
