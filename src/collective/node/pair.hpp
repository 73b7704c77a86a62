// SPDX-License-Identifier: Apache-2.0
// Short blocking calls of two ranks on their board. They post what the algorithms of on_board.hpp post, and
// where ranks of larger teams do not know each other's sizes the one block that the other rank gets. But
// nothing is planned, and there are no loops over ranks: half of the instructions, which are most of a short
// call's time.
#pragma once

#include <optional>

#include "collective/node/block_view.hpp"
#include "collective/check.hpp"
#include "collective/schedule/local_steps.hpp"
#include "collective/process/meeting.hpp"
#include "collective/schedule/schedule.hpp"
#include "collective/selection/selection.hpp"

namespace lisle::collective {

/// One call: ask whether it goes this way, and if so say once what it does. That is done at once, as `plan`
/// then says. Throws if the ranks' sizes differ.
class pair {
  public:
    /// Of longer data these instructions are a small part.
    static constexpr MPI_Count most_bytes = 1024;

    /// @param bytes the most that one rank has for the other, as both know; anything if there are more ranks
    pair(const occasion &on, operation what, MPI_Count bytes) : self_{on.comm.rank()} {
        if (on.comm.size() == 2) {
            seek(on, what, bytes);
        }
    }
    /// False: it goes another way, and nothing has happened.
    [[nodiscard]] explicit operator bool() const noexcept { return where_ != nullptr; }

    /// Each rank gives something to the other, and to itself if it does not lie there already.
    /// @param give,take what is for, or from, each of the two
    void exchange(schedule &plan, const block_view &give, const block_view &take);
    /// @param take as above; none: the calling rank is not the root
    void gather(schedule &plan, const typed_buffer &own, const block_view &take);
    void scatter(schedule &plan, const block_view &give, const typed_buffer &own);

    // Reductions. `own` and `to` may be the same buffer. @pre reduces_in_place(operation, to)
    void allreduce(schedule &plan, const op &operation, const typed_buffer &own, const typed_buffer &to);
    void reduce(schedule &plan, const op &operation, const typed_buffer &own, const typed_buffer &to,
                int root);
    void scan(schedule &plan, const op &operation, const typed_buffer &own, const typed_buffer &to);
    void exscan(schedule &plan, const typed_buffer &own, const typed_buffer &to);

  private:
    void seek(const occasion &on, operation what, MPI_Count bytes);
    /// The board of two ranks that do not meet, if their call blocks.
    [[nodiscard]] static board *board_of(const occasion &on) {
        return on.how == form::blocking && !checking() && meeting::of(on.comm) == nullptr ? board::of(on.comm)
                                                                                          : nullptr;
    }
    /// Says the same to both ranks.
    [[nodiscard]] static bool suits(board &found, operation what, MPI_Count bytes) {
        const first_choices *const first = usual(what);
        return bytes <= most_bytes && first != nullptr && (bytes <= first->board || first->direct) &&
               found.takes(bytes);
    }
    [[nodiscard]] int other() const noexcept { return 1 - self_; }

    void give(const typed_buffer &data);
    void await_other();
    void take(const typed_buffer &to);
    void take_and_combine(const op &operation, const typed_buffer &own, const typed_buffer &to);
    void keep(const typed_buffer &from, const typed_buffer &to);
    void end(schedule &plan);

    board *where_ = nullptr;
    std::optional<local_steps> steps_;
    board::place place_ = board::place::slot;
    int self_;
    bool gives_ = false;
};

} // namespace lisle::collective
