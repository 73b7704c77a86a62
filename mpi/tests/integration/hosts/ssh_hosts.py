# SPDX-License-Identifier: Apache-2.0
"""Hosts that are network namespaces with an sshd each."""
import pathlib
import shutil
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cluster"))
import hosts as bare_hosts  # noqa: E402
import started  # noqa: E402
from started import LIMIT, WORK, expect  # noqa: E402

SSHD = shutil.which("sshd", path="/usr/sbin:/usr/local/sbin:/usr/bin")


def missing():
    """Why there can be no such hosts here, or None."""
    return bare_hosts.missing() or (None if SSHD and shutil.which("ssh") else "there is no sshd (Debian: openssh-server)")


class SshHosts(bare_hosts.Hosts):
    """Hosts with an sshd each. hosts.agent_words is the ssh that reaches them: with a key and known hosts of its own."""

    def __enter__(self):
        super().__enter__()
        try:
            self._start_servers()
        except Exception:
            self.__exit__(None, None, None)
            raise
        return self

    def _start_servers(self):
        for key in ("user", "host", "other"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.folder / key], check=True)
        pathlib.Path("/run/sshd").mkdir(exist_ok=True)
        (self.folder / "sshd_config").write_text(
            f"HostKey {self.folder}/host\nAuthorizedKeysFile {self.folder}/user.pub\nStrictModes no\nUsePAM no\n"
            "PermitRootLogin prohibit-password\nPidFile none\nMaxStartups 100\n"
            f"SetEnv HOME={self.folder}\n")  # a user without start-up files: one that is killed may leave locks behind
        public = (self.folder / "host.pub").read_text()
        other = (self.folder / "other.pub").read_text()
        (self.folder / "known").write_text("".join(f"{name} {public}" for name in (*self.names, "closed", "nokey")) +
                                           f"otherkey {other}")
        aliases = "".join(f"Host {name}\n HostName {self.address(i)}\n HostKeyAlias {name}\n" for i, name in
                          enumerate(self.names))
        for name, more in (("closed", " Port 2\n"), ("nokey", f" IdentityFile {self.folder}/other\n"), ("otherkey", ""),
                           ("newkey", "")):
            aliases += f"Host {name}\n HostName {self.address(0)}\n HostKeyAlias {name}\n{more}"
        (self.folder / "ssh_config").write_text(
            f"{aliases}Host * !nokey\n IdentityFile {self.folder}/user\nHost *\n User root\n IdentitiesOnly yes\n"
            f" UserKnownHostsFile {self.folder}/known\n GlobalKnownHostsFile /dev/null\n StrictHostKeyChecking yes\n")
        self.agent_words = f"ssh -F {self.folder}/ssh_config"
        for host in range(self.count):
            subprocess.Popen(self.command(host, SSHD, "-D", "-f", self.folder / "sshd_config"), stderr=subprocess.DEVNULL)
        self.servers = set()
        for name in self.names:
            limit = time.monotonic() + LIMIT
            while subprocess.run([*self.agent_words.split(), name, "true"], capture_output=True, check=False).returncode:
                expect(time.monotonic() < limit, f"sshd on {name} does not begin")
                time.sleep(0.1)
        for host in range(self.count):
            self.servers |= set(host_processes(self, host))

    def pids(self, host, what):
        """Processes of a host with this file."""
        found = []
        for pid in subprocess.run(["ip", "netns", "pids", self.names[host]], capture_output=True, text=True,
                                  check=False).stdout.split():
            try:
                if pathlib.Path(f"/proc/{pid}/exe").resolve() == pathlib.Path(what).resolve():
                    found.append(int(pid))
            except OSError:
                continue  # it has ended
        return found

    def expect_nothing_left(self, told):
        limit = time.monotonic() + LIMIT
        for host in range(self.count):
            while left := self.pids(host, started.LISLERUN) + self.pids(host, WORK):
                expect(time.monotonic() < limit, f"on {self.names[host]} is left: {left}\n{told}")
                time.sleep(0.1)


def host_processes(hosts, host):
    """All that a job has on a host, its sshd's part included."""
    return [pid for pid in map(int, subprocess.run(["ip", "netns", "pids", hosts.names[host]], capture_output=True, text=True,
                                                   check=False).stdout.split()) if pid not in hosts.servers]
