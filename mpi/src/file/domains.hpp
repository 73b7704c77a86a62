// SPDX-License-Identifier: Apache-2.0
// The division of a stretch of the file in a collective access: each aggregator, a rank that reads and writes
// for all, has a part of it, its domain, which it processes window by window, one in each round.
#pragma once

#include <algorithm>

#include "file/descriptor.hpp"

namespace lisle::file {

class domains {
  public:
    domains() = default;
    /// @param wanted how many aggregators there may be at most @param window bytes @param ranks of the file
    domains(const file_run &stretch, int wanted, MPI_Count window, int ranks)
        : begin_{stretch.offset / page * page}, end_{stretch.end()}, window_{window}, ranks_{ranks} {
        const MPI_Count bytes = end_ - begin_;
        const MPI_Count useful = (bytes + least - 1) / least;
        const MPI_Count most = std::clamp<MPI_Count>(useful, 1, std::min(wanted, ranks));
        each_ = ((bytes + most - 1) / most + page - 1) / page * page; // so that no two share a page
        count_ = each_ == 0 ? 1 : static_cast<int>((bytes + each_ - 1) / each_);
    }

    [[nodiscard]] int count() const noexcept { return count_; }
    [[nodiscard]] int rank_of(int aggregator) const noexcept {
        return static_cast<int>(static_cast<long>(aggregator) * ranks_ / count_);
    }
    /// The aggregator that this rank is; -1: none.
    [[nodiscard]] int aggregator_at(int rank) const noexcept {
        const int candidate = static_cast<int>((static_cast<long>(rank) * count_ + ranks_ - 1) / ranks_);
        return candidate < count_ && rank_of(candidate) == rank ? candidate : -1;
    }
    [[nodiscard]] MPI_Count rounds() const noexcept { return (each_ + window_ - 1) / window_; }
    /// The window of an aggregator in a round, which may be empty.
    [[nodiscard]] file_run window_of(int aggregator, MPI_Count round) const noexcept {
        const MPI_Offset domain = begin_ + aggregator * each_;
        const MPI_Offset from = std::min(domain + round * window_, end_);
        const MPI_Offset to = std::min({domain + (round + 1) * window_, domain + each_, end_});
        return {from, std::max<MPI_Count>(to - from, 0)};
    }

  private:
    static constexpr MPI_Count page = 4096;
    static constexpr MPI_Count least = 65536; ///< bytes that are worth another aggregator

    MPI_Offset begin_ = 0, end_ = 0;
    MPI_Count window_ = 1, each_ = 0;
    int ranks_ = 1, count_ = 1;
};

} // namespace lisle::file
