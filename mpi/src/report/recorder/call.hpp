// SPDX-License-Identifier: Apache-2.0
// One call of the program, from its beginning to its end, and what it says of itself in between.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "report/recorder/recorder.hpp"

namespace lisle::report {

/// What a call has of its data: elements of a type. Bytes are asked for when they are recorded.
struct elements {
    MPI_Count count;
    MPI_Datatype type;
};

class call {
  public:
    /// @param id see call_names.hpp @param from where the program has called
    call(std::uint32_t id, const call_site &from) noexcept;
    call(const call &) = delete;
    call &operator=(const call &) = delete;
    ~call();

    /// Lisle's own call is over: all that is below comes after this.
    void ended() noexcept;
    [[nodiscard]] explicit operator bool() const noexcept { return recorded_; }
    /// It has found nothing to be done: many of them in a row are one wait.
    void found_nothing() noexcept { in_vain_ = true; }

    // ---- messages ----
    void sends(elements what, int to, int tag, MPI_Comm comm) noexcept;
    void receives(const MPI_Status &status, MPI_Comm comm) noexcept;
    void receives(const MPI_Status &status, const shared_group &by) noexcept;
    /// A probe has found a message.
    void finds(const MPI_Status &status, MPI_Comm comm) noexcept;
    void begins_send(MPI_Request request, elements what, int to, int tag, MPI_Comm comm,
                     bool persistent = false) noexcept;
    void begins_receive(MPI_Request request, const shared_group &by, bool persistent = false) noexcept;
    void begins_both(MPI_Request request, elements what, int to, int tag, MPI_Comm comm) noexcept;
    void starts(MPI_Request request) noexcept;

    // ---- partitioned messages ----

    /// @param sends which end it is @param other rank of the other end
    void begins_partitioned(MPI_Request request, bool sends, int partitions, elements of_each, int other,
                            int tag, MPI_Comm comm) noexcept;
    void marks_ready(MPI_Request request, int first, int last) noexcept;
    void finds_arrived(MPI_Request request, int partition) noexcept;

    // ---- collectives: of a communicator, window or file ----
    void takes_part(const shared_group &with, collective_shape shape, int root, elements data) noexcept;
    void begins_part(MPI_Request request, const shared_group &with, collective_shape shape, int root,
                     elements data, bool persistent = false) noexcept;

    // ---- one-sided, and files ----
    void moves(const shared_group &among, int target, elements data) noexcept;
    /// @param target -1: all
    void locks(MPI_Win window, int target, lock_step step) noexcept;
    void epochs(MPI_Win window, MPI_Group with, epoch_step step, int assertion = 0) noexcept;

    [[nodiscard]] recorder &to() noexcept { return recorder_; }

  private:
    [[nodiscard]] begun part(const shared_group &with, collective_shape shape, int root,
                             elements data) const noexcept;
    [[nodiscard]] begun send(elements what, int to, int tag, MPI_Comm comm) const noexcept;

    recorder &recorder_;
    calling_thread &thread_;
    const std::uint32_t id_;
    const call_site from_;
    std::uint64_t begin_ = 0, end_ = 0;
    bool recorded_ = false, locked_ = false, in_vain_ = false;
};

/// The status of a call, which the program may not want.
class asked_status {
  public:
    explicit asked_status(MPI_Status *theirs) noexcept
        : used_{theirs == MPI_STATUS_IGNORE ? &own_ : theirs} {}
    [[nodiscard]] MPI_Status *pass() noexcept { return used_; }
    [[nodiscard]] const MPI_Status &value() const noexcept { return *used_; }

  private:
    MPI_Status own_{};
    MPI_Status *used_;
};

/// The requests of a call as they were before it, and statuses for it.
class asked_requests {
  public:
    asked_requests(const call &by, int count, const MPI_Request *requests, MPI_Status *theirs);
    [[nodiscard]] MPI_Status *pass() noexcept { return statuses_; }
    /// The operation of the request at a place has ended. @param status its place among the statuses
    void done(call &by, int place, int status) const noexcept;
    /// All have.
    void all_done(call &by) const noexcept;
    /// Those whose places were given.
    void some_done(call &by, int outcount, const int *places) const noexcept;

  private:
    static constexpr int at_hand = 32;
    // Not initialized: most calls ask for few.
    std::array<MPI_Request, at_hand> few_;
    std::array<MPI_Status, at_hand> few_statuses_;
    std::vector<MPI_Request> many_;
    std::vector<MPI_Status> many_statuses_;
    std::span<const MPI_Request> requests_;
    MPI_Status *statuses_;
};

} // namespace lisle::report
