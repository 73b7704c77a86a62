# SPDX-License-Identifier: Apache-2.0
"""The MPIs that are compared on hosts, which are network namespaces of this machine: how each compiles a program and runs
it there over TCP, and how results are read."""
import os
import re
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "mpi/tests/integration/cluster"))


def contenders(hosts, build, out):
    """Name -> what compiles its programs, the words that run one with a rank on each host, and where its programs are."""
    count = str(hosts.count)
    names = ",".join(f"{name}:1" for name in hosts.names)
    hydra = ["-launcher", "rsh", "-launcher-exec", str(hosts.agent), "-hosts", names, "-n", count]
    found = {"Lisle": ([str(build / "bin/mpicc")], ["mpiexec.hydra", *hydra])}
    if shutil.which("mpicc.openmpi"):
        found["Open MPI, btl tcp"] = (["mpicc.openmpi"], [
            "mpiexec.openmpi", "--allow-run-as-root", "--mca", "plm", "rsh", "--mca", "plm_rsh_agent", str(hosts.agent),
            "--bind-to", "none", "-H", names, "-n", count, "--mca", "pml", "ob1", "--mca", "btl", "tcp,self", "--mca",
            "btl_tcp_if_include", "eth0"])
    if shutil.which("mpicc.mpich"):
        # Without these MPICH on UCX finds out that the hosts are one machine, and uses its memory.
        found["MPICH, ucx tcp"] = (["mpicc.mpich"], [
            "env", "MPIR_CVAR_NOLOCAL=1", "UCX_TLS=tcp,self", "UCX_NET_DEVICES=eth0", "mpiexec.mpich", *hydra])
    return {name: (compiler, words, out / re.sub(r"\W+", "-", name)) for name, (compiler, words) in found.items()}


def compile_all(everybody, programs):
    for compiler, _, folder in everybody.values():
        folder.mkdir(parents=True, exist_ok=True)
        for program in programs:
            subprocess.run([*compiler, "-O2", "-Wno-stringop-overflow", "-o", str(folder / program), str(SOURCE / f"mpi/bench/{program}.c")], check=True)


def results_in(text):
    """(name, size) -> value"""
    found = re.findall(r"^(\w+) (\d+) ([-+.\de]+)$", text, re.MULTILINE)
    return {(name, int(size)): float(value) for name, size, value in found}


def run(hosts, words, timeout=60, **settings):
    """The results of one job; none, with a word to the terminal, if it fails or does not end."""
    environment = {**os.environ, **hosts.environment, "LISLE_NETWORK_INTERFACE": "eth0", **settings}
    program = next(word for word in words if isinstance(word, Path))
    try:
        done = subprocess.run([str(word) for word in words], env=environment, capture_output=True, text=True,
                              timeout=timeout, check=False)
    except subprocess.TimeoutExpired:
        print(f"{program} has not ended within {timeout} s", file=sys.stderr)
        return {}
    if done.returncode != 0:
        print(f"{program}: {done.stderr.strip()[-500:]}", file=sys.stderr)
    return results_in(done.stdout)


def table(values, rows):
    """Lines: medians of the rounds. @param values name -> a dict of results for each round
    @param rows (title, key, factor)"""
    lines = ["".join(["what".ljust(22), *[name.rjust(28) for name in values]])]
    for title, key, factor in rows:
        cells = []
        for rounds in values.values():
            seen = [each[key] for each in rounds if key in each]
            cells.append(f"{statistics.median(seen) * factor:.3g}" if seen else "-")
        lines.append("".join([title.ljust(22), *[cell.rjust(28) for cell in cells]]))
    return lines
