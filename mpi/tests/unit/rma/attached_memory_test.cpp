// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "../error_code.hpp"
#include "mpi.h"
#include "rma/state/attached_memory.hpp"

namespace {

using namespace lisle;

TEST(attached_memory, knows_what_is_attached) {
    rma::attached_memory memory;
    char bytes[100]{};
    const auto at = reinterpret_cast<std::uint64_t>(bytes);
    memory.add(bytes + 10, 20);
    EXPECT_TRUE(memory.holds(at + 10, 20));
    EXPECT_TRUE(memory.holds(at + 29, 1));
    EXPECT_TRUE(memory.holds(at + 29, 0));
    EXPECT_FALSE(memory.holds(at + 29, 2));
    EXPECT_FALSE(memory.holds(at + 9, 2));
    EXPECT_FALSE(memory.holds(at, 1));
    memory.add(bytes + 30, 5); // which touches it
    EXPECT_TRUE(memory.holds(at + 10, 25));
    memory.remove(bytes + 10);
    EXPECT_FALSE(memory.holds(at + 10, 1));
    EXPECT_TRUE(memory.holds(at + 30, 5));
}

TEST(attached_memory, refuses_overlaps_and_strangers) {
    rma::attached_memory memory;
    char bytes[100]{};
    memory.add(bytes + 10, 20);
    EXPECT_EQ(code_of([&] { memory.add(bytes + 10, 20); }), MPI_ERR_RMA_ATTACH);
    EXPECT_EQ(code_of([&] { memory.add(bytes, 11); }), MPI_ERR_RMA_ATTACH);
    EXPECT_EQ(code_of([&] { memory.add(bytes + 29, 1); }), MPI_ERR_RMA_ATTACH);
    EXPECT_EQ(code_of([&] { memory.remove(bytes + 11); }), MPI_ERR_RMA_ATTACH);
    EXPECT_EQ(code_of([&] { memory.add(bytes, 10); }), MPI_SUCCESS);
    EXPECT_EQ(code_of([&] { memory.add(bytes + 30, 10); }), MPI_SUCCESS);
}

} // namespace
