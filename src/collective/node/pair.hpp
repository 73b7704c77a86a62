// SPDX-License-Identifier: Apache-2.0
// Short blocking calls of two ranks through the slots of their area. They post what the algorithms of
// slot_algorithms.hpp post, and where ranks of larger teams do not know each other's sizes the one block that
// the other rank gets. But nothing is planned, and there are no loops over ranks: half of the instructions,
// which are most of a short call's time.
#pragma once

#include "collective/call.hpp"
#include "collective/steps/local_steps.hpp"

namespace lisle::collective {

/// The most bytes that two ranks exchange as a pair. Of longer data the instructions that it saves are a
/// small part.
inline constexpr MPI_Count most_in_pair = 1024;

/// One call, once it is chosen: say what it does. That is done at once. Throws if the ranks' sizes differ.
class pair {
  public:
    /// @param bytes the most that one rank has for the other @pre algorithm::pair is chosen for the call
    pair(communicator &comm, operation what, MPI_Count bytes);

    /// A barrier.
    void meet();
    /// Each rank gives something to the other, and to itself if it does not lie there already.
    /// @param give,take what is for, or from, each of the two
    void exchange(const block_view &give, const block_view &take);
    /// @param take as above; none: the calling rank is not the root
    void gather(const typed_buffer &own, const block_view &take);
    void scatter(const block_view &give, const typed_buffer &own);

    // Reductions. `own` and `to` may be the same buffer. @pre reduces_in_place(operation, to)
    /// @param what allreduce, scan or exscan
    void reduce_for_all(operation what, const op &reduction, const typed_buffer &own, const typed_buffer &to);
    void reduce(const op &operation, const typed_buffer &own, const typed_buffer &to, int root);

  private:
    [[nodiscard]] int other() const noexcept { return 1 - self_; }

    void give(const typed_buffer &data);
    void await_other();
    void take(const typed_buffer &to);
    void take_and_combine(const op &operation, const typed_buffer &own, const typed_buffer &to);
    void keep(const typed_buffer &from, const typed_buffer &to);
    void end();

    collective_area &area_;
    local_steps steps_;
    collective_area::place place_;
    int self_;
    bool gives_ = false;
};

} // namespace lisle::collective
