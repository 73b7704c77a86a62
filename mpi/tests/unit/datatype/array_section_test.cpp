// SPDX-License-Identifier: Apache-2.0
// Types for buffers that are sections of arrays, on random types and sections. The oracle goes byte by byte:
// where the section's elements lie, written out in their order, and which of those bytes the type's map
// names.
#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <optional>

#include <gtest/gtest.h>

#include "api/extension.hpp"
#include "datatype/copy.hpp"
#include "datatype/elements.hpp"
#include "random_types.hpp"

namespace lisle::test {
namespace {

struct random_section {
    MPI_Count element_bytes = 0;
    std::vector<MPI_Count> sizes, strides;
    std::vector<MPI_Count> places; ///< of the bytes of its elements, one after the other
};

/// Of elements that do not overlap, with gaps that may be none, in any order of dimensions.
random_section make_section(random_source &random, MPI_Count least_bytes) {
    random_section made;
    made.element_bytes = std::array{1, 2, 3, 4, 8, 12, 16}[static_cast<std::size_t>(random_in(random, 0, 6))];
    const auto dimensions = static_cast<std::size_t>(random_in(random, 1, 4));
    MPI_Count elements = 1;
    for (std::size_t i = 0; i < dimensions; ++i) {
        made.sizes.push_back(random_in(random, 1, 5));
        elements *= made.sizes.back();
    }
    MPI_Count &last = made.sizes.back();
    elements = elements / last;
    last =
        std::max<MPI_Count>(random_in(random, 0, 1), (least_bytes - 1) / (elements * made.element_bytes) + 1);
    std::vector<std::size_t> order(dimensions);
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (random_in(random, 0, 3) == 0) {
        std::shuffle(order.begin(), order.end(), random);
    }
    made.strides.resize(dimensions);
    MPI_Count covered = made.element_bytes;
    for (const std::size_t i : order) {
        const MPI_Count gap = random_in(random, 0, 2) == 0 ? 0 : random_in(random, 1, 9);
        made.strides[i] = (covered + gap) * (random_in(random, 0, 2) == 0 ? -1 : 1);
        covered += (covered + gap) * std::max<MPI_Count>(0, made.sizes[i] - 1);
    }
    for (MPI_Count at = 0; at < elements * last; ++at) {
        MPI_Count place = 0, rest = at;
        for (std::size_t i = 0; i < dimensions; ++i) {
            place += rest % made.sizes[i] * made.strides[i];
            rest /= made.sizes[i];
        }
        for (MPI_Count byte = 0; byte < made.element_bytes; ++byte) {
            made.places.push_back(place + byte);
        }
    }
    return made;
}

/// The same type moved so that the lowest byte of `copies` elements is `lowest`.
random_type moved(const random_type &old, MPI_Count copies, MPI_Count lowest) {
    const std::vector<MPI_Count> bytes = old.map.bytes(copies);
    const MPI_Count by = bytes.empty() ? 0 : lowest - *std::ranges::min_element(bytes);
    const MPI_Count one = 1;
    const MPI_Datatype handle = old.type.handle();
    MPI_Datatype made;
    api::type_create_struct(1, count_list{&one}, count_list{&by}, &handle, &made, count_form::large);
    random_type result{owned_type{made}, {}};
    result.map.append(old.map, by);
    return result;
}

owned_type type_for(const random_section &section, MPI_Count blocks, MPI_Count count, const datatype &type) {
    MPI_Datatype made;
    api::type_create_section(blocks, count, type, static_cast<int>(section.sizes.size()),
                             count_list{section.sizes.data()}, count_list{section.strides.data()},
                             section.element_bytes, &made);
    return owned_type{made};
}

/// The data of a buffer as its bytes' places, from the first element of a section.
std::vector<MPI_Count> places_of(const datatype &type, MPI_Count block) {
    std::vector<MPI_Count> found;
    std::vector<iovec> pieces;
    auto *const base = reinterpret_cast<std::byte *>(std::uintptr_t{1} << 40);
    runs({base + block * type.extent(), 1, type}, 0, type.size(), SIZE_MAX, pieces);
    for (const iovec &piece : pieces) {
        for (std::size_t i = 0; i < piece.iov_len; ++i) {
            found.push_back(static_cast<std::byte *>(piece.iov_base) + i - base);
        }
    }
    return found;
}

void check_bounds(const datatype &type, const std::vector<MPI_Count> &places) {
    const auto [lowest, highest] = std::ranges::minmax(places);
    EXPECT_EQ(type.true_lower_bound(), lowest);
    EXPECT_EQ(type.true_extent(), highest + 1 - lowest);
}

void check_elements(const datatype &type, const type_map &map, MPI_Count count) {
    EXPECT_EQ(type.elements(), count * static_cast<MPI_Count>(map.entries.size()));
    element_walk walk{type, 1};
    MPI_Count elements = 0;
    for (auto step = walk.next(); step.facts != nullptr; step = walk.next()) {
        elements += step.count * (step.facts->category == type_category::pair ? 2 : 1);
    }
    EXPECT_EQ(elements, type.elements());
}

TEST(array_section, takes_elements_in_their_order) {
    random_source random{20261128};
    int too_short = 0, apart = 0, alike = 0;
    for (int number = 0; number < number_of_cases(); ++number) {
        SCOPED_TRACE(number);
        const random_type old = make_random_type(random, static_cast<int>(random_in(random, 0, 4)));
        const MPI_Count count = random_in(random, 0, 5);
        const MPI_Count blocks = random_in(random, 0, 2) == 0 ? random_in(random, 2, 4) : 1;
        const random_type type = moved(old, count * blocks, random_in(random, 0, 3) * 4);
        const std::vector<MPI_Count> sequence = type.map.bytes(count * blocks);
        const MPI_Count needed = sequence.empty() ? 0 : *std::ranges::max_element(sequence) + 1;
        if (needed > 100000) {
            continue;
        }
        const bool shorter = needed > 1 && random_in(random, 0, 9) == 0;
        const random_section section =
            make_section(random, shorter ? random_in(random, 1, needed - 1) : needed);
        const owned_type made = type_for(section, blocks, count, *type.type);
        const bool fits = needed <= static_cast<MPI_Count>(section.places.size());
        if (!fits || made.handle() == MPI_DATATYPE_NULL) {
            EXPECT_EQ(made.handle(), MPI_DATATYPE_NULL);
            EXPECT_TRUE(!fits || blocks > 1);
            ++(fits ? apart : too_short);
            continue;
        }
        alike += blocks > 1 ? 1 : 0;
        const std::size_t block_bytes = sequence.size() / static_cast<std::size_t>(blocks);
        for (MPI_Count block = 0; block < blocks; ++block) {
            std::vector<MPI_Count> expected;
            for (std::size_t i = 0; i < block_bytes; ++i) {
                const MPI_Count byte = sequence[static_cast<std::size_t>(block) * block_bytes + i];
                expected.push_back(section.places[static_cast<std::size_t>(byte)]);
            }
            ASSERT_EQ(places_of(*made, block), expected);
            if (block == 0 && !expected.empty()) {
                check_bounds(*made, expected);
            }
        }
        check_elements(*made, type.map, count);
        if (testing::Test::HasFailure()) {
            return;
        }
    }
    EXPECT_GT(too_short, 0);
    EXPECT_GT(apart, 0);
    EXPECT_GT(alike, 0);
}

/// Every other element of a matrix of 1000 x 1000, of which every other one is asked for: what the pattern
/// takes in memory is the same for each column.
TEST(array_section, stays_small_where_patterns_repeat) {
    MPI_Datatype vector;
    api::type_vector(500000, 1, 2, *find_datatype(MPI_INT), &vector, count_form::small);
    const owned_type type{vector};
    random_section section{.element_bytes = 4, .sizes = {1000, 1000}, .strides = {8, 16000}, .places = {}};
    const owned_type made = type_for(section, 1, 1, *type);
    EXPECT_EQ(made->data().depth(), 2);
    EXPECT_EQ(made->data().runs(), 500000);
    ASSERT_EQ(made->data().inner->shape, nest_shape::loop);
    EXPECT_EQ(made->data().inner->count, 1000);
}

TEST(array_section, gives_blocks_of_whole_columns) {
    const random_section section{.element_bytes = 4, .sizes = {3, 4}, .strides = {8, 40}, .places = {}};
    EXPECT_EQ(type_for(section, 4, 3, *find_datatype(MPI_INT))->extent(), 40);
    EXPECT_EQ(type_for(section, 2, 6, *find_datatype(MPI_INT))->extent(), 80);
    EXPECT_EQ(type_for(section, 3, 1, *find_datatype(MPI_INT))->extent(), 8);
    EXPECT_EQ(type_for(section, 6, 2, *find_datatype(MPI_INT)).handle(), MPI_DATATYPE_NULL);
    EXPECT_EQ(type_for(section, 5, 3, *find_datatype(MPI_INT)).handle(), MPI_DATATYPE_NULL);
}

TEST(array_section, is_committed_if_its_elements_are) {
    const random_section section{.element_bytes = 4, .sizes = {3}, .strides = {8}, .places = {}};
    MPI_Datatype pair;
    api::type_contiguous(2, *find_datatype(MPI_SHORT), &pair, count_form::small);
    const owned_type type{pair};
    EXPECT_FALSE(type_for(section, 1, 3, *type)->committed());
    api::type_commit(&pair);
    EXPECT_TRUE(type_for(section, 1, 3, *type)->committed());
}

} // namespace
} // namespace lisle::test
