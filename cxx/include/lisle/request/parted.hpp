// SPDX-License-Identifier: Apache-2.0
// Partitioned operations with MPI 3.1, which has none: a send is one message that leaves when its last part
// is ready, and all parts of a receive arrive together.
#pragma once

#include "lisle/detail/config.hpp"

#if LISLE_USE_MPI_3

#include <atomic>
#include <memory>
#include <thread>

#include "lisle/detail/error.hpp"
#include "lisle/request/request.hpp"
#include "lisle/request/unposted.hpp"

namespace lisle::detail {

/// The rounds of such an operation: of a send with so many parts, or of a receive, whose parts are 0.
class parted final : public persistent_owner {
  public:
    parted(MPI_Request whole, int parts)
        : whole_{whole}, parts_{parts}, ready_{new std::atomic<bool>[static_cast<std::size_t>(parts)] {}} {}
    /// Waits for the last round, unless parts of it never became ready.
    ~parted() override {
        if (whole_ == MPI_REQUEST_NULL)
            return;
        if (unsent_.load(std::memory_order_acquire) == 0)
            wait_and_match(&whole_, MPI_STATUS_IGNORE);
        MPI_Request_free(&whole_);
    }
    void start() override {
        // Relaxed: who says that parts are ready comes after this call.
        for (int part = 0; part < parts_; ++part)
            ready_[static_cast<std::size_t>(part)].store(false, std::memory_order_relaxed);
        if (parts_ == 0)
            check(MPI_Start(&whole_), "MPI_Start");
        else
            unsent_.store(parts_ + 1, std::memory_order_relaxed);
    }
    /// Any thread may say so, once for each part.
    void ready(int part) {
        if (part < 0 || part >= parts_)
            return raise(MPI_ERR_ARG, "lisle::partitioned_send::ready",
                         {{"partition", part}, {"partitions", parts_}}, "there is no such part");
        if (ready_[static_cast<std::size_t>(part)].exchange(true, std::memory_order_relaxed))
            return raise(MPI_ERR_ARG, "lisle::partitioned_send::ready", {{"partition", part}},
                         "the part has been said to be ready in this round");
        // Acquire and release: pairs with itself, so the last thread sees what the others have written.
        if (unsent_.fetch_sub(1, std::memory_order_acq_rel) == 2) {
            check(MPI_Start(&whole_), "MPI_Start");
            unsent_.store(0, std::memory_order_release); // pairs with the loads of who waits
        }
    }
    bool finish(bool wait) override {
        while (unsent_.load(std::memory_order_acquire) != 0) {
            if (!wait)
                return false;
            std::this_thread::yield(); // other threads have parts to say ready
        }
        int flag = 1;
        if (wait)
            check(wait_and_match(&whole_, MPI_STATUS_IGNORE), "MPI_Wait");
        else
            check(MPI_Test(&whole_, &flag, MPI_STATUS_IGNORE), "MPI_Test");
        return flag != 0;
    }
    [[nodiscard]] bool arrived() const {
        int flag = 0;
        check(MPI_Request_get_status(whole_, &flag, MPI_STATUS_IGNORE), "MPI_Request_get_status");
        return flag != 0;
    }

  private:
    MPI_Request whole_; ///< persistent, of the whole message
    const int parts_;
    const std::unique_ptr<std::atomic<bool>[]> ready_;
    std::atomic<int> unsent_{0}; ///< parts that are not ready, and one more until the message has begun
};

} // namespace lisle::detail

#endif
