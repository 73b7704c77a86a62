// SPDX-License-Identifier: Apache-2.0
// A plane that all ranks share out, so that what meets in it is found in parallel: it is cut into bins, of
// which each rank has a stretch.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <lisle/communicator.hpp>

namespace lisle::couple::detail {

/// A rectangle of the plane.
struct bounds {
    double west = 0, east = 0, south = 0, north = 0;

    /// What grows to the smallest one around something.
    [[nodiscard]] static constexpr bounds none() noexcept {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        return {infinity, -infinity, infinity, -infinity};
    }
    [[nodiscard]] bounds around(const bounds &other) const noexcept {
        return {std::min(west, other.west), std::max(east, other.east), std::min(south, other.south),
                std::max(north, other.north)};
    }
    [[nodiscard]] bounds around(double x, double y) const noexcept { return around(bounds{x, x, y, y}); }
    [[nodiscard]] bounds wider(double by) const noexcept {
        return {west - by, east + by, south - by, north + by};
    }
    [[nodiscard]] bounds shifted(double by) const noexcept { return {west + by, east + by, south, north}; }
    [[nodiscard]] bool contains(const bounds &other) const noexcept {
        return west <= other.west && other.east <= east && south <= other.south && other.north <= north;
    }
};

/// The rectangle around all that the ranks have, cut into bins that are shared out among them.
class bins {
  public:
    /// Collective. @param count of what the caller has in them
    bins(const communicator &ranks, const bounds &own, std::int64_t count) : ranks_{ranks.size()} {
        whole_.west = ranks.allreduce(own.west, minimum{});
        whole_.south = ranks.allreduce(own.south, minimum{});
        whole_.east = ranks.allreduce(own.east, maximum{});
        whole_.north = ranks.allreduce(own.north, maximum{});
        const auto all = static_cast<double>(ranks.allreduce(count, std::plus<>{}));
        constexpr double count_of_bin = 4, most = 4096;
        side_ = static_cast<std::int64_t>(std::clamp(std::sqrt(all / count_of_bin), 1.0, most));
    }
    [[nodiscard]] const bounds &whole() const noexcept { return whole_; }
    [[nodiscard]] std::int64_t bin_of(double x, double y) const noexcept {
        return part(y, whole_.south, whole_.north) * side_ + part(x, whole_.west, whole_.east);
    }
    [[nodiscard]] int owner_of(std::int64_t bin) const noexcept {
        return static_cast<int>(bin * ranks_ / (side_ * side_));
    }
    /// Calls function(bin) for all bins that a rectangle reaches into.
    template <class Do> void for_bins_of(const bounds &area, const Do &function) const {
        for_rows_of(area, [&](std::int64_t first, std::int64_t last) {
            for (std::int64_t bin = first; bin <= last; ++bin) {
                function(bin);
            }
        });
    }
    /// Calls function(rank) once for each rank that has such a bin.
    template <class Do> void for_owners_of(const bounds &area, const Do &function) const {
        int before = -1; // the owners' numbers grow as the bins' do
        for_rows_of(area, [&](std::int64_t first, std::int64_t last) {
            for (std::int64_t bin = first; bin <= last;) {
                const int owner = owner_of(bin);
                if (owner != before) {
                    function(owner);
                }
                before = owner;
                bin = end_of(owner);
            }
        });
    }

  private:
    /// Calls function(first bin, last bin) for what a rectangle reaches into of each row.
    template <class Do> void for_rows_of(const bounds &area, const Do &function) const {
        const std::int64_t first = part(area.west, whole_.west, whole_.east),
                           last = part(area.east, whole_.west, whole_.east);
        const std::int64_t top = part(area.north, whole_.south, whole_.north);
        for (std::int64_t row = part(area.south, whole_.south, whole_.north); row <= top; ++row) {
            function(row * side_ + first, row * side_ + last);
        }
    }
    /// The first bin that is a later rank's.
    [[nodiscard]] std::int64_t end_of(int owner) const noexcept {
        return ((owner + std::int64_t{1}) * side_ * side_ + ranks_ - 1) / ranks_;
    }
    [[nodiscard]] std::int64_t part(double at, double begin, double end) const noexcept {
        const double where =
            end <= begin ? 0
                         : std::clamp((at - begin) / (end - begin), 0.0, 1.0) * static_cast<double>(side_);
        return std::min(static_cast<std::int64_t>(where), side_ - 1);
    }

    bounds whole_;
    std::int64_t side_ = 1;
    int ranks_;
};

/// What lies in the caller's bins, by bin.
template <class T> class by_bin {
  public:
    by_bin(const bins &of, int rank) : of_{&of}, rank_{rank} {}
    /// @param what must outlive this
    void add(const T &what, const bounds &area) {
        of_->for_bins_of(area, [&](std::int64_t bin) {
            if (of_->owner_of(bin) == rank_) {
                all_.push_back({bin, &what});
            }
        });
    }
    /// After the last add(). Things of one bin keep their order.
    void sort() {
        std::ranges::stable_sort(all_, {}, [](const auto &each) { return each.first; });
    }
    template <class Do> void for_all_in(std::int64_t bin, const Do &function) const {
        auto at = std::ranges::lower_bound(all_, bin, {}, [](const auto &each) { return each.first; });
        for (; at != all_.end() && at->first == bin; ++at) {
            function(*at->second);
        }
    }

  private:
    const bins *of_;
    int rank_;
    std::vector<std::pair<std::int64_t, const T *>> all_;
};

} // namespace lisle::couple::detail
