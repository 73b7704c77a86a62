// SPDX-License-Identifier: Apache-2.0
// Receives of unknown size without Lisle's extensions. MPI cannot post them, so probes match them, in the
// order in which the program began them, whenever the rank waits or tests through these headers. Receives
// that could take the same messages queue up behind them. Collectives other than the barrier match nothing
// while they wait. With the extensions none of this is compiled.
#pragma once

#include "lisle/detail/attempt.hpp"

#if LISLE_USE_EXTENSIONS

namespace lisle::detail {

/// True while receives wait for their messages in the headers.
constexpr bool receives_unposted() noexcept {
    return false;
}
inline int wait_and_match(MPI_Request *request, MPI_Status *ended) noexcept {
    return MPI_Wait(request, ended);
}

} // namespace lisle::detail

#else

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <utility>
#include <vector>

namespace lisle::detail {

/// A receive that begins once its message is there, or once its turn has come.
class unposted {
  public:
    unposted() = default;
    unposted(const unposted &) = delete;
    unposted &operator=(const unposted &) = delete;

    /// True if one message could go to both.
    [[nodiscard]] bool overlaps(int source, int tag, MPI_Comm comm) const noexcept {
        return comm == comm_ &&
               (source == source_ || source == MPI_ANY_SOURCE || source_ == MPI_ANY_SOURCE) &&
               (tag == tag_ || tag == MPI_ANY_TAG || tag_ == MPI_ANY_TAG);
    }

  protected:
    virtual ~unposted() = default;
    /// Gets in line.
    void queue(int source, int tag, MPI_Comm comm);
    /// Begins the receive if it can. @pre no earlier one could take its message
    virtual bool try_start(MPI_Request &request) = 0;
    /// The request, once there is one; waits for that if it is asked to.
    bool started(MPI_Request &request, bool wait);
    /// True if it has not begun and will not.
    bool withdraw();

    int source_ = MPI_PROC_NULL;
    int tag_ = 0;
    MPI_Comm comm_ = MPI_COMM_NULL;

  private:
    friend class unposted_list;
    MPI_Request request_ = MPI_REQUEST_NULL;
    std::exception_ptr failure_;
    bool begun_ = false;
    bool given_ = false;
};

/// All of a rank: which is a process, where there are no extensions.
class unposted_list {
  public:
    static unposted_list &mine() noexcept {
        static unposted_list list;
        return list;
    }
    [[nodiscard]] bool empty() const noexcept {
        // Relaxed: a thread knows of its own receives; others' are begun by themselves as well.
        return count_.load(std::memory_order_relaxed) == 0;
    }
    [[nodiscard]] bool overlaps(int source, int tag, MPI_Comm comm) {
        const std::scoped_lock lock{mutex_};
        return std::any_of(waiting_.begin(), waiting_.end(),
                           [=](const unposted *each) { return each->overlaps(source, tag, comm); });
    }
    void add(unposted &receive) {
        const std::scoped_lock lock{mutex_};
        waiting_.push_back(&receive);
        count_.store(waiting_.size(), std::memory_order_relaxed);
    }
    /// Begins all that can begin.
    void progress() {
        const std::scoped_lock lock{mutex_};
        std::vector<unposted *> left;
        for (unposted *const each : waiting_) {
            const bool first = std::none_of(left.begin(), left.end(), [each](const unposted *earlier) {
                return earlier->overlaps(each->source_, each->tag_, each->comm_);
            });
            if (first) {
                // What fails its own wait will tell.
                each->failure_ = caught([each] { each->begun_ = each->try_start(each->request_); });
                each->begun_ = each->begun_ || each->failure_;
            }
            if (!each->begun_)
                left.push_back(each);
        }
        waiting_ = std::move(left);
        count_.store(waiting_.size(), std::memory_order_relaxed);
    }

  private:
    friend class unposted;
    std::mutex mutex_;
    std::vector<unposted *> waiting_;
    std::atomic<std::size_t> count_{0};
};

inline void unposted::queue(int source, int tag, MPI_Comm comm) {
    source_ = source;
    tag_ = tag;
    comm_ = comm;
    unposted_list::mine().add(*this);
}

inline bool receives_unposted() noexcept {
    return !unposted_list::mine().empty();
}

inline bool unposted::started(MPI_Request &request, bool wait) {
    if (given_)
        return true;
    unposted_list &list = unposted_list::mine();
    for (;;) {
        list.progress();
        const std::scoped_lock lock{list.mutex_};
        if (begun_) {
            given_ = true;
            request = request_;
            if (failure_)
                std::rethrow_exception(failure_);
            return true;
        }
        if (!wait)
            return false;
    }
}

inline bool unposted::withdraw() {
    unposted_list &list = unposted_list::mine();
    const std::scoped_lock lock{list.mutex_};
    if (begun_)
        return false;
    std::erase(list.waiting_, this);
    list.count_.store(list.waiting_.size(), std::memory_order_relaxed);
    return begun_ = given_ = true;
}

/// MPI_Wait for a rank that may have to match messages meanwhile.
inline int wait_and_match(MPI_Request *request, MPI_Status *ended) {
    while (receives_unposted()) {
        unposted_list::mine().progress();
        int flag = 0;
        const int code = MPI_Test(request, &flag, ended);
        if (flag != 0 || code != MPI_SUCCESS)
            return code;
    }
    return MPI_Wait(request, ended);
}

} // namespace lisle::detail

#endif
