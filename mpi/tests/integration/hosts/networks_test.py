# SPDX-License-Identifier: Apache-2.0
"""Jobs on hosts with several networks, of which some lead nowhere: they run without a setting. The hosts are network
namespaces. Skipped, with the reason, where there can be none."""
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cluster"))
from hosts import SKIPPED, Hosts, missing  # noqa: E402
from hosts import run as command  # noqa: E402
from started import WORK, expect, expect_all_ranks, run  # noqa: E402

QUICK = {"LISLE_NETWORK_SILENCE": "3"}


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


def add_dead_vpn(hosts):
    """A network with the default route on which all hosts are, and which has lost its server."""
    on_each(hosts, "tuntap", "add", "vpn0", "mode", "tun")
    on_each(hosts, "addr", "add", "10.8.0.{number}/24", "dev", "vpn0")
    on_each(hosts, "link", "set", "vpn0", "up")
    on_each(hosts, "route", "add", "default", "dev", "vpn0")


def add_dead_network(hosts):
    """The same with an interface that says that it runs."""
    on_each(hosts, "link", "add", "vpn1", "type", "veth", "peer", "name", "vpn1x")
    on_each(hosts, "link", "set", "vpn1x", "up")
    on_each(hosts, "addr", "add", "10.9.0.{number}/24", "dev", "vpn1")
    on_each(hosts, "link", "set", "vpn1", "up")
    on_each(hosts, "route", "replace", "default", "dev", "vpn1")


def words_for(hosts, ranks):
    names = ",".join(f"{name}:{ranks}" for name in hosts.names)
    return ["--launch-agent", hosts.agent, "--hosts", names]


def job_runs(hosts, what, *options):
    print(what, flush=True)
    expect_all_ranks(run(*words_for(hosts, 1), *options, WORK, environment=QUICK)[0], hosts.count)


def one_direction(closed):
    """A host takes no connections: the other one has none to make, and this one makes all."""
    with Hosts(2, closed=[closed]) as hosts:
        job_runs(hosts, f"host {closed + 1} takes no connections")
        job_runs(hosts, "the same, with recovery", "--with-ft", "ulfm")
        ends_are_noticed(hosts)
        output = checked(hosts, 0, (closed, 1 - closed, 0, True), (1 - closed, closed, 0, False))
        expect(f"{hosts.names[closed]} makes all connections" in output, output)
        expect(f"{hosts.names[1 - closed]} cannot connect to {hosts.address(closed)}" in output, output)


def ends_are_noticed(hosts):
    """Where one side has made all connections, both learn of the other's end."""
    for killed in range(hosts.count):
        output, errors = run(*words_for(hosts, 1), "--with-ft", "ulfm", WORK, "lose", killed, environment=QUICK, status=None)
        expect(output.strip() == f"rank {1 - killed} knows", f"{output}{errors}")


def checked(hosts, status, *paths):
    """What --check-hosts prints. @param paths from, to and whether a connection comes about, by eth0 or another rail"""
    output, errors = run(*words_for(hosts, 1), "--check-hosts", status=status)
    print(output)
    rows = [line.split() for line in output.splitlines()]
    for here, there, rail, is_open in paths:
        begin = [hosts.names[here], hosts.names[there], f"eth{rail}", hosts.address(there, rail)]
        found = [row[4] != "blocked" for row in rows if row[:4] == begin]
        expect(found == [is_open], f"{begin}: {found} in\n{output}{errors}")
    return output


def blocked(hosts):
    """Nothing gets from one host to the other, at once or in silence: a sentence names address, port, reason and what
    may help."""
    for kind, host, reason in (("unreachable", 0, "No route to host"), ("blackhole", 1, "")):
        command("ip", "-n", hosts.names[host], "route", "add", kind, f"{hosts.address(1 - host)}/32")
        _, errors = run("--launch-agent", hosts.agent, "--hosts", ",".join(hosts.names), "--timeout", "60", WORK, status=None,
                        environment=QUICK)
        print(errors)
        expect(", port " in errors and reason in errors and "LISLE_NETWORK_INTERFACE" in errors, f"{kind}: {errors}")
        output = checked(hosts, 1)
        expect("cannot reach each other: no job runs on both" in output, output)
        command("ip", "-n", hosts.names[host], "route", "del", kind, f"{hosts.address(1 - host)}/32")


def several():
    """Hosts with several networks, of which some lead nowhere."""
    with Hosts(2, rails=2) as hosts:
        add_docker(hosts)
        job_runs(hosts, "two networks, and a bridge to containers")
        output = checked(hosts, 0, *[(host, 1 - host, rail, True) for host in range(2) for rail in range(2)])
        expect("172.17.0.1" not in output and "docker0 is passed over" in output, output)
        add_dead_network(hosts)
        job_runs(hosts, "a network that leads nowhere, with the default route")
        hosts.cut(1, rail=0)
        job_runs(hosts, "two networks, of which one is blocked")


def more():
    with Hosts(2, rails=2) as hosts:
        job_runs(hosts, "two networks")
        command("ip", "-n", hosts.names[0], "link", "set", "eth0", "down")
        job_runs(hosts, "an interface that is down on one host")
        command("ip", "-n", hosts.names[0], "link", "set", "eth0", "up")
        add_dead_vpn(hosts)
        job_runs(hosts, "a VPN that is down, with the default route")
    with Hosts(3, rails=3) as hosts:
        for host, rail in ((0, 2), (1, 1), (2, 0)):
            command("ip", "-n", hosts.names[host], "addr", "flush", "dev", f"eth{rail}")
        job_runs(hosts, "each pair of three hosts with a network of its own")


def blocked_and_version_6():
    with Hosts(2) as hosts:
        blocked(hosts)
        add_docker(hosts)
        on_each(hosts, "addr", "flush", "dev", "eth0")
        on_each(hosts, "addr", "add", "fd00:99::{number}/64", "dev", "eth0", "nodad")
        job_runs(hosts, "IPv6 alone")


def one_direction_each():
    for closed in range(2):
        one_direction(closed)


def main():
    if reason := missing():
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
    parts = {"several": several, "more": more, "blocked": blocked_and_version_6, "one_direction": one_direction_each}
    parts[os.environ["LISLE_TEST_PART"]]()


main()
