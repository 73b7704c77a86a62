// SPDX-License-Identifier: Apache-2.0
// Messages that are being sent, with their data. They are tested now and then, for each rank in the order in
// which they began, so that thousands of them cost no more than one.
#pragma once

#include <deque>
#include <iterator>
#include <map>
#include <span>
#include <vector>

#include "task/transport/mpi_check.hpp"
#include <lisle/task/value.hpp>

namespace lisle::tasks {

class departures {
  public:
    explicit departures(const MPI_Comm &comm) noexcept : comm_{comm} {}

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
    void begin(departure &leaving, int to, int tag, std::span<const std::byte> bytes) const {
        check(MPI_Isend_c(bytes.data(), static_cast<MPI_Count>(bytes.size()), MPI_BYTE, to, tag, comm_,
                          &leaving.request),
              "MPI_Isend");
    }
    static bool has_left(departure &leaving) {
        int is_done = 0;
        check(MPI_Test(&leaving.request, &is_done, MPI_STATUS_IGNORE), "MPI_Test");
        return is_done != 0;
    }

    const MPI_Comm &comm_;
    std::map<int, std::deque<departure>> by_rank_; ///< none of them empty
};

} // namespace lisle::tasks
