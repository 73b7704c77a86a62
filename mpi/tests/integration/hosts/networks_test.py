# SPDX-License-Identifier: Apache-2.0
"""Jobs on hosts with several networks, of which some lead nowhere: they run without a setting. The hosts are network
namespaces. Skipped, with the reason, where there can be none."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cluster"))
from hosts import SKIPPED, Hosts, missing  # noqa: E402
from hosts import run as command  # noqa: E402
from started import WORK, expect, expect_all_ranks, run  # noqa: E402


def on_each(hosts, *words):
    for host, name in enumerate(hosts.names):
        command("ip", "-n", name, *[str(word).format(number=host + 1) for word in words])


def add_docker(hosts):
    """A bridge with a running container, whose address is the same on all hosts."""
    on_each(hosts, "link", "add", "docker0", "type", "bridge")
    on_each(hosts, "addr", "add", "172.17.0.1/16", "dev", "docker0")
    on_each(hosts, "link", "set", "docker0", "up")
    on_each(hosts, "link", "add", "inner", "type", "veth", "peer", "name", "outer")
    on_each(hosts, "link", "set", "inner", "master", "docker0", "up")
    on_each(hosts, "link", "set", "outer", "up")


def job_runs(hosts, what):
    print(what)
    names = ",".join(f"{name}:2" for name in hosts.names)
    expect_all_ranks(run("--launch-agent", hosts.agent, "--hosts", names, WORK)[0], 2 * hosts.count)


def blocked(hosts):
    """Nothing gets from one host to the other, at once or in silence: a sentence names address, port, reason and what
    may help."""
    for kind, host, reason in (("unreachable", 0, "No route to host"), ("blackhole", 1, "")):
        command("ip", "-n", hosts.names[host], "route", "add", kind, f"{hosts.address(1 - host)}/32")
        _, errors = run("--launch-agent", hosts.agent, "--hosts", ",".join(hosts.names), "--timeout", "60", WORK, status=None,
                        environment={"LISLE_NETWORK_SILENCE": "3"})
        print(errors)
        expect(", port " in errors and reason in errors and "LISLE_NETWORK_INTERFACE" in errors, f"{kind}: {errors}")
        command("ip", "-n", hosts.names[host], "route", "del", kind, f"{hosts.address(1 - host)}/32")


def main():
    if reason := missing():
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
    with Hosts(2, rails=2) as hosts:
        job_runs(hosts, "two networks")
        add_docker(hosts)
        job_runs(hosts, "a bridge to containers")
        command("ip", "-n", hosts.names[0], "link", "set", "eth0", "down")
        job_runs(hosts, "an interface that is down on one host")
        command("ip", "-n", hosts.names[0], "link", "set", "eth0", "up")
        on_each(hosts, "route", "add", "default", "dev", "eth1")
        hosts.cut(1, rail=0)
        job_runs(hosts, "a network that is cut, and another with the default route")
    with Hosts(2) as hosts:
        blocked(hosts)
        add_docker(hosts)
        on_each(hosts, "addr", "flush", "dev", "eth0")
        on_each(hosts, "addr", "add", "fd00:99::{number}/64", "dev", "eth0", "nodad")
        job_runs(hosts, "IPv6 alone")


main()
