// SPDX-License-Identifier: Apache-2.0
// Signatures of types against the sequences of their basic types, written out.
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "datatype/type_outline.hpp"
#include "datatype/type_signature.hpp"
#include "random_types.hpp"

namespace lisle::test {
namespace {

/// Types keep their signatures where messages are checked; read when the first type is made.
const bool checked = setenv("LISLE_CHECK", "1", 1) == 0;

const datatype &type_of(MPI_Datatype handle) {
    return *find_datatype(handle);
}

owned_type structure(std::vector<int> lengths, std::vector<MPI_Datatype> types) {
    std::vector<MPI_Aint> places(types.size());
    for (std::size_t i = 0; i < types.size(); ++i) {
        places[i] = 64 * static_cast<MPI_Aint>(i);
    }
    MPI_Datatype made;
    api::type_create_struct(static_cast<MPI_Count>(types.size()), count_list{lengths.data()},
                            count_list{places.data()}, types.data(), &made, count_form::small);
    return owned_type{made};
}

owned_type contiguous(int count, const owned_type &old) {
    MPI_Datatype made;
    api::type_contiguous(count, *old, &made, count_form::small);
    return owned_type{made};
}

/// @param from,to entries of the map
type_signature written_out(const type_map &map, std::size_t from, std::size_t to) {
    type_signature all;
    for (std::size_t i = from; i < to; ++i) {
        all = joined(all, signature_of(map.entries[i].type->basic));
    }
    return all;
}

TEST(type_signatures, are_those_of_the_sequence_of_basic_types) {
    ASSERT_TRUE(checked);
    random_source random{20261};
    int compared = 0;
    for (int round = 0; round < 2000; ++round) {
        const random_type made = make_random_type(random, 4);
        const auto &entries = made.map.entries;
        if (entries.size() > 3000) {
            continue;
        }
        const type_signature all = written_out(made.map, 0, entries.size());
        ASSERT_EQ(made.type->signature(), all) << "round " << round;
        ASSERT_EQ(signature_of_first(*made.type, 3 * made.type->size()), repeated(all, 3));
        MPI_Count bytes = made.type->size();
        const auto end =
            static_cast<std::size_t>(random_in(random, 0, static_cast<MPI_Count>(entries.size())));
        for (std::size_t i = 0; i < end; ++i) {
            bytes += entries[i].type->size;
        }
        if (all.known()) {
            ASSERT_EQ(signature_of_first(*made.type, bytes), joined(all, written_out(made.map, 0, end)));
            ++compared;
        }
        if (end < entries.size() && entries[end].type->size > 1) {
            ASSERT_EQ(signature_of_first(*made.type, bytes + 1), std::nullopt);
        }
    }
    EXPECT_GT(compared, 100);
}

TEST(type_signatures, differ_where_the_sequences_do) {
    const auto one = structure({1, 2}, {MPI_INT, MPI_DOUBLE});
    EXPECT_NE(one->signature(), structure({2, 1}, {MPI_INT, MPI_DOUBLE})->signature());
    EXPECT_NE(one->signature(), structure({2, 1}, {MPI_DOUBLE, MPI_INT})->signature());
    EXPECT_NE(one->signature(), structure({1, 2}, {MPI_UNSIGNED, MPI_DOUBLE})->signature());
    EXPECT_NE(one->signature(), structure({1, 3}, {MPI_INT, MPI_DOUBLE})->signature());
    EXPECT_EQ(one->signature(), structure({1, 1, 1}, {MPI_INT, MPI_DOUBLE, MPI_DOUBLE})->signature());
    EXPECT_EQ(type_of(MPI_FLOAT_INT).signature(), structure({1, 1}, {MPI_FLOAT, MPI_INT})->signature());
    EXPECT_EQ(repeated(one->signature(), 1'000'000'000), contiguous(1'000'000'000, one)->signature());
    EXPECT_NE(repeated(one->signature(), 1'000'000'000), repeated(one->signature(), 999'999'999));
}

TEST(type_signatures, fit_bytes) {
    const auto packed = structure({1, 8}, {MPI_INT, MPI_BYTE});
    EXPECT_FALSE(packed->signature().known());
    EXPECT_TRUE(fit_together(packed->signature(), type_of(MPI_DOUBLE).signature()));
    EXPECT_TRUE(fit_together(type_of(MPI_INT).signature(), type_of(MPI_PACKED).signature()));
    EXPECT_FALSE(fit_together(type_of(MPI_INT).signature(), type_of(MPI_FLOAT).signature()));
}

std::string words(const datatype &type, MPI_Count count = 1) {
    return in_words(outline_of(type, count));
}

TEST(type_outlines, name_types_as_programs_do) {
    EXPECT_EQ(words(type_of(MPI_INT), 3), "3 MPI_INT");
    EXPECT_EQ(words(type_of(MPI_INT)), "MPI_INT");
    EXPECT_EQ(words(type_of(MPI_FLOAT_INT), 2), "2 MPI_FLOAT_INT");
    const auto one = structure({1, 3}, {MPI_INT, MPI_DOUBLE});
    EXPECT_EQ(words(*one), "{MPI_INT, 3 MPI_DOUBLE}");
    EXPECT_EQ(words(*one, 2), "2 of {MPI_INT, 3 MPI_DOUBLE}");
    EXPECT_EQ(words(*contiguous(2, one)), "{MPI_INT, 3 MPI_DOUBLE, MPI_INT, 3 MPI_DOUBLE}");
    EXPECT_EQ(words(*contiguous(4, one)),
              "{MPI_INT, 3 MPI_DOUBLE, MPI_INT, 3 MPI_DOUBLE, MPI_INT, 3 MPI_DOUBLE, ...}");
    EXPECT_EQ(words(*structure({2, 3}, {MPI_INT, MPI_INT}), 2), "10 MPI_INT");
    EXPECT_EQ(words(*structure({0}, {MPI_INT}), 2), "nothing");
    EXPECT_EQ(in_words(outline_of(basic_type::float64, 24)), "3 MPI_DOUBLE");
}

TEST(type_outlines, follow_nests_deeper_than_the_stack) {
    owned_type type = structure({1, 1}, {MPI_INT, MPI_DOUBLE});
    for (int level = 0; level < 20'000; ++level) {
        type = contiguous(1, type);
    }
    EXPECT_EQ(signature_of_first(*type, 4), type_of(MPI_INT).signature());
    EXPECT_EQ(words(*type), "{MPI_INT, MPI_DOUBLE}");
    for (int level = 0; level < 50; ++level) {
        type = contiguous(2, type);
    }
    EXPECT_EQ(words(*type), "a type of many levels");
}

TEST(type_outlines, are_read_whatever_they_say) {
    type_outline said;
    said.elements = -1;
    said.runs.fill({static_cast<basic_type>(200), 0xffffffff});
    EXPECT_NE(in_words(said).find("an unknown type"), std::string::npos);
}

} // namespace
} // namespace lisle::test
