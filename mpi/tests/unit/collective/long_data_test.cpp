// SPDX-License-Identifier: Apache-2.0
#include "collective/area/long_data.hpp"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <numeric>
#include <utility>
#include <vector>

#include "datatype/predefined.hpp"

namespace lisle::collective {
namespace {

using piece = std::pair<MPI_Count, MPI_Count>;

struct noted {
    std::vector<piece> pieces;
    std::size_t most = 100;
    bool operator()(MPI_Count offset, MPI_Count length) {
        pieces.emplace_back(offset, length);
        return pieces.size() < most;
    }
};

TEST(LongData, PiecesFollowEachOtherInEitherOrder) {
    noted forth, back;
    EXPECT_TRUE(move_pieces(4, false, 3, 10, std::ref(forth)));
    EXPECT_EQ(forth.pieces, (std::vector<piece>{{3, 4}, {7, 4}, {11, 2}}));
    EXPECT_TRUE(move_pieces(4, true, 3, 10, std::ref(back)));
    EXPECT_EQ(back.pieces, (std::vector<piece>{{11, 2}, {7, 4}, {3, 4}}));
}

TEST(LongData, NothingHasNoPieces) {
    noted all;
    EXPECT_TRUE(move_pieces(4, true, 3, 0, std::ref(all)));
    EXPECT_TRUE(all.pieces.empty());
}

TEST(LongData, APieceThatFailsIsTheLast) {
    noted all;
    all.most = 2;
    EXPECT_FALSE(move_pieces(1, true, 0, 5, std::ref(all)));
    EXPECT_EQ(all.pieces, (std::vector<piece>{{4, 1}, {3, 1}}));
}

TEST(LongData, DataGoInOnePieceUnlessBackwardsAndLong) {
    const auto pieces = [](bool backwards, MPI_Count length) {
        noted all;
        move_long(most_at_one_go, backwards, 0, length, std::ref(all));
        return all.pieces.size();
    };
    EXPECT_EQ(pieces(false, 10 * most_at_one_go), 1U);
    EXPECT_EQ(pieces(true, most_at_one_go), 1U);
    EXPECT_EQ(pieces(true, 2 * most_at_one_go + 1), 3U);
}

TEST(LongData, CopiesAreTheSameInEveryManner) {
    std::vector<int> from(400000);
    std::iota(from.begin(), from.end(), 1);
    const auto offset = MPI_Count{40}, length = static_cast<MPI_Count>(from.size() * sizeof(int)) - 80;
    for (const bool backwards : {false, true}) {
        for (const bool past_caches : {false, true}) {
            std::vector<int> to(from.size(), -1);
            const auto buffer = [](std::vector<int> &data) {
                return typed_buffer{data.data(), static_cast<MPI_Count>(data.size()),
                                    *find_datatype(MPI_INT)};
            };
            copy_long({backwards, past_caches}, buffer(from), buffer(to), offset, length);
            EXPECT_TRUE(std::equal(from.begin() + 10, from.end() - 10, to.begin() + 10));
            EXPECT_EQ(to[9], -1);
            EXPECT_EQ(to[to.size() - 10], -1);
        }
    }
}

TEST(LongData, EveryOtherOperationGoesBackwards) {
    EXPECT_NE(goes_backwards(7), goes_backwards(8));
    EXPECT_EQ(goes_backwards(7), goes_backwards(9));
}

} // namespace
} // namespace lisle::collective
