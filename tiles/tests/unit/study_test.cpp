// SPDX-License-Identifier: Apache-2.0
// Parameters in files, the four programs, and the pictures.
#include <gtest/gtest.h>
#include <sstream>

#include "tile/heat_map.hpp"
#include "tile/study/experiments.hpp"
#include "tile/study/plot.hpp"

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
