// SPDX-License-Identifier: Apache-2.0
// The lock of the calling rank's part for origins that cannot reach its lock word: the rank takes it on their
// behalf and waits for it as any other rank does, one origin after the other, also outside of calls.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>

#include "rma/state/lock_word.hpp"
#include "rma/state/window_members.hpp"

namespace lisle::rma {

/// Not thread-safe. What changes its state takes its memory first: if it throws, nothing has happened.
class lock_queue {
  public:
    explicit lock_queue(const window_members &members) : members_{members} {}

    /// The outcome of a request for the lock.
    struct decision {
        int origin;
        std::uint64_t id; ///< of the request
        int failed; ///< the rank of the window that has failed with the lock in its hands; -1: it is had
    };

    void ask(int origin, std::uint64_t id, lock_word::kind wanted) {
        waiting_.push_back({{origin, id, -1}, wanted, entry_of(origin, wanted)});
    }
    /// Takes the lock without waiting. False: it is not free, or others wait for it.
    [[nodiscard]] bool try_take(int origin, lock_word::kind wanted);
    [[nodiscard]] bool is_held_by(int origin) const { return held_.contains(origin); }
    /// @pre is_held_by(origin)
    void give_back(int origin);
    /// Takes the lock for the first of those that wait, if it can be had now, and else registers in its word.
    /// Null: nobody waits, or it is to be waited for. The same again until pop() is called.
    [[nodiscard]] const decision *take() noexcept;
    /// The origin has been told. @pre take() is not null
    void pop() noexcept { waiting_.pop_front(); }
    /// An origin has failed.
    void forget(int origin);
    [[nodiscard]] bool anyone_waits() const noexcept { return !waiting_.empty(); }

  private:
    using holders = std::map<int, lock_word::kind>;
    struct waiting_origin {
        decision outcome;
        lock_word::kind wanted;
        holders::node_type entry; ///< in held_ when it has the lock
        bool decided = false;
    };
    [[nodiscard]] static holders::node_type entry_of(int origin, lock_word::kind held);
    /// False: it is to be waited for.
    [[nodiscard]] bool decide(waiting_origin &first) noexcept;
    void note_holder(holders::node_type &&entry) noexcept;
    /// The first origin no longer waits. @param taken it has the lock
    void end_waiting(bool taken) noexcept;

    const window_members &members_;
    std::deque<waiting_origin> waiting_;
    std::optional<lock_word::kind> awaited_; ///< registered in the lock's word for the first of them
    holders held_;                           ///< by origin
};

} // namespace lisle::rma
