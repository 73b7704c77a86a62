// SPDX-License-Identifier: Apache-2.0
// The table of algorithms: what the documents say of it, and what the rules choose.
#include "collective/selection/selection.hpp"

#include <atomic>
#include <fstream>
#include <sstream>
#include <utility>

#include <gtest/gtest.h>

#include "datatype/predefined.hpp"
#include "inside.hpp"
#include "reduction/op.hpp"

using namespace lisle;
using namespace lisle::collective;

namespace {

std::string page() {
    std::ifstream file{LISLE_DOCS "/design/collectives.md"};
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

} // namespace

TEST(selection_test, the_documents_explain_every_algorithm) {
    const std::string text = page();
    for (const std::string_view name : collective_algorithm_names) {
        const std::string row = "\n| " + std::string{name} + " | ";
        EXPECT_NE(text.find(row), std::string::npos) << "the page has no row for " << name;
    }
}

TEST(selection_test, the_words_of_a_setting_are_the_algorithms_that_it_offers) {
    EXPECT_EQ(description_of(algorithm_of(operation::gatherv)).words, "auto|in_process|single_copy|linear");
    EXPECT_EQ(description_of(algorithm_of(operation::alltoallv)).meaning,
              "algorithm of alltoallv and alltoallw where the call allows it");
}

TEST(selection_test, every_operation_has_an_algorithm_in_every_situation) {
    for (unsigned bits = 0; bits < 1U << 12; ++bits) {
        const auto bit = [bits](unsigned which) { return (bits >> which & 1U) != 0; };
        for (const auto &each : collective_operations) {
            const situation given{.what = each.which,
                                  .bytes = bit(0) ? 8 : 1 << 20,
                                  .posted = 8,
                                  .ranks = 4,
                                  .shared_memory = bit(1),
                                  .single_copy = bit(2),
                                  .one_process = bit(3),
                                  .contiguous = bit(4),
                                  .predefined = bit(5),
                                  .commutative = bit(6),
                                  .in_process = bit(7),
                                  .several_places = bit(8),
                                  .places_in_order = bit(9),
                                  .mesh = bit(10),
                                  .in_pairs = bit(11)};
            const algorithm chosen = choose(given).use;
            EXPECT_TRUE(each.offers(chosen))
                << each.name << " chooses " << name_of(chosen) << ", which it does not offer";
        }
    }
}

namespace {

/// What calls of a communicator may be about.
const MPI_Count lengths[] = {0,    1,    8,    64,   65,    248,   249,   512,
                             1024, 1025, 2048, 2049, 16384, 16385, 34817, 1 << 20};

/// True if the choices that a communicator remembers are those of the table, whatever has been asked before.
bool remembers_the_table(const communicator &comm, form how) {
    const op &sum = *find_op(MPI_SUM);
    bool same = true;
    for (int turn = 0; turn < 2; ++turn) {
        for (const auto &each : collective_operations) {
            for (const MPI_Count bytes : lengths) {
                const bool reduces = each.which >= operation::reduce;
                const sizes asked{.bytes = bytes,
                                  .posted = bytes,
                                  .reduction = reduces ? &sum : nullptr,
                                  .elements = reduces ? &byte_type() : nullptr};
                same = same && &select(comm, how, each.which, asked) == &choose(comm, how, each.which, asked);
            }
        }
    }
    return same;
}

} // namespace

TEST(selection_test, a_communicator_remembers_what_the_table_says) {
    for (const auto &[ranks, workers] : {std::pair{1, 0}, {2, 0}, {3, 0}, {2, 1}, {5, 2}}) {
        std::atomic<int> wrong{0};
        on_ranks(ranks, workers, [&wrong](communicator &comm) {
            for (const form how : {form::blocking, form::nonblocking, form::persistent}) {
                wrong += remembers_the_table(comm, how) ? 0 : 1;
            }
        });
        EXPECT_EQ(wrong, 0) << ranks << " ranks, " << workers << " workers";
    }
}

TEST(selection_test, order_matters_to_operations_that_do_not_commute) {
    situation given{.what = operation::allreduce,
                    .bytes = 1 << 20,
                    .ranks = 6,
                    .commutative = false,
                    .several_places = true,
                    .places_in_order = false};
    EXPECT_EQ(choose(given).use, algorithm::recursive_doubling);
    given.places_in_order = true;
    EXPECT_EQ(choose(given).use, algorithm::two_level);
}

TEST(selection_test, on_a_mesh_ranks_meet_in_stages_where_that_is_faster) {
    situation given{.what = operation::allreduce, .bytes = 1024, .ranks = 16, .mesh = true, .in_pairs = true};
    EXPECT_EQ(choose(given).use, algorithm::mesh);
    given.commutative = false;
    EXPECT_EQ(choose(given).use, algorithm::recursive_doubling);
    given.commutative = true;
    given.bytes = 64;
    EXPECT_EQ(choose(given).use, algorithm::recursive_doubling);
    given = {.what = operation::bcast, .bytes = 1024, .ranks = 15, .mesh = true};
    EXPECT_EQ(choose(given).use, algorithm::binomial);
    given.bytes = 4096;
    EXPECT_EQ(choose(given).use, algorithm::mesh);
    given = {.what = operation::allgather, .bytes = 64, .ranks = 16, .mesh = true, .in_pairs = true};
    EXPECT_EQ(choose(given).use, algorithm::mesh); // a KiB in all
    given = {.what = operation::allgather, .bytes = 1024, .ranks = 15, .mesh = true};
    EXPECT_EQ(choose(given).use, algorithm::bruck); // more than two meet
    given.bytes = 1200;
    EXPECT_EQ(choose(given).use, algorithm::mesh);
    given.bytes = 5000;
    EXPECT_EQ(choose(given).use, algorithm::ring);
}
