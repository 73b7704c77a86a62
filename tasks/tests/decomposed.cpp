// SPDX-License-Identifier: Apache-2.0
// Fields of M ranks for N ranks, in random decompositions, against the values that they must have: blocks of
// one to three dimensions and lists of points, masks, halos, levels, bundles of fields of several types;
// ranks that send, receive, do both or neither.
//
// Usage: decomposed [CASES [SEED]]
#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "check.hpp"
#include "lisle/communicator.hpp"
#include "lisle/couple/exchange.hpp"
#include "lisle/couple/router.hpp"

namespace {

namespace couple = lisle::couple;
using couple::decomposition;
using couple::global_index;

using random_source = std::mt19937_64;
std::int64_t below(random_source &random, std::int64_t end) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(end));
}

/// The points of each rank of one side, in the order of its memory; -1: masked.
using side = std::vector<std::vector<global_index>>;

/// What all ranks draw alike.
struct drawn_case {
    std::array<std::int64_t, 3> grid{};
    std::size_t dimensions = 1;
    side senders, receivers;
    std::vector<decomposition> offered, wanted; ///< by rank
    std::int64_t levels = 1;
    bool columns = false;
    int fields = 1;
};

std::int64_t points_of(const drawn_case &drawn) {
    return drawn.grid[0] * drawn.grid[1] * drawn.grid[2];
}

/// Cuts each dimension into parts, and deals the blocks out to the ranks, at most one for each.
void draw_blocks(drawn_case &drawn, random_source &random, int ranks, bool halo, side &points,
                 std::vector<decomposition> &parts) {
    std::array<std::int64_t, 3> cuts{1, 1, 1};
    std::int64_t blocks = 1;
    for (std::size_t dimension = 3 - drawn.dimensions; dimension != 3; ++dimension) {
        cuts[dimension] = 1 + below(random, std::min(ranks / blocks, drawn.grid[dimension]));
        blocks *= cuts[dimension];
    }
    std::vector<int> owners(static_cast<std::size_t>(ranks));
    std::iota(owners.begin(), owners.end(), 0);
    std::ranges::shuffle(owners, random);
    for (std::int64_t block = 0; block != blocks; ++block) {
        const std::array<std::int64_t, 3> at{block / (cuts[1] * cuts[2]), block / cuts[2] % cuts[1],
                                             block % cuts[2]};
        std::array<std::int64_t, 3> begin{}, extents{};
        for (std::size_t dimension = 0; dimension != 3; ++dimension) {
            const std::int64_t whole = drawn.grid[dimension];
            begin[dimension] = at[dimension] * whole / cuts[dimension];
            std::int64_t end = (at[dimension] + 1) * whole / cuts[dimension];
            if (halo) {
                begin[dimension] = std::max<std::int64_t>(begin[dimension] - below(random, 3), 0);
                end = std::min(end + below(random, 3), whole);
            }
            extents[dimension] = end - begin[dimension];
        }
        const auto rank = static_cast<std::size_t>(owners[static_cast<std::size_t>(block)]);
        const std::size_t first = 3 - drawn.dimensions;
        parts[rank] =
            decomposition::block(std::span{drawn.grid}.subspan(first), std::span{begin}.subspan(first),
                                 std::span{extents}.subspan(first));
        for (std::int64_t i = 0; i != extents[0]; ++i)
            for (std::int64_t j = 0; j != extents[1]; ++j)
                for (std::int64_t k = 0; k != extents[2]; ++k)
                    points[rank].push_back(((begin[0] + i) * drawn.grid[1] + begin[1] + j) * drawn.grid[2] +
                                           begin[2] + k);
    }
}

/// Deals out single points, or short runs of them; those that repeat are for receivers alone.
void draw_lists(drawn_case &drawn, random_source &random, int ranks, bool repeat, side &points,
                std::vector<decomposition> &parts) {
    const std::int64_t all = points_of(drawn);
    for (global_index at = 0; at < all;) {
        const std::int64_t length = std::min(1 + below(random, 6), all - at);
        const auto rank = static_cast<std::size_t>(below(random, ranks));
        if (below(random, 8) != 0) // some points belong to nobody
            for (std::int64_t each = 0; each != length; ++each)
                points[rank].push_back(at + each);
        at += length;
    }
    for (std::size_t rank = 0; rank != points.size(); ++rank) {
        if (repeat && !points[rank].empty())
            for (std::int64_t more = below(random, 4); more != 0; --more)
                points[rank].push_back(points[rank][static_cast<std::size_t>(
                    below(random, static_cast<std::int64_t>(points[rank].size())))]);
        if (below(random, 2) == 0)
            std::ranges::shuffle(points[rank], random);
        parts[rank] = decomposition::list(all, points[rank]);
    }
}

void draw_mask(random_source &random, side &points, std::vector<decomposition> &parts) {
    for (std::size_t rank = 0; rank != points.size(); ++rank) {
        std::vector<unsigned char> left_out(points[rank].size());
        for (std::size_t at = 0; at != left_out.size(); ++at) {
            left_out[at] = below(random, 4) == 0;
            if (left_out[at] != 0)
                points[rank][at] = -1;
        }
        parts[rank] = parts[rank].masked(left_out);
    }
}

void draw_side(drawn_case &drawn, random_source &random, int ranks, bool receives, side &points,
               std::vector<decomposition> &parts) {
    points.assign(static_cast<std::size_t>(ranks), {});
    parts.assign(static_cast<std::size_t>(ranks), decomposition{points_of(drawn)});
    const int used = 1 + static_cast<int>(below(random, ranks)); // the ranks behind have nothing
    if (below(random, 2) == 0)
        draw_blocks(drawn, random, used, receives && below(random, 2) == 0, points, parts);
    else
        draw_lists(drawn, random, used, receives, points, parts);
    if (below(random, 2) == 0)
        draw_mask(random, points, parts);
}

drawn_case draw(random_source &random, int ranks) {
    drawn_case drawn;
    drawn.dimensions = static_cast<std::size_t>(1 + below(random, 3));
    for (std::size_t dimension = 0; dimension != 3; ++dimension)
        drawn.grid[dimension] =
            dimension < 3 - drawn.dimensions ? 1 : 1 + below(random, drawn.dimensions == 1 ? 300 : 12);
    draw_side(drawn, random, ranks, false, drawn.senders, drawn.offered);
    draw_side(drawn, random, ranks, true, drawn.receivers, drawn.wanted);
    drawn.levels = 1 + below(random, 3);
    drawn.columns = below(random, 2) == 0;
    drawn.fields = 1 + static_cast<int>(below(random, 3));
    return drawn;
}

/// What the field of a round has at a point.
double value_of(int field, int round, std::int64_t level, global_index point) {
    return static_cast<double>(((field * 7 + round) * 11 + level) * 100'000 + point);
}

/// One field of a rank: doubles or, every other one, 32-bit integers.
class field {
  public:
    field(int number, std::int64_t places, std::int64_t levels, bool columns)
        : number_{number}, places_{places}, levels_{levels}, columns_{columns},
          reals_(static_cast<std::size_t>(places * levels), untouched),
          integers_(reals_.size(), static_cast<std::int32_t>(untouched)) {}
    [[nodiscard]] couple::field_place place() {
        if (is_real())
            return columns_ ? couple::field_place::of_columns(reals_.data(), levels_)
                            : couple::field_place::of(reals_.data(), levels_);
        return columns_ ? couple::field_place::of_columns(integers_.data(), levels_)
                        : couple::field_place::of(integers_.data(), levels_);
    }
    void fill(const std::vector<global_index> &points, int round) {
        for_each_element(points, [&](std::size_t at, std::int64_t level, global_index point) {
            reals_[at] = point < 0 ? -2 : value_of(number_, round, level, point);
            integers_[at] = static_cast<std::int32_t>(reals_[at]);
        });
    }
    /// @param offered by point: whether somebody sends it
    void check(const std::vector<global_index> &points, int round, const std::vector<bool> &offered) {
        for_each_element(points, [&](std::size_t at, std::int64_t level, global_index point) {
            const bool comes = point >= 0 && offered[static_cast<std::size_t>(point)];
            const double expected = comes ? value_of(number_, round, level, point) : untouched;
            CHECK_EQ(is_real() ? reals_[at] : static_cast<double>(integers_[at]), expected);
        });
    }

  private:
    static constexpr double untouched = -1;
    [[nodiscard]] bool is_real() const { return number_ % 2 == 0; }
    template <class Do>
    void for_each_element(const std::vector<global_index> &points, const Do &function) const {
        for (std::int64_t level = 0; level != levels_; ++level)
            for (std::int64_t place = 0; place != places_; ++place)
                function(
                    static_cast<std::size_t>(columns_ ? place * levels_ + level : level * places_ + place),
                    level, points[static_cast<std::size_t>(place)]);
    }

    int number_;
    std::int64_t places_, levels_;
    bool columns_;
    std::vector<double> reals_;
    std::vector<std::int32_t> integers_;
};

std::vector<field> fields_of(const drawn_case &drawn, const decomposition &points, bool columns) {
    std::vector<field> all;
    for (int number = 0; number != drawn.fields; ++number)
        all.emplace_back(number, points.places(), drawn.levels, columns);
    return all;
}
std::vector<couple::field_place> places_of(std::vector<field> &fields) {
    std::vector<couple::field_place> all;
    for (field &each : fields)
        all.push_back(each.place());
    return all;
}

void check_case(const lisle::communicator &ranks, const drawn_case &drawn) {
    const auto own = static_cast<std::size_t>(ranks.rank());
    const decomposition &offered = drawn.offered[own], &wanted = drawn.wanted[own];
    std::vector<bool> somebody_offers(static_cast<std::size_t>(points_of(drawn)));
    for (const auto &points : drawn.senders)
        for (const global_index point : points)
            if (point >= 0)
                somebody_offers[static_cast<std::size_t>(point)] = true;

    const couple::router routes{ranks.native(), offered, wanted};
    std::int64_t unserved = 0;
    for (const global_index point : drawn.receivers[own])
        unserved += point >= 0 && !somebody_offers[static_cast<std::size_t>(point)] ? 1 : 0;
    CHECK_EQ(routes.unserved(), unserved);

    std::vector<field> sent = fields_of(drawn, offered, drawn.columns),
                       received = fields_of(drawn, wanted, !drawn.columns);
    couple::exchange all{ranks.native(), routes, offered, wanted, places_of(sent), places_of(received)};
    for (int round = 0; round != 2; ++round) {
        for (field &each : sent)
            each.fill(drawn.senders[own], round);
        all();
        for (field &each : received)
            each.check(drawn.receivers[own], round, somebody_offers);
    }
}

/// The sentence of the error that a call throws.
template <class Call> std::string refusal(const Call &call) {
    try {
        call();
    } catch (const std::invalid_argument &error) {
        return error.what();
    }
    return "";
}

void check_refusals(const lisle::communicator &world) {
    const std::vector<global_index> points{3, 4};
    if (world.size() > 1) {
        const decomposition both = world.rank() < 2 ? decomposition::list(10, points) : decomposition{10};
        CHECK_EQ(refusal([&] {
                     const couple::router routes{world.native(), both, both};
                 }),
                 std::string{"couple: the ranks 0 and 1 both offer the point 3"});
        const decomposition other{world.rank() == 0 ? 10 : 11};
        CHECK_EQ(refusal([&] {
                     const couple::router routes{world.native(), other, other};
                 }),
                 std::string{"couple: the ranks speak of grids with 10 and with 11 points"});
    }
    const std::array<std::int64_t, 2> grid{4, 5}, begin{1, 3}, extents{2, 3};
    CHECK_EQ(refusal([&] { static_cast<void>(decomposition::block(grid, begin, extents)); }),
             std::string{"couple: a block of 3 points from 3 on does not lie in a grid of 5 (dimension 1)"});
    CHECK_EQ(refusal([&] { static_cast<void>(decomposition::list(4, points)); }),
             std::string{"couple: there is no point 4 in a grid of 4"});
    CHECK_EQ(refusal([&] { static_cast<void>(decomposition::list(5, points).masked({})); }),
             std::string{"couple: the mask has 0 entries for 2 points"});
}

} // namespace

int main(int argc, char **argv) {
    const check::job job(&argc, &argv);
    const int cases = argc > 1 ? std::atoi(argv[1]) : 60;
    random_source random{argc > 2 ? static_cast<std::uint64_t>(std::atoll(argv[2])) : 1};
    const lisle::communicator world = lisle::world();
    check_refusals(world);
    for (int number = 0; number != cases; ++number) {
        // Some of the ranks, in an order of their own.
        const int members = 1 + static_cast<int>(below(random, world.size()));
        const std::uint64_t seed = random();
        const auto part =
            world.split(world.rank() < members ? std::optional{0} : std::nullopt, -world.rank());
        if (part) {
            random_source own{seed};
            check_case(part, draw(own, members));
        }
    }
}
