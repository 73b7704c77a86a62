// SPDX-License-Identifier: Apache-2.0
#include <lisle/couple/overlap.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include <lisle/communicator.hpp>
#include <lisle/sparse_exchange.hpp>

#include "couple/polygon.hpp"

namespace lisle::couple {

namespace {

using detail::bounds;
using detail::bounds_of;
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

/// The rectangle around all cells, cut into bins that are shared out among the ranks, each a stretch of them.
class bins {
  public:
    bins(const communicator &ranks, const bounds &own, std::int64_t cells) {
        whole_.west = ranks.allreduce(own.west, minimum{});
        whole_.south = ranks.allreduce(own.south, minimum{});
        whole_.east = ranks.allreduce(own.east, maximum{});
        whole_.north = ranks.allreduce(own.north, maximum{});
        const auto all = static_cast<double>(ranks.allreduce(cells, std::plus<>{}));
        constexpr double cells_of_bin = 4, most = 4096;
        side_ = static_cast<std::int64_t>(std::clamp(std::sqrt(all / cells_of_bin), 1.0, most));
        ranks_ = ranks.size();
    }
    [[nodiscard]] std::int64_t bin_of(double x, double y) const noexcept {
        return part(y, whole_.south, whole_.north) * side_ + part(x, whole_.west, whole_.east);
    }
    [[nodiscard]] int owner_of(std::int64_t bin) const noexcept {
        return static_cast<int>(bin * ranks_ / (side_ * side_));
    }
    /// Calls function(bin) for all bins that a rectangle reaches into.
    template <class Do> void for_bins_of(const bounds &area, const Do &function) const {
        const std::int64_t first = part(area.west, whole_.west, whole_.east),
                           last = part(area.east, whole_.west, whole_.east);
        const std::int64_t top = part(area.north, whole_.south, whole_.north);
        for (std::int64_t row = part(area.south, whole_.south, whole_.north); row <= top; ++row) {
            for (std::int64_t column = first; column <= last; ++column) {
                function(row * side_ + column);
            }
        }
    }

  private:
    [[nodiscard]] std::int64_t part(double at, double begin, double end) const noexcept {
        return end <= begin
                   ? 0
                   : std::clamp<std::int64_t>(
                         static_cast<std::int64_t>((at - begin) / (end - begin) * static_cast<double>(side_)),
                         0, side_ - 1);
    }
    bounds whole_;
    std::int64_t side_ = 1;
    int ranks_ = 1;
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
    constexpr double infinity = std::numeric_limits<double>::infinity();
    bounds all{infinity, -infinity, infinity, -infinity};
    for (const placed_cell &each : cells) {
        const bounds own = bounds_of(each.what);
        all = {std::min(all.west, own.west), std::max(all.east, own.east), std::min(all.south, own.south),
               std::max(all.north, own.north)};
    }
    return all;
}

std::vector<addressed<std::vector<placed_cell>>> by_owner(const std::vector<placed_cell> &cells,
                                                          const bins &of) {
    std::map<int, std::vector<placed_cell>> messages;
    for (const placed_cell &each : cells) {
        int last = -1;
        of.for_bins_of(bounds_of(each.what), [&](std::int64_t bin) {
            // A cell's bins of one row follow each other, but those of the next row may be the same rank's
            // again.
            const int owner = of.owner_of(bin);
            if (owner != last &&
                (messages[owner].empty() || messages[owner].back().what.number != each.what.number ||
                 messages[owner].back().is_sender != each.is_sender ||
                 messages[owner].back().what.corners[0].x != each.what.corners[0].x)) {
                messages[owner].push_back(each);
            }
            last = owner;
        });
    }
    std::vector<addressed<std::vector<placed_cell>>> all;
    for (auto &[rank, content] : messages) {
        all.push_back({rank, std::move(content)});
    }
    return all;
}

/// The pairs of cells that meet in the caller's bins. A pair is found in one bin alone: that of the corner
/// where the rectangles around both begin to overlap.
std::vector<addressed<std::vector<overlap>>>
overlaps(const communicator &ranks, const bins &of,
         const std::vector<addressed<std::vector<placed_cell>>> &heard) {
    std::map<std::int64_t, std::vector<const cell *>> senders;
    for (const auto &[rank, cells] : heard) {
        for (const placed_cell &each : cells) {
            if (each.is_sender != 0) {
                of.for_bins_of(bounds_of(each.what), [&](std::int64_t bin) {
                    if (of.owner_of(bin) == ranks.rank()) {
                        senders[bin].push_back(&each.what);
                    }
                });
            }
        }
    }
    std::vector<addressed<std::vector<overlap>>> found;
    for (const auto &[rank, cells] : heard) {
        std::vector<overlap> own;
        for (const placed_cell &each : cells) {
            if (each.is_sender != 0) {
                continue;
            }
            const bounds to = bounds_of(each.what);
            of.for_bins_of(to, [&](std::int64_t bin) {
                const auto here = senders.find(bin);
                for (const cell *sender :
                     here != senders.end() ? here->second : std::vector<const cell *>{}) {
                    const bounds from = bounds_of(*sender);
                    if (of.bin_of(std::max(from.west, to.west), std::max(from.south, to.south)) != bin) {
                        continue;
                    }
                    if (const double area = detail::common_area(each.what, *sender); area > 0) {
                        own.push_back({each.what.number, sender->number, area});
                    }
                }
            });
        }
        if (!own.empty()) {
            found.push_back({rank, std::move(own)});
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
    std::vector<overlap> parts;
    for (const auto &[rank, found] :
         sparse_exchange(ranks, overlaps(ranks, shared, sparse_exchange(ranks, by_owner(cells, shared))))) {
        parts.insert(parts.end(), found.begin(), found.end());
    }
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
