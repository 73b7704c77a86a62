# SPDX-License-Identifier: Apache-2.0
"""The commands of clusters.md, word for word, as a new user types them: on two bare hosts, a and b, with an sshd each, where
Lisle is yet to be installed. Skipped, with the reason, where there can be no such hosts."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cluster"))
import ssh_hosts  # noqa: E402
from hosts import SKIPPED  # noqa: E402

SOURCE, BUILD = (pathlib.Path(os.environ[f"LISLE_TEST_{what}"]) for what in ("SOURCE", "BUILD"))
PAGE = SOURCE / "mpi/docs/clusters.md"
PROGRAMS = ("make", "export", "ssh-copy-id", "mpicc", "lislerun", "mpiexec.hydra", "orterun", "srun")
NO_COMMAND = re.compile(r"lislerun: host b |.*[;{}]( */\*.*\*/)?$")  # what is said, and C
SOLVE = r"""
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv) {
    int rank, size, sum;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d ranks, %s\n", size, sum == size * (size - 1) / 2 ? "right" : "wrong");
    MPI_Finalize();
    return 0;
}
"""


def program_of(line):
    """The program that a line calls, behind settings of variables."""
    return next((word for word in line.split() if not re.match(r"[A-Z_]+=", word)), "")


def commands():
    """The page's commands, in order, without the remarks behind them."""
    found = []
    for line in PAGE.read_text().splitlines():
        if not line.startswith("    "):
            continue
        line = line.strip()
        if program_of(line) in PROGRAMS:
            found.append(re.sub(r" +# .*", "", line))
        elif not NO_COMMAND.match(line):
            sys.exit(f"{PAGE}: neither a command that is known here, nor what is said, nor C: {line}")
    return found


def in_own_mounts():
    """Goes on in a mount namespace in which the names of network namespaces are the test's own."""
    if os.environ.get("LISLE_TEST_OWN_MOUNTS") is None:
        os.environ["LISLE_TEST_OWN_MOUNTS"] = "1"
        os.execvp("unshare", ["unshare", "-m", "--propagation", "private", sys.executable, *sys.argv])
    pathlib.Path("/run/netns").mkdir(exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "none", "/run/netns"], check=True)


def own(folder, path):
    """An empty folder of the test's in place of a path."""
    folder.mkdir(mode=0o700)
    path.mkdir(exist_ok=True)
    subprocess.run(["mount", "--bind", folder, path], check=True)


def settle(hosts, folder):
    """What a user has on these hosts: a key, the others' keys, a program."""
    for name, kept in (("user", "id_ed25519"), ("user.pub", "id_ed25519.pub"), ("known", "known_hosts")):
        shutil.copy(hosts.folder / name, folder / "ssh" / kept)
    work = folder / "work"
    work.mkdir()
    (work / "solve.c").write_text(SOLVE)
    return work


def script(lines):
    """Runs each command and says how it ended."""
    said = []
    for line in lines:
        if shutil.which(program_of(line)) is None and program_of(line) in ("mpiexec.hydra", "orterun", "srun"):
            said.append(f"echo '--- not here: {line}'")
            continue
        typed = line
        if line.startswith("make "):  # of the clone, which is elsewhere; and only `release` is built there
            typed = (f"make -C {SOURCE} {line[5:]}" if BUILD == SOURCE / "build/release"
                     else f"cmake --install {BUILD} --prefix /opt/lisle") + " >/dev/null"
        quoted = line.replace("'", "'\\''")
        said += [f"echo '--- {quoted}'", f"timeout 300 {typed}" if program_of(line) != "export" else typed,
                 f"status=$?; [ $status = 0 ] || echo \"FAILED with status $status: {quoted}\""]
    return "\n".join(re.sub(r"^timeout 300 ((?:[A-Z_]+=\S+ )+)", r"\1timeout 300 ", line) for line in said)


def follow(folder):
    with ssh_hosts.SshHosts(2, names=("a", "b")) as hosts:
        work = settle(hosts, folder)
        environment = {name: value for name, value in os.environ.items() if not name.startswith("LISLE_")}
        environment |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        (work / "session").write_text(script(commands()))
        done = subprocess.run(hosts.command(0, "bash", work / "session"), cwd=work, env=environment, text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=1500)
        print(done.stdout)
        if done.returncode != 0 or "FAILED" in done.stdout or "wrong" in done.stdout or "8 ranks, right" not in done.stdout:
            sys.exit("not all of them work")


def main():
    reason = ssh_hosts.missing()
    if reason:
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
    in_own_mounts()
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        own(folder / "ssh", pathlib.Path("~root/.ssh").expanduser())
        own(folder / "opt", pathlib.Path("/opt"))
        try:
            follow(folder)
        finally:
            subprocess.run(["umount", "-l", "/opt", pathlib.Path("~root/.ssh").expanduser()], check=False)


main()
