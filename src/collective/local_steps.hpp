// SPDX-License-Identifier: Apache-2.0
// Takes the steps that are no messages: copies, reductions, and all that happens on a board. They are taken
// by an executor, or, where the caller waits for the end anyway, as soon as they have been thought of
// (schedule::take_at_once), which saves writing them down.
#pragma once

#include <string>

#include "collective/steps.hpp"
#include "protocol/engine.hpp"

namespace lisle::collective {

class local_steps {
  public:
    /// @param where null if there are no steps on a board
    explicit local_steps(board *where) noexcept
        : where_{where}, number_{where != nullptr ? where->begin() : 0} {}

    /// False if the step has to wait for others: it is to be taken again later.
    bool take(const copy_step &step);
    bool take(const reduce_step &step);
    bool take(const enter_step &step);
    bool take(const post_step &step);
    bool take(const show_step &step);
    bool take(const await_posts_step &step);
    bool take(const take_step &step);
    bool take(const fetch_step &step);
    bool take(const reduce_posts_step &step);
    bool take(const finish_step &step);
    bool take(const await_finished_step &step);
    bool take(const read_step &step);
    bool take(const write_step &step);
    bool take(const reduce_shown_step &step);

    /// Takes it, waiting if need be.
    template <class Step> void finish(const Step &step) {
        if (!take(step)) {
            wait_until([this, &step] { return take(step); });
        }
    }

    /// The first error, or MPI_SUCCESS. An error does not stop anything, so that nobody is left waiting.
    [[nodiscard]] int error() const noexcept { return error_; }
    /// The rank that it is about, or MPI_PROC_NULL if it is the calling one. @pre error() != MPI_SUCCESS
    [[nodiscard]] int failed_peer() const noexcept { return failed_peer_; }
    [[nodiscard]] std::string describe() const;
    void forget_error() noexcept { error_ = MPI_SUCCESS; }

  private:
    template <class Predicate> static void wait_until(Predicate done) {
        rank &self = this_rank();
        // What is awaited comes soon, more often than not: look at nothing else for a while.
        for (unsigned looks = self.engine().brief_looks(); looks > 0; --looks) {
            if (done()) {
                return;
            }
        }
        protocol::wait_until(self, done);
    }
    /// Goes on with `seen_` while `there(member)` holds; true at the end of the members.
    template <class Predicate> bool all_of(int first, int last, Predicate there);
    /// Keeps the first error; MPI_SUCCESS is none.
    void note(int error, int peer) noexcept;

    board *where_;
    std::uint64_t number_; ///< of this operation on its board
    int seen_ = 0;         ///< members that the step which waits for several has seen already
    int error_ = MPI_SUCCESS;
    int failed_peer_ = 0;
};

/// Where bytes of a block for each rank begin if all are posted together; the last one says where they end.
using block_offset = std::uint16_t;

} // namespace lisle::collective
