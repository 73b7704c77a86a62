// SPDX-License-Identifier: Apache-2.0
// Parameters in files, the four programs, and the pictures.
#include <gtest/gtest.h>
#include <sstream>

#include "tile/heat_map.hpp"
#include "tile/study/experiments.hpp"
#include "tile/study/plot.hpp"
#include "tile/study/traffic.hpp"

namespace lisle::tile::study {
namespace {

TEST(TileParameters, AFileGivesBackWhatWasWritten) {
    parameters written;
    written.width = 9;
    written.send_word_cycles = 17;
    written.topology = static_cast<std::int64_t>(topology::torus);
    written.links = {{.from = 3, .to = 4, .width = 2, .latency = 7}, {.from = 1, .to = 2, .broken = true}};
    written.broken_routers = {9};
    written.graph = "/a/graph";
    std::stringstream file;
    write_parameters(written, file);
    parameters read;
    read_parameters(read, file, "test");
    for (const parameter &row : parameter_table()) {
        EXPECT_EQ(read.*row.value, written.*row.value) << row.name;
        EXPECT_FALSE(row.source.empty()) << row.name;
    }
    ASSERT_EQ(read.links.size(), 2U);
    EXPECT_EQ(read.links[0].latency, 7);
    EXPECT_EQ(read.links[0].period, 0);
    EXPECT_TRUE(read.links[1].broken);
    EXPECT_EQ(read.broken_routers, written.broken_routers);
    EXPECT_EQ(read.graph, written.graph);
}

std::string refusal(const std::string &content) {
    std::istringstream file{content};
    parameters read;
    try {
        read_parameters(read, file, "my.mesh");
    } catch (const std::invalid_argument &wrong) {
        return wrong.what();
    }
    return "";
}

TEST(TileParameters, MistakesAreNamedWithTheirLine) {
    EXPECT_EQ(refusal("# a comment\n\nwidth = 8 # tiles\n"), "");
    EXPECT_EQ(refusal("width = 8\nwidht = 4\n"), "my.mesh:2: there is no parameter \"widht\"");
    EXPECT_EQ(refusal("width = 0"), "my.mesh:1: width = 0 is outside 1 to 1024");
    EXPECT_EQ(refusal("width = 8x"), "my.mesh:1: \"8x\" is not a whole number");
    EXPECT_EQ(refusal("width = 8\n\nwidth = 8"), "my.mesh:3: width stands twice");
    EXPECT_EQ(refusal("link = 1 2 width 2\nlink = 2 1 period 3"), "my.mesh:2: link 1 2 stands twice");
    EXPECT_EQ(refusal("link = 1 2 width 2 width 3"), "my.mesh:1: the link's width stands twice");
    EXPECT_EQ(refusal("link = 1"),
              "my.mesh:1: a link is \"A B [width N] [period N] [latency N]\", not \"1\"");
    EXPECT_EQ(refusal("topology = cube"),
              "my.mesh:1: topology is one of mesh, torus, ring, fat_tree, dragonfly, graph, not \"cube\"");
    EXPECT_EQ(refusal("width"), "my.mesh:1: expected \"name = value\", found \"width\"");
}

TEST(TileApplications, AnswersAreThoseOfOneTile) {
    const application_sizes small{300, 500, 40, 5, 12, 8, 6};
    for (const bool compact : {false, true}) {
        const set_up with{.built = {}, .with = rmpi::version::v3, .compact_map = compact};
        for (const application_maker &make : applications(small)) {
            const application_speed speed = measure(with, make, {1, 2, 4, 7, 16});
            for (std::size_t i = 0; i < speed.runs.size(); ++i) {
                EXPECT_TRUE(speed.runs[i].as_serial) << speed.name << " on " << speed.tiles[i] << " tiles";
            }
        }
    }
}

TEST(TileApplications, ExhaustivelySpeedUpsAreWithinAFifthOfTheThesis) {
    struct row {
        double at2, at4, at8, at16;
    };
    constexpr row thesis[] = {
        {0, 3.92, 7.52, 12.3}, {0, 0, 7.6, 14.56}, {1.2, 2.3, 4.4, 9.3}, {0, 2.8, 5.8, 8.5}};
    const std::vector<application_maker> all = applications({});
    for (std::size_t i = 0; i < all.size(); ++i) {
        const application_speed speed = measure({}, all[i], {1, 2, 4, 8, 16});
        const double stated[] = {thesis[i].at2, thesis[i].at4, thesis[i].at8, thesis[i].at16};
        for (std::size_t run = 0; run < 4; ++run) {
            if (stated[run] != 0) {
                EXPECT_NEAR(speed.speed_up(run + 1), stated[run], 0.2 * stated[run]) << speed.name;
            }
        }
        if (speed.name == "matrix product") {
            EXPECT_LT(speed.speed_up(1), 1);
        }
    }
}

TEST(TileExperiments, TheCostOfAMessageOverBarePacketsShrinksWithItsLength) {
    const set_up with;
    const auto ratio = [&](std::size_t words) {
        return static_cast<double>(message_cycles(with, words)) /
               static_cast<double>(bare_packets_cycles(with, words));
    };
    EXPECT_GT(ratio(10), ratio(100));
    EXPECT_GT(ratio(100), ratio(10'000));
    EXPECT_GT(ratio(10'000), 1.0);
}

TEST(TileExperiments, PingPongGrowsLinearly) {
    const double exponent =
        fitted_exponent({1000, 10'000, 100'000}, {static_cast<double>(ping_pong_cycles({}, 1000)),
                                                  static_cast<double>(ping_pong_cycles({}, 10'000)),
                                                  static_cast<double>(ping_pong_cycles({}, 100'000))});
    EXPECT_NEAR(exponent, 1, 0.05);
}

// ---- synthetic traffic ----

parameters network_of(const std::string &lines) {
    parameters read;
    std::istringstream from{lines};
    read_parameters(read, from, "test");
    return read;
}

traffic_result under(const std::string &lines, const char *to, double rate) {
    const parameters machine = network_of(lines);
    traffic_options options;
    options.to = pattern_from(to, machine);
    options.rate = rate;
    options.warm_up = 500;
    options.measured = 2500;
    return run_traffic(machine, options);
}

TEST(TileTraffic, WithoutLoadAPacketTakesItsLinksThePortAndItsWords) {
    constexpr int behind_header = 7;
    const traffic_result torus = under("topology = torus", "neighbour", 0.02);
    EXPECT_EQ(torus.report.times.percentile(50), 2 + 1 + behind_header);
    EXPECT_FALSE(torus.saturated);
    const traffic_result mesh = under("contention = off\nvirtual_channels = 1", "bit-complement", 0.02);
    // Half of the tiles are as far as 3 columns, the others 1; so with rows: 6, 4, 4 and 2 links.
    EXPECT_EQ(mesh.report.times.percentile(50), 4 + 1 + behind_header);
    EXPECT_EQ(mesh.report.times.most(), 6 + 1 + behind_header);
}

TEST(TileTraffic, ANetworkTakesWhatItsNarrowestCutCarries) {
    // All packets cross the middle, over 4 links from 8 tiles.
    const traffic_result mesh = under("", "bit-complement", 0.9);
    EXPECT_LE(mesh.accepted, 0.505);
    EXPECT_GE(mesh.accepted, 0.45);
    EXPECT_TRUE(mesh.saturated);
    // Half of them cross it, over 2 links from 8 tiles.
    const traffic_result ring =
        under("topology = ring\nvirtual_channels = 8\nlink_words = 16", "uniform", 0.9);
    EXPECT_LE(ring.accepted, 0.505);
    EXPECT_GE(ring.accepted, 0.35);
}

TEST(TileTraffic, ValiantsWayTakesWhatDimensionOrderDoesNot) {
    // The shortest ways of 7 links all go round in one direction.
    const std::string ring = "topology = ring\nvirtual_channels = 4\nlink_words = 8\n";
    const traffic_result direct = under(ring, "tornado", 0.2);
    EXPECT_LE(direct.accepted, 1.0 / 7 + 0.005);
    EXPECT_GT(under(ring + "routing = valiant\n", "tornado", 0.2).accepted, 1.1 / 7);
}

TEST(TileTraffic, TwoRunsAreTheSameAndAnotherSeedIsNot) {
    const auto mean = [](const char *lines) { return under(lines, "uniform", 0.3).report.times.mean(); };
    EXPECT_EQ(mean("routing = adaptive"), mean("routing = adaptive"));
    EXPECT_NE(mean("routing = adaptive"), mean("routing = adaptive\nseed = 2"));
}

TEST(TileTraffic, ACurveEndsWhereTheNetworkIsSaturatedAndTakesLongerWithMoreLoad) {
    traffic_options options;
    options.to = pattern::transpose;
    options.warm_up = 300;
    options.measured = 1500;
    const std::vector<traffic_result> curve = run_curve(parameters{}, options, 0.2);
    ASSERT_GE(curve.size(), 2U);
    EXPECT_TRUE(curve.back().saturated);
    EXPECT_LT(curve.front().report.times.mean(), curve.back().report.times.mean());
    EXPECT_THROW(static_cast<void>(pattern_from("transpose", network_of("width = 8"))),
                 std::invalid_argument);
    EXPECT_THROW(static_cast<void>(pattern_from("circle", parameters{})), std::invalid_argument);
}

TEST(TilePictures, AHeatMapShowsEachTileAndLink) {
    tile_array array{parameters{}};
    EXPECT_FALSE(array.run([](core &here) {
        word packet[] = {make_header(here.shape(), 3, 1), 7};
        word got = 0;
        if (here.tile() == 0) {
            here.send(packet, 1);
        } else if (here.tile() == 3) {
            here.receive({&got, 1}, 1);
        }
    }));
    const link_traffic most = find_busiest_link(array.model().network());
    EXPECT_EQ(most.to, most.from + 1);
    EXPECT_EQ(most.words, 2);
    const auto count = [text = draw_heat_map(array.model(), "test")](const std::string &part) {
        int found = 0;
        for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) {
            ++found;
        }
        return found;
    };
    EXPECT_EQ(count("rx="), 16);
    EXPECT_EQ(count("#780a14"), 3 + 1)
        << "three links carried the packet, and the scale ends in their colour";
}

TEST(TilePictures, APlotHasAPointForEachValue) {
    const std::string picture =
        draw({"title", "x", "y", true, true, {{"one", {{1, 10}, {10, 20}, {100, 3000}}}}});
    EXPECT_NE(picture.find("</svg>"), std::string::npos);
    std::size_t circles = 0;
    for (auto at = picture.find("<circle"); at != std::string::npos; at = picture.find("<circle", at + 1)) {
        ++circles;
    }
    EXPECT_EQ(circles, 3U);
}

} // namespace
} // namespace lisle::tile::study
