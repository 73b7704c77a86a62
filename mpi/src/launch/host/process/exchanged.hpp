// SPDX-License-Identifier: Apache-2.0
// Attributes that the kernel or the C library keeps for a thread, of which each fiber is to have its own:
// they are exchanged when another fiber of the worker runs. So all other calls find the running fiber's.
// Nothing is exchanged before a fiber has changed its own.
#pragma once

#include "launch/host/rank/turns.hpp"
#include "launch/host/rank/worker_slot.hpp"
#include "library/host_interface.h"

#include <cerrno>
#include <optional>

namespace lisle::host {

/// `Attribute` has a `value` that can be compared, and static functions read() and apply(value), both about
/// the calling thread. A namespace-scope object.
template <class Attribute> class exchanged {
  public:
    using value = typename Attribute::value;

    /// Lets the calling fiber change its attribute by `call`, which returns what a system call returns.
    template <class Call> auto change(Call call) {
        prepare();
        const auto result = call();
        note();
        return result;
    }
    /// The fiber's attribute has been changed, or not. @pre prepare()
    void note() {
        value now = Attribute::read();
        workers().current().in_force = now;
        fibers().current() = std::move(now);
    }
    /// What the rank has changed it to.
    [[nodiscard]] const std::optional<value> &of(const hosted_rank &rank) const { return fibers().of(rank); }

    void prepare() {
        static_cast<void>(workers().current().in_force); // as the worker began
        call_at_turns(&exchanged::take_turn);
    }

  private:
    struct worker_state {
        value initial = Attribute::read();
        value in_force = initial;
    };

    static void take_turn() {
        const hosted_rank *const rank = this_rank();
        if (rank == nullptr || lisle_host_in_fiber() == 0) {
            return;
        }
        const int error_number = errno;
        worker_state &worker = workers().current();
        const std::optional<value> &own = fibers().of(*rank);
        const value &wanted = own ? *own : worker.initial;
        if (!(wanted == worker.in_force)) {
            Attribute::apply(wanted);
            worker.in_force = wanted;
        }
        errno = error_number;
    }

    // Slots must exist before ranks do, so objects of this class are defined before main.
    static inline rank_slot<std::optional<value>> fiber_values;
    static inline worker_slot<worker_state> worker_values;
    static rank_slot<std::optional<value>> &fibers() { return fiber_values; }
    static worker_slot<worker_state> &workers() { return worker_values; }
};

} // namespace lisle::host
