// SPDX-License-Identifier: Apache-2.0
// The ranks of a communicator that have failed, learnt from the codes of calls that they concern.
#pragma once

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>
#include <vector>

#include "task/transport/mpi_check.hpp"

namespace lisle::tasks {

class failed_ranks {
  public:
    explicit failed_ranks(const MPI_Comm &comm) noexcept : comm_{comm} {}

    /// Whether a call has failed because a rank has. Throws std::runtime_error if it has for another reason.
    bool note(int code, const char *call) {
        if (code == MPI_SUCCESS) {
            return false;
        }
        int reason = MPI_SUCCESS;
        MPI_Error_class(code, &reason);
        if (reason != MPIX_ERR_PROC_FAILED && reason != MPIX_ERR_PROC_FAILED_PENDING) {
            check(code, call);
        }
        has_news_ = true;
        return true;
    }
    [[nodiscard]] bool has_news() const noexcept { return has_news_; }
    /// Those that have failed since the last call, if note() has found any. Receives from any rank that are
    /// posted from now on do not fail for them.
    std::vector<int> take() {
        std::vector<int> fresh;
        if (!std::exchange(has_news_, false)) {
            return fresh;
        }
        MPI_Group failed = MPI_GROUP_NULL, all = MPI_GROUP_NULL;
        check(MPIX_Comm_get_failed(comm_, &failed), "MPIX_Comm_get_failed");
        check(MPI_Comm_group(comm_, &all), "MPI_Comm_group");
        int count = 0, acknowledged = 0;
        MPI_Group_size(failed, &count);
        check(MPIX_Comm_ack_failed(comm_, count, &acknowledged), "MPIX_Comm_ack_failed");
        std::vector<int> places(static_cast<std::size_t>(count)), ranks(places.size());
        std::iota(places.begin(), places.end(), 0);
        MPI_Group_translate_ranks(failed, count, places.data(), all, ranks.data());
        MPI_Group_free(&failed);
        MPI_Group_free(&all);
        std::ranges::copy_if(ranks, std::back_inserter(fresh),
                             [this](int rank) { return std::ranges::find(told_, rank) == told_.end(); });
        told_.insert(told_.end(), fresh.begin(), fresh.end());
        return fresh;
    }

  private:
    const MPI_Comm &comm_;
    bool has_news_ = false;
    std::vector<int> told_;
};

} // namespace lisle::tasks
