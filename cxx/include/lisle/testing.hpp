// SPDX-License-Identifier: Apache-2.0
// Tests of MPI code inside GoogleTest, Catch2 or any other framework: a function runs as so many ranks within
// the test, with no launcher. The ranks are fibers of one thread, so assertions of one rank never meet those
// of another, whatever the framework can bear, and runs are repeatable. See docs/embedding.md.
#pragma once

#include <initializer_list>
#include <string>

#include "lisle/run.hpp"

namespace lisle::testing {

/// The rank that runs a test.
struct rank_info {
    int rank;
    int size;
    /// "rank 2 of 4", for messages.
    [[nodiscard]] std::string text() const {
        return "rank " + std::to_string(rank) + " of " + std::to_string(size);
    }
};

namespace detail {
// Fatal assertions of GoogleTest only return from the function; with this they end their rank.
struct fatal_assertion : std::runtime_error {
    fatal_assertion() : std::runtime_error{"a fatal assertion failed"} {}
};
} // namespace detail

/// Runs `test(info)` (or `test()`) as each of `ranks` ranks and returns when all have ended. An exception
/// that leaves it (as of Catch2's REQUIRE) is thrown again here; ranks that wait for one that has failed end
/// the program after `patience`.
template <class Test>
void as_ranks(int ranks, Test &&test, std::chrono::milliseconds patience = std::chrono::seconds{10}) {
    const auto body = [&test] {
        rank_info here{};
        MPI_Comm_rank(MPI_COMM_WORLD, &here.rank);
        MPI_Comm_size(MPI_COMM_WORLD, &here.size);
        if constexpr (std::invocable<Test &, rank_info>) {
            test(here);
        } else {
            test();
        }
#ifdef GTEST_TEST
        if (::testing::Test::HasFatalFailure()) {
            throw detail::fatal_assertion{};
        }
#endif
    };
#ifdef GTEST_TEST
    try {
        run(ranks, body, {.kind = rank_kind::fiber, .workers = 1, .patience = patience});
    } catch (const detail::fatal_assertion &) { // GoogleTest has reported it
    }
#else
    run(ranks, body, {.kind = rank_kind::fiber, .workers = 1, .patience = patience});
#endif
}

/// The same for several numbers of ranks, one after the other.
template <class Test> void as_ranks(std::initializer_list<int> sizes, Test &&test,
                                    std::chrono::milliseconds patience = std::chrono::seconds{10}) {
    for (const int ranks : sizes) {
        as_ranks(ranks, test, patience);
    }
}

} // namespace lisle::testing
