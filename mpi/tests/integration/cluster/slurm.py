# SPDX-License-Identifier: Apache-2.0
"""A small Slurm for tests: a controller and two nodes on this machine, with ports, folders and logs of their own.
Ended, and nothing of it left, when the test ends."""
import os
import pathlib
import pwd
import shutil
import socket
import subprocess
import tempfile
import time


def missing():
    """Why there can be no Slurm here, or None."""
    for program in ("slurmctld", "slurmd", "srun", "sinfo"):
        if shutil.which(program, path=f"{os.environ['PATH']}:/usr/sbin") is None:
            return f"there is no {program} (Debian: slurmctld, slurmd, slurm-client)"
    if os.geteuid() != 0:
        return "only root can start Slurm's daemons"
    return None


def free_ports(count):
    """Ports that nobody has now."""
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


class Slurm:
    """`with Slurm() as slurm:` slurm.environment makes srun use it; slurm.nodes are the names of its nodes."""

    nodes = ("n1", "n2")

    def __enter__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="lisle-slurm-"))
        self.daemons = []
        self.environment = {"SLURM_CONF": str(self.folder / "slurm.conf")}
        try:
            self._configure()
            self._start("slurmctld", "-D", "-c")
            for node in self.nodes:
                for folder in ("spool", "tmp"):
                    (self.folder / f"{folder}-{node}").mkdir()
                self._start("slurmd", "-D", "-N", node)
            self._wait_until_idle()
        except Exception:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for daemon in reversed(self.daemons):
            daemon.terminate()
        for daemon in self.daemons:
            try:
                daemon.wait(20)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
        return False

    def _configure(self):
        host = socket.gethostname().split(".")[0]
        controller, *ports = free_ports(1 + len(self.nodes))
        (self.folder / "state").mkdir()
        lines = [
            "ClusterName=lisle", f"SlurmctldHost={host}(127.0.0.1)", f"SlurmctldPort={controller}",
            "AuthType=auth/none", "CredType=cred/none", "ProctrackType=proctrack/linuxproc", "TaskPlugin=task/none",
            "SelectType=select/linear", "SwitchType=switch/none", "MpiDefault=none", "ReturnToService=2",
            "JobAcctGatherType=jobacct_gather/none", "AccountingStorageType=accounting_storage/none",
            f"SlurmUser={pwd.getpwuid(0).pw_name}", f"StateSaveLocation={self.folder}/state",
            f"SlurmdSpoolDir={self.folder}/spool-%n", f"TmpFS={self.folder}/tmp-%n",
            f"SlurmctldPidFile={self.folder}/slurmctld.pid", f"SlurmdPidFile={self.folder}/slurmd-%n.pid",
            f"SlurmctldLogFile={self.folder}/slurmctld.log", f"SlurmdLogFile={self.folder}/slurmd-%n.log",
        ]
        for node, port in zip(self.nodes, ports):
            lines.append(f"NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=1 State=UNKNOWN")
        lines.append(f"PartitionName=all Nodes={','.join(self.nodes)} Default=YES State=UP OverSubscribe=FORCE:4")
        (self.folder / "slurm.conf").write_text("\n".join(lines) + "\n")

    def _start(self, *words):
        environment = {**os.environ, **self.environment, "PATH": f"{os.environ['PATH']}:/usr/sbin"}
        output = (self.folder / f"{'-'.join(words)}.out").open("w")
        self.daemons.append(subprocess.Popen(words, env=environment, stdout=output, stderr=output))

    def _wait_until_idle(self):
        end = time.monotonic() + 60
        said = ""
        while said.split() != ["idle"] * len(self.nodes):
            if time.monotonic() > end:
                logs = "".join(log.read_text()[-2000:] for log in self.folder.glob("*.log"))
                raise RuntimeError(f"Slurm's nodes are not idle but: {said}\n{logs}")
            time.sleep(0.3)
            said = subprocess.run(["sinfo", "-h", "-N", "-o", "%T"], env={**os.environ, **self.environment},
                                  capture_output=True, text=True, check=False).stdout
