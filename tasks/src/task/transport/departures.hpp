// SPDX-License-Identifier: Apache-2.0
// Messages that are being sent, with their data. They are tested now and then, for each rank in the order in
// which they began, so that thousands of them cost no more than one. One for a rank that has failed is
// dropped.
#pragma once

#include <deque>
#include <iterator>
#include <map>
#include <span>
#include <vector>

#include "task/transport/failed_ranks.hpp"
#include <lisle/task/value.hpp>

namespace lisle::tasks {

class departures {
  public:
    departures(const MPI_Comm &comm, failed_ranks &failed) noexcept : comm_{comm}, failed_{failed} {}

    void send(int to, int tag, std::vector<std::byte> bytes) {
        departure leaving;
        leaving.bytes = std::move(bytes);
        begin(leaving, to, tag, leaving.bytes);
        if (!has_left(leaving)) {
            by_rank_[to].push_back(std::move(leaving));
        }
    }
    /// Without a copy: the object is kept until its bytes have left.
    void send_from(int to, int tag, std::span<const std::byte> bytes, ref<object> keep) {
        departure leaving;
        leaving.keep = std::move(keep);
        begin(leaving, to, tag, bytes);
        by_rank_[to].push_back(std::move(leaving));
    }
    /// Drops the messages that have left.
    void look() {
        for (auto each = by_rank_.begin(); each != by_rank_.end();) {
            auto &queue = each->second;
            while (!queue.empty() && has_left(queue.front())) {
                queue.pop_front();
            }
            each = queue.empty() ? by_rank_.erase(each) : std::next(each);
        }
    }
    [[nodiscard]] bool is_empty() const noexcept { return by_rank_.empty(); }

  private:
    struct departure {
        MPI_Request request = MPI_REQUEST_NULL;
        std::vector<std::byte> bytes;
        ref<object> keep;
    };
    void begin(departure &leaving, int to, int tag, std::span<const std::byte> bytes) {
        failed_.note(MPI_Isend_c(bytes.data(), static_cast<MPI_Count>(bytes.size()), MPI_BYTE, to, tag, comm_,
                                 &leaving.request),
                     "MPI_Isend");
    }
    bool has_left(departure &leaving) {
        int is_done = 0;
        return failed_.note(MPI_Test(&leaving.request, &is_done, MPI_STATUS_IGNORE), "MPI_Test") ||
               is_done != 0;
    }

    const MPI_Comm &comm_;
    failed_ranks &failed_;
    std::map<int, std::deque<departure>> by_rank_; ///< none of them empty
};

} // namespace lisle::tasks
