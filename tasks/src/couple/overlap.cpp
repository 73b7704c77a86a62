// SPDX-License-Identifier: Apache-2.0
#include <lisle/couple/overlap.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include <lisle/communicator.hpp>

#include "couple/bins.hpp"
#include "couple/outbound.hpp"
#include "couple/polygon.hpp"

namespace lisle::couple {

namespace {

using detail::bins;
using detail::bounds;
using detail::bounds_of;
using detail::by_bin;
using detail::outbound;
using detail::shifted;

/// A cell on its way to the rank that has its bins.
struct placed_cell {
    cell what;
    std::int32_t is_sender = 0;
};
/// What two cells have in common, on its way to the receiver's rank.
struct overlap {
    std::int64_t place, source;
    double area;
};

/// On a cylinder the receiver's cells begin in [0, period), and the sender's occur wherever they may meet
/// them.
std::vector<placed_cell> unrolled(const grid_cells &from, const grid_cells &to, double period) {
    std::vector<placed_cell> all;
    const auto begin_of_turn = [period](const cell &each) {
        return period == 0 ? 0 : -std::floor(bounds_of(each).west / period) * period;
    };
    for (const cell &each : to.all()) {
        all.push_back({shifted(each, begin_of_turn(each)), 0});
    }
    for (const cell &each : from.all()) {
        const cell first = shifted(each, begin_of_turn(each));
        all.push_back({first, 1});
        if (period != 0) {
            all.push_back({shifted(first, period), 1});
            if (bounds_of(first).east > period) {
                all.push_back({shifted(first, -period), 1});
            }
        }
    }
    return all;
}

bounds bounds_of_all(const std::vector<placed_cell> &cells) noexcept {
    bounds all = bounds::none();
    for (const placed_cell &each : cells) {
        all = all.around(bounds_of(each.what));
    }
    return all;
}

/// The cells at the ranks whose bins they reach into.
std::vector<addressed<std::vector<placed_cell>>> at_their_bins(const communicator &ranks, const bins &of,
                                                               const std::vector<placed_cell> &cells) {
    outbound<placed_cell> messages;
    for (const placed_cell &each : cells) {
        of.for_owners_of(bounds_of(each.what), [&](int rank) { messages.add(rank, each); });
    }
    return messages.exchanged(ranks);
}

/// The pairs of cells that meet in the caller's bins, for the receivers' ranks. A pair is found in one bin
/// alone: that of the corner where the rectangles around both begin to overlap.
outbound<overlap> overlaps(const communicator &ranks, const bins &of,
                           const std::vector<addressed<std::vector<placed_cell>>> &heard) {
    by_bin<cell> senders{of, ranks.rank()};
    for (const auto &[rank, cells] : heard) {
        for (const placed_cell &each : cells) {
            if (each.is_sender != 0) {
                senders.add(each.what, bounds_of(each.what));
            }
        }
    }
    senders.sort();
    outbound<overlap> found;
    for (const auto &[rank, cells] : heard) {
        for (const placed_cell &each : cells) {
            if (each.is_sender != 0) {
                continue;
            }
            const bounds to = bounds_of(each.what);
            of.for_bins_of(to, [&](std::int64_t bin) {
                senders.for_all_in(bin, [&](const cell &sender) {
                    const bounds from = bounds_of(sender);
                    if (of.bin_of(std::max(from.west, to.west), std::max(from.south, to.south)) != bin) {
                        return;
                    }
                    if (const double area = detail::common_area(each.what, sender); area > 0) {
                        found.add(rank, {each.what.number, sender.number, area});
                    }
                });
            });
        }
    }
    return found;
}

} // namespace

conservative_weights overlap_weights(MPI_Comm all, const grid_cells &from, const grid_cells &to,
                                     normalisation how, double period) {
    const communicator ranks{all};
    const std::vector<placed_cell> cells = unrolled(from, to, period);
    const bins shared{ranks, bounds_of_all(cells), static_cast<std::int64_t>(cells.size())};
    std::vector<overlap> parts =
        overlaps(ranks, shared, at_their_bins(ranks, shared, cells)).exchanged_contents(ranks);
    // A sender's cell may meet one of the receiver's on both sides of a cylinder's seam.
    std::ranges::sort(parts, {}, [](const overlap &each) {
        return std::tuple{each.place, each.source, each.area};
    });

    conservative_weights made;
    std::map<std::int64_t, double> covered;
    for (const overlap &each : parts) {
        covered[each.place] += each.area;
        if (!made.weights.empty() && made.weights.back().place == each.place &&
            made.weights.back().source == each.source) {
            made.weights.back().factor += each.area;
        } else {
            made.weights.push_back({each.place, each.source, each.area});
        }
    }
    std::map<std::int64_t, double> areas;
    for (const cell &each : to.all()) {
        const double area = each.area(), met = covered.contains(each.number) ? covered[each.number] : 0;
        made.covered.push_back(area > 0 ? met / area : 0);
        areas[each.number] = how == normalisation::whole_area ? area : met;
    }
    for (weight &each : made.weights) {
        each.factor /= areas[each.place];
    }
    return made;
}

} // namespace lisle::couple
