// SPDX-License-Identifier: Apache-2.0
#include "tcp/common_network.hpp"

#include <cerrno>
#include <gtest/gtest.h>

#include "tcp/connecting.hpp"
#include "tcp/paths.hpp"

namespace lisle::tcp {

namespace {

socket_address address(const char *text) {
    sockaddr_in of4{};
    sockaddr_in6 of6{};
    if (inet_pton(AF_INET, text, &of4.sin_addr) == 1) {
        of4.sin_family = AF_INET;
        return {reinterpret_cast<const sockaddr *>(&of4), sizeof of4};
    }
    of6.sin6_family = AF_INET6;
    EXPECT_EQ(inet_pton(AF_INET6, text, &of6.sin6_addr), 1) << text;
    return {reinterpret_cast<const sockaddr *>(&of6), sizeof of6};
}

told_interface on(const char *text, int bits, std::uint32_t speed = 0, int leads_out = 0) {
    return {address(text), bits, leads_out, speed};
}

const told_interface loopback = on("127.0.0.1", 8);
const told_interface docker = on("172.17.0.1", 16, 10000);

using machines = std::vector<told_machine>;

/// What each machine chooses, as text.
std::vector<std::string> choices(const machines &all) {
    std::vector<std::string> chosen;
    for (std::size_t own = 0; own != all.size(); ++own) {
        const auto found = choose_address(all, own);
        chosen.push_back(found ? network_text(*found, 0) : "none");
    }
    return chosen;
}

using texts = std::vector<std::string>;

TEST(CommonNetwork, OneMachineNeedsNoOtherThanItsLoopback) {
    const told_machine one{7, {on("10.0.0.1", 24, 1000, 1), loopback}};
    EXPECT_EQ(choices({one, one}), (texts{"127.0.0.1/0", "127.0.0.1/0"}));
}

TEST(CommonNetwork, AnAddressThatOthersHaveToo) {
    EXPECT_EQ(
        choices({{1, {docker, loopback, on("10.0.0.1", 24)}}, {2, {docker, on("10.0.0.2", 24), loopback}}}),
        (texts{"10.0.0.1/0", "10.0.0.2/0"}));
}

TEST(CommonNetwork, OneThatIsOnOneMachineAlone) {
    EXPECT_EQ(choices({{1, {docker, on("10.0.0.1", 24)}}, {2, {on("10.0.0.2", 24)}}}),
              (texts{"10.0.0.1/0", "10.0.0.2/0"}));
}

TEST(CommonNetwork, TheFastestOneButTheDefaultRouteFirst) {
    const machines two{{1, {on("10.0.0.1", 24, 1000), on("10.1.0.1", 24, 40000), on("10.2.0.1", 24, 100)}},
                       {2, {on("10.2.0.2", 24, 100), on("10.1.0.2", 24, 40000), on("10.0.0.2", 24, 1000)}}};
    EXPECT_EQ(choices(two), (texts{"10.1.0.1/0", "10.1.0.2/0"}));
    auto routed = two;
    routed[0].interfaces[2].leads_out = 1;
    routed[1].interfaces[0].leads_out = 1;
    EXPECT_EQ(choices(routed), (texts{"10.2.0.1/0", "10.2.0.2/0"}));
}

TEST(CommonNetwork, TheSlowestMachineCounts) {
    EXPECT_EQ(choices({{1, {on("10.0.0.1", 24, 100), on("10.1.0.1", 24, 1000)}},
                       {2, {on("10.0.0.2", 24, 40000), on("10.1.0.2", 24, 1000)}}}),
              (texts{"10.1.0.1/0", "10.1.0.2/0"}));
}

TEST(CommonNetwork, AnUnknownSpeedIsNotASlowOne) {
    EXPECT_EQ(choices({{1, {on("10.0.0.1", 24, 100), on("10.1.0.1", 24, 0)}},
                       {2, {on("10.0.0.2", 24, 100), on("10.1.0.2", 24, 0)}}}),
              (texts{"10.1.0.1/0", "10.1.0.2/0"}));
}

TEST(CommonNetwork, AlikeNetworksAreChosenAlike) {
    EXPECT_EQ(choices({{1, {on("10.1.0.1", 24), on("10.0.0.1", 24)}},
                       {2, {on("10.0.0.2", 24), on("10.1.0.2", 24)}}}),
              (texts{"10.0.0.1/0", "10.0.0.2/0"}));
}

TEST(CommonNetwork, Version6Alone) {
    EXPECT_EQ(choices({{1, {loopback, on("fd00::1", 64)}}, {2, {loopback, on("fd00::2", 64)}}}),
              (texts{"fd00::1/0", "fd00::2/0"}));
}

TEST(CommonNetwork, WithoutOneRoutesLeadFromThoseWithADefaultRoute) {
    EXPECT_EQ(choices({{1, {docker, on("192.168.7.1", 24), on("10.0.0.1", 24, 1000, 1)}},
                       {2, {docker, on("10.9.0.1", 24, 1000, 1)}}}),
              (texts{"10.0.0.1/0", "10.9.0.1/0"}));
    EXPECT_EQ(choices({{1, {on("10.0.0.1", 24), on("fd00:1::1", 64)}}, {2, {on("fd00:2::1", 64)}}}),
              (texts{"fd00:1::1/0", "fd00:2::1/0"}));
}

TEST(CommonNetwork, NothingLeadsToAMachineWithoutOne) {
    EXPECT_EQ(choices({{1, {loopback, docker}}, {2, {loopback, docker}}}), (texts{"none", "none"}));
}

TEST(CommonNetwork, ThisMachineHasALoopback) {
    const auto told = this_machine_as_told(tcp_interfaces());
    EXPECT_NE(told.number, 0U);
    for (const told_interface &each : told.interfaces) {
        EXPECT_TRUE(each.address.exists());
        EXPECT_TRUE(each.address.is_in(network_text(each.address, each.network_bits)));
    }
}

/// The paths from one machine to another, as texts "from>to".
std::vector<std::string> paths(const told_machine &from, const told_machine &to) {
    std::vector<std::string> all;
    for (const path &each : paths_between(from, to)) {
        const auto text = [](const socket_address &at) { return at.exists() ? network_text(at, 0) : "*"; };
        all.push_back(text(each.from) + ">" + text(each.to));
    }
    return all;
}

TEST(Paths, ThoseOfACommonNetworkComeFirstTheFastestOfThem) {
    const told_machine one{1, {docker, loopback, on("10.0.0.1", 24, 1000), on("10.1.0.1", 24, 40000)}};
    const told_machine two{2, {docker, loopback, on("10.1.0.2", 24, 40000), on("10.0.0.2", 24, 1000)}};
    EXPECT_EQ(paths(one, two), (texts{"10.1.0.1/0>10.1.0.2/0", "10.0.0.1/0>10.0.0.2/0"}));
    EXPECT_EQ(paths(two, one), (texts{"10.1.0.2/0>10.1.0.1/0", "10.0.0.2/0>10.0.0.1/0"}));
}

TEST(Paths, TheDefaultRoutesInterfaceComesBeforeAFasterOne) {
    EXPECT_EQ(paths({1, {on("10.1.0.1", 24, 40000), on("10.0.0.1", 24, 1000, 1)}},
                    {2, {on("10.1.0.2", 24, 40000), on("10.0.0.2", 24, 1000, 1)}}),
              (texts{"10.0.0.1/0>10.0.0.2/0", "10.1.0.1/0>10.1.0.2/0"}));
}

TEST(Paths, RoutesAreTriedAfterCommonNetworks) {
    EXPECT_EQ(paths({1, {on("10.0.0.1", 24), on("192.168.7.1", 24, 1000, 1)}},
                    {2, {on("192.168.9.1", 24, 1000, 1), on("10.0.0.2", 24)}}),
              (texts{"10.0.0.1/0>10.0.0.2/0", "*>192.168.9.1/0"}));
}

TEST(Paths, EachPairOfMachinesHasItsOwn) {
    const told_machine one{1, {on("10.0.1.1", 24), on("10.0.2.1", 24)}};
    const told_machine two{2, {on("10.0.1.2", 24), on("10.0.3.2", 24)}};
    const told_machine three{3, {on("10.0.2.3", 24), on("10.0.3.3", 24)}};
    EXPECT_EQ(paths(one, two).front(), "10.0.1.1/0>10.0.1.2/0");
    EXPECT_EQ(paths(one, three).front(), "10.0.2.1/0>10.0.2.3/0");
    EXPECT_EQ(paths(two, three).front(), "10.0.3.2/0>10.0.3.3/0");
}

TEST(Paths, VersionsOfTheProtocolDoNotMix) {
    EXPECT_EQ(paths({1, {on("10.0.0.1", 24)}}, {2, {on("fd00::2", 64)}}), texts{});
    EXPECT_EQ(paths({1, {on("fd00::1", 64), loopback}}, {2, {loopback, on("fd00::2", 64)}}),
              (texts{"fd00::1/0>fd00::2/0"}));
}

TEST(Paths, TheFirstThatLetsAConnectionThroughIsFound) {
    socket_address any = address("127.0.0.1");
    const owned_descriptor listener = listen_at(any);
    ASSERT_TRUE(listener);
    const socket_address open = end_of(listener.get(), getsockname);
    socket_address refusing;
    {
        const owned_descriptor closed = listen_at(any);
        refusing = end_of(closed.get(), getsockname);
    }
    const std::vector<std::vector<path>> all{
        {{{}, refusing}, {{}, open}}, {}, {{{}, refusing}}, {{address("192.0.2.1"), open}, {{}, open}}};
    const std::vector<open_path> found = find_open(all);
    ASSERT_EQ(found.size(), all.size());
    EXPECT_EQ(found[0].number, 1);
    EXPECT_EQ(found[1].number, open_path::none);
    EXPECT_EQ(found[2].number, open_path::none);
    EXPECT_EQ(found[2].problem, ECONNREFUSED);
    EXPECT_EQ(found[3].number, 1); // this machine has no such address to begin at
}

} // namespace

} // namespace lisle::tcp
