// SPDX-License-Identifier: Apache-2.0
#include <lisle/couple/router.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <tuple>

#include <lisle/communicator.hpp>

#include "couple/directory.hpp"
#include "couple/outbound.hpp"
#include "couple/rejection.hpp"

namespace lisle::couple {

using detail::directory;
using detail::outbound;
using detail::reject;

namespace {

enum class role : std::int32_t { sender, receiver };

/// A run that a rank has or wants, as its directory hears of it.
struct entry {
    point_run run;
    role as;
};
/// A part of such a run, and the rank at the other end: what the directory answers.
struct match {
    point_run run;
    std::int32_t peer;
    role as;
};
/// What one rank has told.
struct told_entry {
    point_run run;
    int rank;
};

void tell_directory(const directory &of, const decomposition &points, role as, outbound<entry> &into) {
    for (const point_run &each : points.runs()) {
        of.for_parts_of(each, [&](int rank, const point_run &part) { into.add(rank, {part, as}); });
    }
}

/// A point that two ranks offer; the first such of all ranks is reported by all.
struct conflict {
    global_index point = std::numeric_limits<global_index>::max();
    int first = -1, second = -1;
    auto operator<=>(const conflict &) const = default;
};

std::vector<told_entry> entries_of(const std::vector<addressed<std::vector<entry>>> &heard, role as) {
    std::vector<told_entry> all;
    for (const auto &[rank, entries] : heard) {
        for (const entry &each : entries) {
            if (each.as == as) {
                all.push_back({each.run, rank});
            }
        }
    }
    std::ranges::sort(all, {}, [](const told_entry &each) {
        return std::tuple{each.run.global, each.rank, each.run.local};
    });
    return all;
}

/// @param offers in ascending order
conflict first_conflict(const std::vector<told_entry> &offers) {
    for (std::size_t at = 1; at < offers.size(); ++at) {
        const point_run &before = offers[at - 1].run;
        if (before.global + before.count > offers[at].run.global) {
            return {offers[at].run.global, offers[at - 1].rank, offers[at].rank};
        }
    }
    return {};
}

/// Tells both ends of each part of a wanted run that somebody offers. @param offers in ascending order, none
/// overlapping
void match_wants(const std::vector<told_entry> &offers, const std::vector<told_entry> &wants,
                 outbound<match> &into) {
    for (const told_entry &want : wants) {
        const global_index end = want.run.global + want.run.count;
        auto offer = std::ranges::upper_bound(offers, want.run.global, {},
                                              [](const told_entry &each) { return each.run.global; });
        if (offer != offers.begin()) {
            --offer; // it may reach into the wanted run
        }
        for (; offer != offers.end() && offer->run.global < end; ++offer) {
            const global_index from = std::max(offer->run.global, want.run.global);
            const std::int64_t count = std::min(offer->run.global + offer->run.count, end) - from;
            if (count > 0) {
                const auto part_of = [&](const point_run &whole) {
                    return point_run{from, whole.local + from - whole.global, count};
                };
                into.add(offer->rank, {part_of(offer->run), want.rank, role::sender});
                into.add(want.rank, {part_of(want.run), offer->rank, role::receiver});
            }
        }
    }
}

/// Both ends sort by the points and their number alone, so they have them in one order: parts that are alike
/// there have the same data.
std::vector<route> routes_of(std::vector<match> matches, role as) {
    std::erase_if(matches, [as](const match &each) { return each.as != as; });
    std::ranges::sort(matches, {}, [](const match &each) {
        return std::tuple{each.peer, each.run.global, each.run.count, each.run.local};
    });
    std::vector<route> all;
    for (const match &each : matches) {
        if (all.empty() || all.back().rank != each.peer) {
            all.push_back({each.peer, {}});
        }
        std::vector<point_run> &runs = all.back().runs;
        if (!runs.empty() && runs.back().global + runs.back().count == each.run.global &&
            runs.back().local + runs.back().count == each.run.local) {
            runs.back().count += each.run.count;
        } else {
            runs.push_back(each.run);
        }
    }
    return all;
}

void check_grids_agree(const communicator &ranks, const decomposition &offered, const decomposition &wanted) {
    const auto least = ranks.allreduce(std::min(offered.grid_points(), wanted.grid_points()), minimum{});
    const auto greatest = ranks.allreduce(std::max(offered.grid_points(), wanted.grid_points()), maximum{});
    if (least != greatest) {
        reject("the ranks speak of grids with " + std::to_string(least) + " and with " +
               std::to_string(greatest) + " points");
    }
}

void check_no_conflict(const communicator &ranks, const conflict &found) {
    const auto point = ranks.allreduce(found.point, minimum{});
    if (point == conflict{}.point) {
        return;
    }
    // A point has one directory, which knows both ranks.
    const bool own = found.point == point;
    const int first = ranks.allreduce(own ? found.first : -1, maximum{});
    const int second = ranks.allreduce(own ? found.second : -1, maximum{});
    reject(first == second
               ? "rank " + std::to_string(first) + " offers the point " + std::to_string(point) + " twice"
               : "the ranks " + std::to_string(first) + " and " + std::to_string(second) +
                     " both offer the point " + std::to_string(point));
}

} // namespace

std::int64_t route::points() const noexcept {
    std::int64_t sum = 0;
    for (const point_run &each : runs) {
        sum += each.count;
    }
    return sum;
}

router::router(MPI_Comm all, const decomposition &offered, const decomposition &wanted) {
    const communicator ranks{all};
    check_grids_agree(ranks, offered, wanted);
    const directory where{offered.grid_points(), ranks.size()};
    outbound<entry> entries;
    tell_directory(where, offered, role::sender, entries);
    tell_directory(where, wanted, role::receiver, entries);
    const auto heard = entries.exchanged(ranks);

    const std::vector<told_entry> offers = entries_of(heard, role::sender);
    check_no_conflict(ranks, first_conflict(offers));
    outbound<match> answers;
    match_wants(offers, entries_of(heard, role::receiver), answers);
    const std::vector<match> matches = answers.exchanged_contents(ranks);

    sends_ = routes_of(matches, role::sender);
    receives_ = routes_of(matches, role::receiver);
    unserved_ = wanted.points();
    for (const route &each : receives_) {
        unserved_ -= each.points();
    }
}

} // namespace lisle::couple
