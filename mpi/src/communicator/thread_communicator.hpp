// SPDX-License-Identifier: Apache-2.0
// Communicators of threads (MPIX_Threadcomm_*): threads of several processes are the ranks. The threads of a
// process share its rank's engine; what keeps their messages apart is a context for each, so matching and
// wildcards are the usual ones. The handle is one for all threads of a process and stands for the calling
// thread's own communicator between start and finish.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/object.hpp"
#include "communicator/communicator.hpp"

namespace lisle {

class thread_communicator : public object {
  public:
    static constexpr object_kind kind_of_object = object_kind::thread_communicator;

    /// Collective over `parent`: all have it, or the call fails at all. @param threads how many of this
    /// process become ranks
    [[nodiscard]] static thread_communicator *make(communicator &parent, int threads);

    /// The calling thread becomes a rank, or stops being one. Throw mpi_error if it is (not) one already, or
    /// if more threads come than were announced.
    void start();
    /// Deletes the attributes that the thread has set. If a delete function fails, the thread stays a rank.
    void finish();
    /// The calling thread's communicator, or null.
    [[nodiscard]] communicator *member() const noexcept;
    /// True if no thread is a rank now.
    [[nodiscard]] bool idle() const noexcept { return started_.load(std::memory_order_relaxed) == 0; }

  private:
    thread_communicator(int threads, const errhandler_ref &errors);
    void list_members(const communicator &parent, const std::vector<int> &counts);
    /// Which of the process's threads the caller is in this round, in the order in which they start.
    [[nodiscard]] int take_place();

    int threads_;
    int first_rank_ = 0; ///< of this process's threads
    std::uint64_t context_ = 0;
    group_ref members_;
    communicator::lane_list lanes_;
    errhandler_ref errors_of_parent_;
    // How many threads have, in this round, started, called finish, and come to its end. Who begins a new
    // round sees the last one's end: release by the last, acquire by those who start.
    std::atomic<int> started_{0};
    std::atomic<int> finished_{0};
    std::atomic<int> ended_{0};
};

} // namespace lisle
