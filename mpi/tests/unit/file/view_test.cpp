// SPDX-License-Identifier: Apache-2.0
// Views of a file, against the filetype's type map written out byte by byte.
#include "file/view.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "../error_code.hpp"
#include "random_types.hpp"

namespace lisle::file {
namespace {

using test::random_in;

constexpr MPI_Count copies = 3;

/// Offsets in the file of the view's first bytes.
std::vector<MPI_Offset> offsets_of(const test::random_type &filetype, MPI_Offset displacement) {
    std::vector<MPI_Offset> offsets = filetype.map.bytes(copies);
    for (MPI_Offset &each : offsets) {
        each += displacement;
    }
    return offsets;
}

/// A file may be written through it: what MPI_File_set_view asks of a filetype.
bool may_be_a_filetype(const test::random_type &of) {
    const std::vector<MPI_Count> once = of.map.bytes(1);
    return !once.empty() && once.front() >= 0 && of.map.lower() >= 0 && std::ranges::is_sorted(once) &&
           std::ranges::adjacent_find(once) == once.end() &&
           of.map.true_upper() - of.map.true_lower() <= of.map.extent();
}

class file_view : public testing::Test {
  protected:
    /// Calls test(view, its bytes' offsets) with so many random views.
    template <class Test> void for_random_views(int wanted, const Test &test) {
        test::random_source random{3};
        for (int tried = 0; wanted != 0 && !HasFatalFailure(); ++tried) {
            ASSERT_LT(tried, 100'000) << "the generator draws no filetypes any more";
            const test::random_type drawn = test::make_random_type(random, 3);
            if (may_be_a_filetype(drawn)) {
                const MPI_Offset displacement = random_in(random, 0, 100);
                const view shown{displacement, *find_datatype(MPI_BYTE), *drawn.type,
                                 representation::native(), true};
                test(shown, offsets_of(drawn, displacement), random);
                --wanted;
            }
        }
    }
};

TEST_F(file_view, a_position_lies_where_the_type_map_says) {
    for_random_views(200, [](const view &shown, const std::vector<MPI_Offset> &offsets, auto &) {
        for (std::size_t position = 0; position != offsets.size(); ++position) {
            ASSERT_EQ(shown.offset_of(static_cast<MPI_Count>(position)), offsets[position]);
        }
    });
}

TEST_F(file_view, positions_before_an_offset_are_counted) {
    for_random_views(200, [](const view &shown, const std::vector<MPI_Offset> &offsets, auto &) {
        ASSERT_TRUE(shown.ascending());
        // Beyond the last copy written out there are more.
        for (MPI_Offset at = 0; at <= offsets.back(); ++at) {
            const auto before = std::ranges::lower_bound(offsets, at) - offsets.begin();
            ASSERT_EQ(shown.position_at(at), before) << "at " << at;
        }
    });
}

TEST_F(file_view, runs_are_the_bytes_in_order) {
    for_random_views(200, [](const view &shown, const std::vector<MPI_Offset> &offsets, auto &random) {
        const auto all = static_cast<MPI_Count>(offsets.size());
        const MPI_Count begin = random_in(random, 0, all - 1);
        const MPI_Count bytes = random_in(random, 1, all - begin);
        std::vector<file_run> runs;
        MPI_Count done = 0;
        while (done != bytes) {
            const std::size_t most = static_cast<std::size_t>(random_in(random, 1, 7));
            const MPI_Count some = shown.runs(begin + done, bytes - done, most, runs);
            ASSERT_GT(some, 0);
            done += some;
        }
        MPI_Count position = begin;
        for (const file_run &run : runs) {
            for (MPI_Offset at = run.offset; at != run.end(); ++at) {
                ASSERT_EQ(at, offsets[static_cast<std::size_t>(position++)]);
            }
        }
        ASSERT_EQ(position, begin + bytes);
        const file_run span = shown.span_of(begin, bytes);
        ASSERT_EQ(span.offset, offsets[static_cast<std::size_t>(begin)]);
        ASSERT_EQ(span.end(), offsets[static_cast<std::size_t>(begin + bytes - 1)] + 1);
    });
}

TEST_F(file_view, the_whole_file_hides_nothing) {
    const view whole;
    EXPECT_TRUE(whole.whole() && whole.ascending() && !whole.empty());
    EXPECT_EQ(whole.unit(), 1);
    EXPECT_EQ(whole.offset_of(MPI_Count{1} << 40), MPI_Offset{1} << 40);
}

TEST_F(file_view, what_cannot_be_a_view_is_refused) {
    const datatype &bytes = *find_datatype(MPI_BYTE), &ints = *find_datatype(MPI_INT);
    const auto made = [&](const datatype &etype, MPI_Count length, std::vector<MPI_Count> displacements,
                          bool written) {
        return code_of([&] {
            MPI_Datatype handle = MPI_DATATYPE_NULL;
            const std::vector<MPI_Count> lengths(displacements.size(), length);
            api::type_create_hindexed(static_cast<MPI_Count>(lengths.size()), count_list{lengths.data()},
                                      count_list{displacements.data()}, bytes, &handle, count_form::large);
            const test::owned_type filetype{handle};
            const view shown{0, etype, *filetype, representation::native(), written};
        });
    };
    EXPECT_EQ(made(bytes, 4, {0, 8}, true), MPI_SUCCESS);
    EXPECT_EQ(made(bytes, 4, {8, 0}, false), MPI_ERR_IO) << "displacements decrease";
    EXPECT_EQ(made(bytes, 4, {-4, 8}, false), MPI_ERR_IO) << "a displacement is negative";
    EXPECT_EQ(made(bytes, 4, {0, 2}, false), MPI_SUCCESS) << "a reader may see a byte twice";
    EXPECT_EQ(made(bytes, 4, {0, 2}, true), MPI_ERR_IO) << "a writer may not";
    EXPECT_EQ(made(ints, 3, {0, 8}, false), MPI_ERR_ARG) << "no whole etypes";
}

} // namespace
} // namespace lisle::file
