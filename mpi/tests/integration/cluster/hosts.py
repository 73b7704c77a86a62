# SPDX-License-Identifier: Apache-2.0
"""Hosts for tests, made of network namespaces on this machine: each has an address on a common bridge (or on
several: rails), a host name of its own, and can be cut off. All are named after the test's process and removed at
its end. Needs root and iproute2. Delay and loss are made by a program of ours between TAP devices (poor_link.cpp)."""
import fcntl
import json
import os
import pathlib
import shutil
import stat
import subprocess
import tempfile
import time

SKIPPED = 77  # the exit status with which a test says that it could not run here
NETS = 20  # tests that may have hosts at the same time
MOST_RAILS = 4


def run(*words, check=True):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)
    if check and done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, words))}: {done.stderr.strip()}")
    return done


def missing():
    """Why there can be no hosts here, or None."""
    if os.geteuid() != 0:
        return "only root can make network namespaces"
    for tool in ("ip", "unshare"):
        if shutil.which(tool) is None:
            return f"there is no {tool} (Debian: iproute2, util-linux)"
    probe = f"lisle-probe-{os.getpid()}"
    made = run("ip", "netns", "add", probe, check=False)
    if made.returncode != 0:
        return f"the system allows no network namespaces: {made.stderr.strip()}"
    run("ip", "netns", "del", probe, check=False)
    return None


def end_processes(name, but=()):
    """Kills what runs on a host, but for some process ids."""
    for process in run("ip", "netns", "pids", name, check=False).stdout.split():
        if int(process) not in but:
            run("kill", "-9", process, check=False)


def remove_host(name):
    end_processes(name)
    run("ip", "netns", "del", name, check=False)


class Hosts:
    """`with Hosts(3) as hosts:` hosts.names are what launchers call them; hosts.run(name, command...) runs there."""

    def __init__(self, count, rails=1, delay=0, loss=0, closed=(), names=None):
        """delay: milliseconds that each frame takes to a host, and from it (a round trip takes four of these); loss: how
        many of a hundred frames are lost on each of these ways; closed: hosts with which nobody can begin a connection; names:
        what the hosts are called, by who has the names of the machine's namespaces to itself."""
        self.count = count
        self.rails = rails
        self.delay = delay
        self.loss = loss
        self.closed = closed
        self.links = []
        self.tag = f"l{os.getpid() % 100000}"
        self.net = None
        self.names = list(names or (f"{self.tag}h{i + 1}" for i in range(count)))

    @property
    def environment(self):
        """With these variables launchers find the way from this machine to the hosts."""
        return {"HYDRA_IFACE": f"{self.tag}b0", "OMPI_MCA_oob_tcp_if_include": f"{self.tag}b0,eth0"}

    def address(self, host, rail=0):
        return f"10.99.{NETS * rail + self.net}.{host + 1}"

    def _take_net(self):
        """Addresses that no other test uses at the same time, and the remains of one that was killed removed."""
        while True:
            for net in range(NETS):
                self.lock = open(f"{tempfile.gettempdir()}/lisle-hosts-{net}.lock", "w", encoding="utf-8")
                try:
                    fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except OSError:
                    self.lock.close()
                    continue
                self.net = net
                for link in json.loads(run("ip", "-j", "-4", "addr").stdout):
                    used = [address["local"] for address in link["addr_info"]]
                    if any(self.address(253, rail) in used for rail in range(MOST_RAILS)):
                        run("ip", "link", "del", link["ifname"], check=False)
                        for name in run("ip", "netns", "list").stdout.split():
                            if name.startswith(link["ifname"].rpartition("b")[0] + "h"):
                                remove_host(name)
                return
            time.sleep(1)

    def __enter__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="lisle-hosts-"))
        self._take_net()
        try:
            for rail in range(self.rails):
                bridge = f"{self.tag}b{rail}"
                run("ip", "link", "add", bridge, "type", "bridge")
                run("ip", "link", "set", bridge, "up")
                run("ip", "addr", "add", f"{self.address(253, rail)}/24", "dev", bridge)
            for host, name in enumerate(self.names):
                run("ip", "netns", "add", name)
                run("ip", "-n", name, "link", "set", "lo", "up")
                for rail in range(self.rails):
                    outer = f"{self.tag}v{host}{rail}"
                    if self.delay or self.loss or host in self.closed:
                        self._make_poor_link(outer, name, f"eth{rail}", *["closed"] * (host in self.closed))
                    else:
                        run("ip", "link", "add", outer, "type", "veth", "peer", "name", f"eth{rail}", "netns", name)
                    run("ip", "link", "set", outer, "master", f"{self.tag}b{rail}", "up")
                    run("ip", "-n", name, "addr", "add", f"{self.address(host, rail)}/24", "dev", f"eth{rail}")
                    run("ip", "-n", name, "link", "set", f"eth{rail}", "up")
            self._write_agent()
        except Exception:
            self.__exit__(None, None, None)
            raise
        return self

    def _make_poor_link(self, outer, name, inner, *closed):
        words = [os.environ["LISLE_TEST_POOR_LINK"], str(self.delay), str(self.loss), outer, name, inner, *closed]
        link = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        self.links.append(link)
        if link.stdout.readline().strip() != "ready":
            raise RuntimeError(f"{' '.join(words)} does not begin")

    def __exit__(self, *_):
        for link in self.links:
            link.kill()
            link.wait()
        for name in self.names:
            remove_host(name)
        for rail in range(self.rails):
            for host in range(self.count):  # the kernel would remove it with the namespace, but some time later
                run("ip", "link", "del", f"{self.tag}v{host}{rail}", check=False)
            run("ip", "link", "del", f"{self.tag}b{rail}", check=False)
        self.lock.close()
        shutil.rmtree(self.folder, ignore_errors=True)
        return False

    def _write_agent(self):
        """What launchers call instead of ssh: AGENT HOST COMMAND..."""
        hosts = "\n".join(f"{self.address(i)} {name}" for i, name in enumerate(self.names))
        (self.folder / "hosts").write_text(f"127.0.0.1 localhost\n{hosts}\n")
        self.agent = self.folder / "agent"
        # Options of ssh come before the host and are not ours.
        self.agent.write_text(
            "#!/bin/bash\n"
            "while [[ $1 == -* ]]; do shift; done\n"
            "host=$1; shift\n"
            f"exec ip netns exec \"$host\" unshare -u -m bash -c "
            f"\"hostname $host; mount --bind {self.folder}/hosts /etc/hosts; $*\"\n")
        self.agent.chmod(self.agent.stat().st_mode | stat.S_IXUSR)

    def command(self, host, *words):
        """The words with which something runs on a host."""
        return [str(self.agent), self.names[host], *map(str, words)]

    def end_processes(self):
        """Kills what runs on the hosts. Their links with delay or loss are in their namespaces, too, but stay."""
        links = [link.pid for link in self.links]
        for name in self.names:
            end_processes(name, links)

    def cut(self, host, rail=0):
        """Cuts a host off from the others on one rail."""
        run("ip", "link", "set", f"{self.tag}v{host}{rail}", "down")

    def limit(self, host, rate, rail=0):
        """Limits what passes to and from a host on one rail, as "1gbit"."""
        words = ["root", "tbf", "rate", rate, "burst", "256k", "latency", "50ms"]
        run("tc", "qdisc", "replace", "dev", f"{self.tag}v{host}{rail}", *words)
        run("ip", "netns", "exec", self.names[host], "tc", "qdisc", "replace", "dev", f"eth{rail}", *words)

    def unlimit(self, host, rail=0):
        """Ends what limit() did."""
        run("tc", "qdisc", "del", "dev", f"{self.tag}v{host}{rail}", "root")
        run("ip", "netns", "exec", self.names[host], "tc", "qdisc", "del", "dev", f"eth{rail}", "root")

    def bytes_sent(self, host, rail=0):
        """How much a host has sent on one rail."""
        return int(run("ip", "netns", "exec", self.names[host], "cat", f"/sys/class/net/eth{rail}/statistics/tx_bytes").stdout)

    def join(self, host, rail=0):
        """Ends what cut() did."""
        run("ip", "link", "set", f"{self.tag}v{host}{rail}", "up")
