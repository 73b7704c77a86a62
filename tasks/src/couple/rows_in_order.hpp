// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include <lisle/communicator.hpp>

#include "couple/file_entries.hpp"

namespace lisle::couple::detail {

/// Who has read which rows of a file that has them in order: each rank a stretch. A row may end in one and go
/// on in the next.
class rows_in_order {
  public:
    /// Collective. None if the file's rows are in no order.
    [[nodiscard]] static std::optional<rows_in_order> of(const communicator &ranks,
                                                         const std::vector<file_entry> &own) {
        const std::array<global_index, 3> mine{std::ranges::is_sorted(own, {}, &file_entry::row) ? 1 : 0,
                                               own.empty() ? -1 : own.front().row,
                                               own.empty() ? -1 : own.back().row};
        rows_in_order found;
        int rank = 0;
        for (const auto &[is_sorted, first, last] : ranks.allgather(mine)) {
            if (is_sorted == 0 || (first >= 0 && !found.all_.empty() && first < found.all_.back().last)) {
                return std::nullopt;
            }
            if (first >= 0) {
                found.all_.push_back({rank, first, last});
            }
            ++rank;
        }
        return found;
    }
    /// Calls function(rank, part) for each part of a run that a rank may have read something of.
    template <class Do> void for_parts_of(const point_run &run, const Do &function) const {
        const global_index end = run.global + run.count;
        auto each = std::ranges::lower_bound(all_, run.global, {}, &stretch::last);
        for (; each != all_.end() && each->first < end; ++each) {
            const global_index first = std::max(run.global, each->first);
            function(each->rank,
                     point_run{first, run.local + first - run.global, std::min(end, each->last + 1) - first});
        }
    }

  private:
    struct stretch {
        int rank;
        global_index first, last;
    };
    std::vector<stretch> all_; ///< in ascending order
};

} // namespace lisle::couple::detail
