// SPDX-License-Identifier: Apache-2.0
// Messages as flows: LogGP's closed forms, to the cycle, and what flows that share links get of them.
#include "tile/fabric/flow_carrier.hpp"

#include <functional>
#include <gtest/gtest.h>
#include <sstream>

namespace lisle::fabric {
namespace {

using tile::cycle;

tile::parameters machine(const std::string &lines) {
    tile::parameters read;
    std::istringstream from{"grain = flow\nwire_cycles = 700\nsend_cycles = 110\nreceive_cycles = 90\n" +
                            lines};
    tile::read_parameters(read, from, "test");
    return read;
}

/// Hosts at one switch: all are equally far.
std::string at_one_switch(int hosts) {
    return "topology = fat_tree\nheight = 1\nwidth = " + std::to_string(hosts) +
           "\ntree_arity = " + std::to_string(hosts) + "\n";
}

/// What one message takes: o + k G + L + o, with 4 bytes in a cycle.
constexpr cycle message(std::int64_t bytes) {
    return 110 + bytes / 4 + 700 + 90;
}

/// Ranks that send when they have received, as a table says.
class players {
  public:
    /// @param got(rank, from, now) is called when a rank has received a message and spent its cycles for it
    players(const tile::parameters &built, int ranks, std::function<void(int, int, cycle)> got)
        : got_{std::move(got)}, over_{built, hosts(built, ranks), 0, [](int) {}},
          took_(static_cast<std::size_t>(ranks), -1) {}

    void send(int from, int to, std::size_t bytes) {
        carrier::packet *const packet = over_.claim(from, bytes);
        packet->peer = to;
        over_.send(from, packet);
    }
    void run() {
        do {
            for (int rank = 0; rank < over_.ranks(); ++rank) {
                look(rank);
            }
        } while (over_.advance(tile::flow_network::never));
    }
    [[nodiscard]] cycle now() const { return over_.now(); }

  private:
    static std::vector<int> hosts(const tile::parameters &built, int ranks) {
        std::vector<int> all;
        for (int rank = 0; rank < ranks; ++rank) {
            all.push_back(rank / static_cast<int>(built.host_ranks));
        }
        return all;
    }
    void look(int rank) {
        int &took = took_[static_cast<std::size_t>(rank)];
        if (took >= 0 && over_.caught_up(rank)) {
            const int from = std::exchange(took, -1);
            got_(rank, from, over_.now());
        }
        if (carrier::packet *const packet = over_.arrived(rank); packet != nullptr && took < 0) {
            took = packet->peer;
            const cycle taking = over_.receive_cycles(*packet);
            over_.release(rank);
            over_.work(rank, taking);
        }
    }

    std::function<void(int, int, cycle)> got_;
    flow_carrier over_;
    std::vector<int> took_; ///< by rank: whose message it spends its cycles for
};

TEST(Flows, APingPongTakesWhatLogGPSays) {
    for (const std::size_t bytes : {0U, 4U, 1000U, 1'000'000U}) {
        int rounds = 10;
        players two{machine(at_one_switch(2)), 2, [&](int rank, int from, cycle) {
                        if (rank == 1 || --rounds > 0) {
                            two.send(rank, from, bytes);
                        }
                    }};
        two.send(0, 1, bytes);
        two.run();
        EXPECT_EQ(two.now(), 2 * 10 * message(static_cast<std::int64_t>(bytes))) << bytes;
    }
}

TEST(Flows, ARingTakesAMessageForEachRank) {
    constexpr int ranks = 7;
    players ring{machine(at_one_switch(ranks)), ranks, [&](int rank, int, cycle) {
                     if (rank != 0) {
                         ring.send(rank, (rank + 1) % ranks, 400);
                     }
                 }};
    ring.send(0, 1, 400);
    ring.run();
    EXPECT_EQ(ring.now(), ranks * message(400));
}

TEST(Flows, ABinomialTreeIsAsDeepAsItsLogarithm) {
    constexpr int ranks = 16;
    constexpr std::size_t bytes = 64;
    const auto send_on = [&](players &tree, int rank) {
        // A rank's subtree has as many members as its lowest bit says.
        for (int half = rank == 0 ? ranks / 2 : (rank & -rank) / 2; half > 0; half /= 2) {
            tree.send(rank, rank + half, bytes);
        }
    };
    std::vector<cycle> received(ranks);
    players tree{machine(at_one_switch(ranks)), ranks, [&](int rank, int, cycle now) {
                     received[static_cast<std::size_t>(rank)] = now;
                     send_on(tree, rank);
                 }};
    send_on(tree, 0);
    tree.run();
    EXPECT_EQ(tree.now(), 4 * message(bytes));
    // The root's last message follows three others, each of which keeps it busy for its overhead.
    EXPECT_EQ(received[1], 3 * 110 + message(bytes));
    EXPECT_EQ(received[15], 4 * message(bytes));
}

TEST(Flows, RecursiveDoublingTakesAMessageForEachStep) {
    constexpr int ranks = 8;
    constexpr std::size_t bytes = 800;
    players all{machine(at_one_switch(ranks)), ranks, [&](int rank, int from, cycle) {
                    if (const int next = (rank ^ from) * 2; next < ranks) {
                        all.send(rank, rank ^ next, bytes);
                    }
                }};
    for (int rank = 0; rank < ranks; ++rank) {
        all.send(rank, rank ^ 1, bytes);
    }
    all.run();
    EXPECT_EQ(all.now(), 3 * message(bytes));
}

TEST(Flows, MessagesOfARankLeaveOneAfterTheOtherNoCloserThanTheGap) {
    std::vector<cycle> received;
    const auto run = [&](const std::string &lines, std::size_t bytes) {
        received.clear();
        players two{machine(at_one_switch(2) + lines), 2,
                    [&](int, int, cycle now) { received.push_back(now); }};
        for (int i = 0; i < 3; ++i) {
            two.send(0, 1, bytes);
        }
        two.run();
    };
    run("", 4000); // 1,000 cycles on the link, longer than the overheads
    EXPECT_EQ(received, (std::vector<cycle>{message(4000), message(4000) + 1000, message(4000) + 2000}));
    run("gap_cycles = 5000", 4000);
    EXPECT_EQ(received, (std::vector<cycle>{message(4000), message(4000) + 5000, message(4000) + 10000}));
}

TEST(Flows, RanksOfAHostMeetInItsMemoryAndShareItsLink) {
    const std::string hosts = at_one_switch(2) + "host_ranks = 2\nmemory_cycles = 50\nmemory_bytes = 8\n";
    std::vector<cycle> received(4);
    players four{machine(hosts), 4,
                 [&](int rank, int, cycle now) { received[static_cast<std::size_t>(rank)] = now; }};
    four.send(0, 1, 800);
    four.run();
    EXPECT_EQ(received[1], 110 + 800 / 8 + 50 + 90);
    players both{machine(hosts), 4,
                 [&](int rank, int, cycle now) { received[static_cast<std::size_t>(rank)] = now; }};
    both.send(0, 2, 800);
    both.send(1, 3, 800);
    both.run();
    EXPECT_EQ(received[2], 110 + 2 * 200 + 700 + 90);
    EXPECT_EQ(received[3], received[2]);
}

// ---- what flows get of links ----

constexpr double whole = 4; // bytes in a cycle

TEST(Flows, TwoFlowsOverOneLinkShareItAndOneAloneHasIt) {
    tile::flow_network line{machine("width = 5\nheight = 1\n")};
    const int first = line.start(0, 2, 4000, 0);
    EXPECT_EQ(line.rate(first, 0), whole);
    const int second = line.start(1, 3, 8000, 500); // both over 1 -> 2; the first has 2,000 bytes left
    const int third = line.start(3, 4, 400, 500);
    EXPECT_EQ(line.rate(first, 500), whole / 2);
    EXPECT_EQ(line.rate(second, 500), whole / 2);
    EXPECT_EQ(line.rate(third, 500), whole);
    EXPECT_EQ(line.next(500), 600);
    EXPECT_EQ(line.take(600), std::vector<int>{third});
    EXPECT_EQ(line.next(600), 1500);
    EXPECT_EQ(line.take(1500), std::vector<int>{first});
    EXPECT_EQ(line.rate(second, 1500), whole);
    EXPECT_EQ(line.next(1500), 1500 + 6000 / 4);
}

TEST(Flows, AHostsLinkHasABandwidthForEachDirectionOrOneForBoth) {
    for (const auto &[lines, shared] : {std::pair{"", false}, std::pair{"host_duplex = off\n", true}}) {
        tile::flow_network line{machine(std::string{"width = 3\nheight = 1\n"} + lines)};
        const int there = line.start(0, 1, 4000, 0);
        const int back = line.start(1, 0, 4000, 0);
        EXPECT_EQ(line.rate(there, 0), shared ? whole / 2 : whole) << lines;
        EXPECT_EQ(line.rate(back, 0), shared ? whole / 2 : whole) << lines;
        EXPECT_EQ(line.next(0), shared ? 2000 : 1000) << lines;
    }
}

TEST(Flows, RatesAreFairAndNoneCouldGrow) {
    // Three flows over 2 -> 3, of which one goes on over 3 -> 4 that is five times as narrow: it gets that
    // fifth, and the two others what it leaves.
    tile::flow_network line{machine("width = 6\nheight = 1\nlink = 3 4 period 5\n")};
    const int narrow = line.start(2, 5, 1000, 0);
    const int one = line.start(1, 3, 1000, 0);
    const int other = line.start(0, 3, 1000, 0);
    EXPECT_DOUBLE_EQ(line.rate(narrow, 0), whole / 5);
    EXPECT_DOUBLE_EQ(line.rate(one, 0), (whole - whole / 5) / 2);
    EXPECT_DOUBLE_EQ(line.rate(other, 0), (whole - whole / 5) / 2);
    const std::vector<int> first_to_end = line.take(line.next(0));
    EXPECT_EQ(first_to_end, (std::vector<int>{one, other}));
    EXPECT_DOUBLE_EQ(line.rate(narrow, 625), whole / 5);
}

TEST(Flows, ManyFlowsEndWithAllTheirBytesAndAsFastAsTheLinksCarry) {
    tile::flow_network torus{machine("topology = torus\nwidth = 4\nheight = 4\n")};
    for (int from = 0; from < 16; ++from) {
        for (int to = 0; to < 16; ++to) {
            if (from != to) {
                static_cast<void>(torus.start(from, to, 1200, 0));
            }
        }
    }
    std::size_t ended = 0;
    cycle now = 0;
    while (torus.next(now) != tile::flow_network::never) {
        now = torus.next(now);
        ended += torus.take(now).size();
    }
    EXPECT_EQ(ended, 16U * 15U);
    EXPECT_GE(now, 15 * 1200 / 4) << "each host's link carries 15 of them";
    EXPECT_LE(now, 2 * 15 * 1200 / 4);
}

} // namespace
} // namespace lisle::fabric
