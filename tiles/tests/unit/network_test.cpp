// SPDX-License-Identifier: Apache-2.0
// Networks of all topologies: zero-load times by hand, all packets whole and in order under the heaviest
// load, what is broken, what is refused.
#include "tile/network/network.hpp"

#include <cstdlib>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <sstream>

#include "random_traffic.hpp"

namespace lisle::tile {
namespace {

parameters machine(const std::string &lines) {
    parameters read;
    std::istringstream from{lines};
    read_parameters(read, from, "test");
    return read;
}

/// When the only word behind a header that is written in cycle 0 can be read.
cycle arrival(network &over, int from, int to) {
    over.write(from, make_header(over.shape(), to, 1), 0);
    over.step(0);
    over.write(from, 77, 1);
    cycle now = 1;
    for (; over.waiting(to) == 0 && now < 1000; ++now) {
        over.step(now);
    }
    const cycle arrived = now;
    EXPECT_EQ(over.read(to), 77U);
    for (; over.active() && now < 1000; ++now) { // credits are on their way
        over.step(now);
    }
    EXPECT_FALSE(over.active()) << "nothing is left to do";
    return arrived;
}

int between(int a, int b) {
    return std::abs(a - b);
}
int around(int a, int b, int size) {
    return std::min(between(a, b), size - between(a, b));
}

struct hand_calculation {
    std::string lines;
    std::function<int(int, int)> links; ///< between two tiles, by hand
};

std::vector<hand_calculation> calculations() {
    return {
        {"width = 4\nheight = 3\nvirtual_channels = 1",
         [](int a, int b) { return between(a % 4, b % 4) + between(a / 4, b / 4); }},
        {"width = 5\nheight = 4\ntopology = torus",
         [](int a, int b) { return around(a % 5, b % 5, 5) + around(a / 5, b / 5, 4); }},
        {"width = 9\nheight = 1\ntopology = ring", [](int a, int b) { return around(a, b, 9); }},
        {"width = 3\nheight = 2\ndepth = 3",
         [](int a, int b) {
             return between(a % 3, b % 3) + between(a / 3 % 2, b / 3 % 2) + between(a / 6, b / 6);
         }},
        {"width = 3\nheight = 3\ndepth = 3\ntopology = torus",
         [](int a, int b) {
             return around(a % 3, b % 3, 3) + around(a / 3 % 3, b / 3 % 3, 3) + around(a / 9, b / 9, 3);
         }},
        {"width = 6\nheight = 4\nconcentration_x = 2\nconcentration_y = 2",
         [](int a, int b) { return between(a % 6 / 2, b % 6 / 2) + between(a / 12, b / 12); }},
        {"width = 9\nheight = 3\ntopology = fat_tree\ntree_arity = 3",
         [](int a, int b) { return a / 3 == b / 3   ? 0
                                   : a / 9 == b / 9 ? 2
                                                    : 4; }},
        // Group g's link to group g + k is at router (k - 1) / 2 of the two; 2 cores at each router.
        {"width = 4\nheight = 5\ntopology = dragonfly\nrouter_cores = 2\ngroup_routers = 2\nglobal_links = 2",
         [](int a, int b) {
             const int from = a / 2;
             const int to = b / 2;
             if (from / 2 == to / 2) {
                 return between(from, to);
             }
             const int ahead = (to / 2 - from / 2 + 5) % 5;
             const int leaves = from / 2 * 2 + (ahead - 1) / 2;
             const int comes = to / 2 * 2 + (5 - ahead - 1) / 2;
             return between(from, leaves) + 1 + between(comes, to);
         }},
    };
}

TEST(Networks, AWordAloneTakesWhatOneCountsByHand) {
    for (const hand_calculation &each : calculations()) {
        const parameters built = machine(each.lines);
        parameters free = built;
        free.contention = 0;
        for (int from = 0; from < built.tiles(); ++from) {
            for (int to = 0; to < built.tiles(); ++to) {
                // In the last router after as many cycles as there are links, in the port one later; written
                // in 1.
                const cycle by_hand = 1 + each.links(from, to) + 1;
                ASSERT_EQ(arrival(*make_network(built), from, to), by_hand)
                    << each.lines << ' ' << from << ' ' << to;
                ASSERT_EQ(arrival(*make_network(free), from, to), by_hand)
                    << each.lines << ' ' << from << ' ' << to;
            }
        }
    }
}

TEST(Networks, WithoutContentionTheThesissMeshTakesAsLongAsOneWordAlone) {
    for (int from = 0; from < 16; ++from) {
        for (int to = 0; to < 16; ++to) {
            ASSERT_EQ(arrival(*make_network(machine("contention = off")), from, to),
                      arrival(*make_network(parameters{}), from, to))
                << from << ' ' << to;
        }
    }
}

TEST(Networks, RoutersAndLinksTakeWhatTheParametersSay) {
    const std::string lines =
        "topology = torus\nwidth = 6\nheight = 1\nheader_cycles = 2\nrouter_cycles = 1\n"
        "link_cycles = 3\nlink = 1 2 latency 10\n";
    // The header needs 3 cycles at each of 3 routers, and 3 + 10 on links; the word is a cycle behind it.
    constexpr cycle by_hand = 3 * 3 + 13 + 1 + 1;
    EXPECT_EQ(arrival(*make_network(machine(lines)), 0, 2), by_hand);
    EXPECT_EQ(arrival(*make_network(machine(lines + "contention = off\n")), 0, 2), by_hand);
}

/// Cycles from the first to the last word of a packet of 31 words, from tile 0 to tile 1.
cycle spread(const std::string &lines) {
    const std::unique_ptr<network> over = make_network(machine("width = 2\nheight = 1\n" + lines));
    cycle first = 0;
    int written = 0;
    int read = 0;
    for (cycle now = 0; read < 31 && now < 1000; ++now) {
        for (; over->waiting(1) != 0; ++read) {
            static_cast<void>(over->read(1));
            first = read == 0 ? now : first;
        }
        if (read == 31) {
            return now - first;
        }
        if (written < 32 && over->has_room(0)) {
            over->write(0, written == 0 ? make_header(over->shape(), 1, 31) : 5, now);
            ++written;
        }
        over->step(now);
    }
    return -1;
}

TEST(Networks, ALinkCarriesAsManyWordsAsItsWidthAndClockSay) {
    EXPECT_EQ(spread("virtual_channels = 1"), 30);
    EXPECT_EQ(spread("link_period = 3"), 90);
    EXPECT_EQ(spread("link_period = 3\ncontention = off"), 90);
    EXPECT_EQ(spread("link = 0 1 period 2"), 60);
    // Two words every fourth cycle, and the port takes one after the other.
    EXPECT_NEAR(static_cast<double>(spread("link_period = 4\nlink_width = 2")), 60, 2);
}

TEST(Networks, AllPacketsArriveWholeAndInOrderUnderTheHeaviestLoad) {
    const std::string square = "width = 4\nheight = 4\n";
    const std::string tree = "width = 4\nheight = 2\ntopology = fat_tree\ntree_arity = 2\n";
    const std::string groups =
        "width = 4\nheight = 5\ntopology = dragonfly\nrouter_cores = 2\ngroup_routers = 2\n";
    const std::string lines[] = {
        square + "virtual_channels = 1",
        square + "virtual_channels = 3\nrouting = adaptive",
        square + "routing = adaptive\nlink_words = 1",
        square + "routing = valiant",
        square + "routing = odd_even\nlink_words = 2",
        square + "routing = up_down",
        square + "topology = torus\nlink_words = 1",
        square + "topology = torus\nrouting = adaptive\nlink_words = 2",
        square + "topology = torus\nrouting = valiant\nlink_words = 1",
        square + "topology = torus\nlink_width = 2\nlink_cycles = 3\ncredit_cycles = 2",
        "width = 8\nheight = 1\ntopology = ring\nlink_words = 1",
        "width = 3\nheight = 3\ndepth = 2\ntopology = torus\nrouting = adaptive",
        square + "concentration_x = 2\nconcentration_y = 2\nlink_words = 1",
        tree,
        tree + "routing = adaptive\nlink_words = 1",
        tree + "routing = valiant",
        groups + "link_words = 1",
        groups + "routing = valiant\nlink_words = 1",
        groups + "routing = adaptive\nlink_words = 2",
        groups + "routing = up_down",
        square + "topology = torus\nbroken_link = 0 1\nbroken_link = 5 9\nlink_words = 1",
        square + "topology = torus\nbroken_link = 0 1\nrouting = adaptive\nlink_words = 1",
        square + "contention = off",
        square + "network = 1 topology torus link_cycles 3\npackets = large all\nlink_words = 1",
        tree + "network = 1 link_width 2\nnetwork = 2 topology ring\npackets = large all",
        square + "network = 1 link_cycles 5\npackets = large all\ncontention = off",
    };
    for (const std::string &each : lines) {
        SCOPED_TRACE(each);
        const std::unique_ptr<network> over = make_network(machine(each));
        run_random_traffic(*over, 60, -1, 1.0, 1.0);
        EXPECT_EQ(over->words_under_way(), 0);
        if (testing::Test::HasFailure()) {
            return;
        }
    }
}

TEST(Networks, PacketsToOneTileArriveWholeAndInOrder) {
    for (const char *lines :
         {"topology = torus\nrouting = adaptive", "routing = valiant", "contention = off"}) {
        SCOPED_TRACE(lines);
        run_random_traffic(*make_network(machine(lines)), 40, 6, 1.0, 0.5);
    }
}

TEST(Networks, ACoreThatDoesNotReadStopsTheOneThatSends) {
    const std::unique_ptr<network> over = make_network(machine("topology = torus"));
    int written = 0;
    cycle now = 0;
    for (; now < 300; ++now) {
        if (over->has_room(0)) {
            over->write(0, written % 32 == 0 ? make_header(over->shape(), 2, 31) : 1, now);
            ++written;
        }
        over->step(now);
    }
    EXPECT_LT(written, 64);
    EXPECT_FALSE(over->active());
    EXPECT_EQ(over->stopped_by(0), 2);
    // The header that has arrived takes no place.
    EXPECT_EQ(over->words_under_way(), written - 1);
}

std::string refusal(const std::string &lines) {
    try {
        static_cast<void>(make_network(machine(lines)));
    } catch (const std::invalid_argument &wrong) {
        return wrong.what();
    }
    return "";
}

TEST(Networks, APacketDoesNotWaitForThoseOfAnotherNetwork) {
    const std::string row = "width = 4\nheight = 1\nvirtual_channels = 1\n";
    const auto arrives = [](const std::string &lines) {
        const std::unique_ptr<network> over = make_network(machine(lines));
        cycle now = 0;
        for (int written = 0; now < 100; ++now) { // tile 2 does not read, and all is full up to tile 0
            if (over->has_room(0)) {
                over->write(0, written++ % 32 == 0 ? make_header(over->shape(), 2, 31) : 1, now);
            }
            over->step(now);
        }
        over->carry_as(1, packet_class::small);
        over->write(1, make_header(over->shape(), 3, 1), now);
        over->write(1, 7, now);
        for (; now < 200; ++now) {
            over->step(now);
        }
        return over->waiting(3) == 1;
    };
    EXPECT_FALSE(arrives(row));
    EXPECT_FALSE(arrives(row + "network = 1 link_width 2\npackets = large 1\npackets = small 1\n"));
    EXPECT_TRUE(arrives(row + "network = 1 link_width 2\npackets = small 1\n"));
}

TEST(Networks, EachOfSeveralNetworksHasItsOwnTopologyWidthAndClock) {
    const std::string lines = "width = 6\nheight = 1\nvirtual_channels = 1\n"
                              "network = 1 topology ring virtual_channels 2 link_cycles 4\n"
                              "link = 0 5 latency 2 network 1\npackets = control 1\n";
    for (const char *contention : {"", "contention = off\n"}) {
        const parameters built = machine(lines + contention);
        EXPECT_EQ(arrival(*make_network(built), 0, 5), 1 + 5 + 1);
        const std::unique_ptr<network> other = make_network(built);
        other->carry_as(0, packet_class::control);
        EXPECT_EQ(arrival(*other, 0, 5), 1 + 2 + 1) << "the ring's way back";
        const std::unique_ptr<network> same = make_network(built);
        same->carry_as(0, packet_class::control);
        EXPECT_EQ(arrival(*same, 0, 2), 1 + 2 * 4 + 1);
        int over_ring = 0;
        for (const link_traffic &each : same->links()) {
            over_ring += each.network == 1 && each.words == 2 ? 1 : 0;
            EXPECT_TRUE(each.words == 0 || each.network == 1);
        }
        EXPECT_EQ(over_ring, 2);
    }
}

TEST(Networks, ParametersOfSeveralNetworksAreWrittenAsTheyAreRead) {
    std::stringstream file;
    write_parameters(machine("network = 1 topology torus link_width 2\nlink = 0 1 period 3 network 1\n"
                             "packets = control 1\npackets = large all\n"),
                     file);
    parameters read;
    read_parameters(read, file, "written");
    EXPECT_EQ(read.networks(), 2);
    const parameters second = read.network_alone(1);
    EXPECT_EQ(second.joined(), topology::torus);
    EXPECT_EQ(second.link_width, 2);
    EXPECT_EQ(second.links.size(), 1U);
    EXPECT_EQ(read.network_alone(0).joined(), topology::mesh);
    EXPECT_TRUE(read.network_alone(0).links.empty());
    EXPECT_EQ(read.carried_by, (std::array{1, 0, parameters::all_in_turn}));
}

TEST(Networks, MachinesThatDoNotFitAreRefusedInASentence) {
    EXPECT_EQ(refusal("topology = torus\nvirtual_channels = 1"),
              "this routing needs virtual_channels = 2 at least, not 1");
    EXPECT_EQ(refusal("topology = torus\nrouting = odd_even"),
              "odd-even routing is for a mesh in two dimensions");
    EXPECT_EQ(
        refusal("topology = fat_tree\ntree_arity = 3"),
        "a fat tree with tree_arity = 3 has a power of it as the number of tiles, for example 27, not 16");
    EXPECT_NE(refusal("topology = dragonfly\nwidth = 5").find("a multiple of 8 tiles, at most 72, not 20"),
              std::string::npos);
    EXPECT_EQ(refusal("width = 5\nconcentration_x = 2"),
              "5 x 4 tiles are no whole number of routers with 2 x 1");
    EXPECT_EQ(refusal("broken_link = 0 5"), "there is no link between routers 0 and 5");
    EXPECT_EQ(refusal("broken_router = 16"), "there is no router 16 of 16");
    EXPECT_EQ(refusal("broken_link = 0 1\nbroken_link = 0 4"), "no link leads from tile 0 to tile 1");
    EXPECT_NE(refusal("broken_link = 0 1\nrouting = valiant").find("Valiant routing does not go by tables"),
              std::string::npos);
    EXPECT_EQ(refusal("topology = graph"), "the graph (graph = FILE) cannot be read");
    EXPECT_EQ(refusal("network = 1 width 3"), "network 1 has no width of its own: it is that of the machine");
    EXPECT_EQ(refusal("network = 1 link_width 0"), "link_width = 0 is outside 1 to 1000");
    EXPECT_EQ(refusal("network = 0 link_width 2"), "test:1: network 0 is described by the other lines");
    EXPECT_EQ(refusal("network = 9 link_width 2"), "test:1: network 9 is outside 0 to 7");
    EXPECT_EQ(refusal("network = 1 link_width"), "test:1: network 1 has no value for link_width");
    EXPECT_EQ(refusal("network = 1 link_width 2 link_width 3"),
              "test:1: link_width of network 1 stands twice");
    EXPECT_NE(refusal("packets = urgent 1").find("\"control N\", \"small N\" or \"large N\""),
              std::string::npos);
    EXPECT_EQ(refusal("network = 1 link_width 2\npackets = small 2"),
              "packets go by network 2, and the machine has networks 0 to 1");
    EXPECT_EQ(refusal("packets = small 1"), "packets go by network 1, and the machine has networks 0 to 0");
    EXPECT_EQ(refusal("link = 0 1 width 2 network 1"),
              "a link is of network 1, and the machine has networks 0 to 0");
}

TEST(Networks, PacketsGoAroundWhatIsBrokenAndTilesOfABrokenRouterAreRefused) {
    const std::unique_ptr<network> over = make_network(machine("broken_link = 5 6\nbroken_router = 9"));
    EXPECT_NE(over->described().find("around 2 broken"), std::string::npos) << over->described();
    over->write(5, make_header(over->shape(), 6, 1), 0);
    over->write(5, 1, 0);
    for (cycle now = 0; over->active() && now < 100; ++now) {
        over->step(now);
    }
    EXPECT_EQ(over->waiting(6), 1);
    for (const link_traffic &each : over->links()) {
        EXPECT_FALSE((each.from == 5 && each.to == 6) || each.from == 9 || each.to == 9);
    }
    EXPECT_THROW(over->write(0, make_header(over->shape(), 9, 1), 100), std::invalid_argument);
}

TEST(Networks, AGraphComesFromAFile) {
    const std::string file = testing::TempDir() + "triangle.graph";
    std::ofstream{file}
        << "# a triangle with a tail, and a core at both ends of it\n0 1\n1 2 latency 5\n0 2\n2 3\n"
           "core 0\ncore 3\ncore 1\n";
    const std::string lines = "width = 3\nheight = 1\ntopology = graph\ngraph = " + file + "\n";
    EXPECT_EQ(arrival(*make_network(machine(lines)), 0, 1), 1 + 2 + 1) << "over router 2";
    EXPECT_EQ(arrival(*make_network(machine(lines + "routing = adaptive\n")), 2, 1), 1 + 6 + 1);
    run_random_traffic(*make_network(machine(lines)), 100, -1, 1.0, 1.0);
    EXPECT_NE(refusal("topology = graph\ngraph = " + file).find("has 3 cores"), std::string::npos);
    std::ofstream{file} << "0 1\n1 x\n";
    EXPECT_EQ(refusal(lines), file + ":2: \"x\" is not a whole number");
}

TEST(Networks, LatenciesAreCountedFromTheHeaderToTheLastWord) {
    for (const char *lines :
         {"", "virtual_channels = 1", "contention = off", "network = 1 link_width 2\npackets = large all"}) {
        const std::unique_ptr<network> over = make_network(machine(lines));
        over->measure_latencies();
        run_random_traffic(*over, 50, -1, 1.0, 1.0);
        EXPECT_EQ(over->latencies().packets(), 16 * 50) << lines;
        const std::unique_ptr<network> alone = make_network(machine(lines));
        alone->measure_latencies();
        const cycle read = arrival(*alone, 0, 15);
        EXPECT_EQ(alone->latencies().most(), read) << lines;
        EXPECT_GT(over->latencies().percentile(99), over->latencies().percentile(50)) << lines;
        EXPECT_GE(over->latencies().most(), over->latencies().percentile(99)) << lines;
    }
}

TEST(Networks, TwoRunsAreTheSame) {
    for (const char *lines : {"routing = valiant", "topology = torus\nrouting = adaptive"}) {
        std::vector<std::int64_t> words[2];
        for (std::vector<std::int64_t> &run : words) {
            const std::unique_ptr<network> over = make_network(machine(lines));
            over->measure_latencies();
            run_random_traffic(*over, 50, -1, 1.0, 1.0);
            for (const link_traffic &each : over->links()) {
                run.push_back(each.words);
            }
            run.push_back(over->latencies().most());
        }
        EXPECT_EQ(words[0], words[1]) << lines;
    }
}

} // namespace
} // namespace lisle::tile
