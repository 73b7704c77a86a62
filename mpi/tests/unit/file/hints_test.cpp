// SPDX-License-Identifier: Apache-2.0
// Hints of a file: those that mean something are taken, the others change nothing.
#include "file/hints.hpp"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace lisle::file {
namespace {

hints with(const std::vector<std::pair<std::string, std::string>> &said) {
    info given;
    for (const auto &[key, value] : said) {
        given.set(key, value);
    }
    hints all;
    all.apply(given);
    return all;
}

TEST(file_hints, are_taken) {
    const hints all = with({{"cb_buffer_size", "65536"},
                            {"cb_nodes", "3"},
                            {"romio_cb_read", "disable"},
                            {"romio_ds_write", "enable"}});
    EXPECT_EQ(all.collective_buffer, 65536);
    EXPECT_EQ(all.aggregators, 3);
    EXPECT_EQ(all.collective_reads, choice::disable);
    EXPECT_EQ(all.collective_writes, choice::automatic);
    EXPECT_EQ(all.sieved_writes, choice::enable);
}

TEST(file_hints, what_means_nothing_is_ignored) {
    const hints usual;
    for (const char *const value : {"", "x", "-1", "0", "12x", "99999999999999999999", " 4"}) {
        EXPECT_EQ(with({{"cb_nodes", value}}).aggregators, usual.aggregators) << value;
        EXPECT_EQ(with({{"ind_rd_buffer_size", value}}).read_buffer, usual.read_buffer) << value;
    }
    EXPECT_EQ(with({{"romio_cb_read", "sometimes"}}).collective_reads, choice::automatic);
    EXPECT_EQ(with({{"cb_Nodes", "3"}}).aggregators, usual.aggregators);
}

TEST(file_hints, are_told_as_they_were_given) {
    hints said = with({{"cb_buffer_size", "131072"}, {"cb_nodes", "2"}, {"romio_cb_write", "enable"}});
    info told;
    said.describe(told);
    hints again;
    again.apply(told);
    EXPECT_EQ(again.collective_buffer, said.collective_buffer);
    EXPECT_EQ(again.aggregators, said.aggregators);
    EXPECT_EQ(again.read_buffer, said.read_buffer);
    EXPECT_EQ(again.collective_writes, said.collective_writes);
    EXPECT_EQ(again.sieved_reads, said.sieved_reads);
}

} // namespace
} // namespace lisle::file
