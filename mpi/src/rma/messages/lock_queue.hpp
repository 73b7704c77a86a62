// SPDX-License-Identifier: Apache-2.0
// The lock of the calling rank's part for origins that cannot reach its lock word: the rank takes it on their
// behalf and waits for it as any other rank does, one origin after the other, also outside of calls.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "rma/state/lock_word.hpp"
#include "rma/state/window_members.hpp"

namespace lisle::rma {

/// Not thread-safe.
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
        waiting_.push_back({origin, id, wanted});
    }
    /// Takes the lock without waiting. False: it is not free, or others wait for it.
    [[nodiscard]] bool try_take(int origin, lock_word::kind wanted);
    [[nodiscard]] bool is_held_by(int origin) const { return held_.contains(origin); }
    /// @pre is_held_by(origin)
    void give_back(int origin);
    /// Takes the lock for those that wait, as far as it can be had now, and for others registers in its word.
    [[nodiscard]] std::vector<decision> take();
    /// An origin has failed.
    void forget(int origin);
    [[nodiscard]] bool anyone_waits() const noexcept { return !waiting_.empty(); }

  private:
    struct waiting_origin {
        int origin;
        std::uint64_t id;
        lock_word::kind wanted;
    };
    /// Nothing: it is to be waited for.
    [[nodiscard]] std::optional<decision> take_for(const waiting_origin &first);
    void note_holder(int origin, lock_word::kind held);
    /// The first origin no longer waits. @param taken it has the lock
    void end_waiting(bool taken);

    const window_members &members_;
    std::deque<waiting_origin> waiting_;
    std::optional<lock_word::kind> awaited_; ///< registered in the lock's word for the first of them
    std::map<int, lock_word::kind> held_;    ///< by origin
};

} // namespace lisle::rma
