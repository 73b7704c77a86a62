// SPDX-License-Identifier: Apache-2.0
// The target's side of operations by messages: the thread that makes progress for the target's engine does
// what requests ask for. A request whose answer finds no room is kept, with all that come after it from the
// same origin, and served when there is room. Requests for a lock that is held wait in a queue of their own;
// the target's rank then waits for its lock as any other rank does, without being in a call: the thread that
// makes progress for it looks, and the holder that gives the lock back wakes it
// (protocol/progress/lookout.hpp).
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "base/spin_lock.hpp"
#include "protocol/message/active_messages.hpp"
#include "protocol/message/operation.hpp"
#include "protocol/progress/lookout.hpp"
#include "rma/elements/element_update.hpp"
#include "rma/messages/lock_queue.hpp"
#include "rma/messages/packets.hpp"
#include "rma/messages/wire.hpp"

namespace lisle::rma {

class message_target final : private protocol::pending_call, private protocol::lookout {
  public:
    explicit message_target(const window_members &members);

    /// From the packet handler, with the engine's lock held. If it throws, for lack of memory, nothing has
    /// been done, and the packet comes again.
    void arrived_locked(protocol::engine &home, const protocol::arrival &packet);
    /// An origin has failed. With the engine's lock held.
    void fail_locked(protocol::engine &home, int origin);
    /// True if nothing is kept or waits here.
    [[nodiscard]] bool idle();

  private:
    struct kept_request {
        request_kind what;
        std::vector<std::byte> payload;
    };
    /// A request as it is served. Its payload has been checked as far as its kind says.
    struct request {
        int origin;
        request_kind what;
        request_head head;
        std::span<const std::byte> payload; ///< behind the head
    };

    /// Does what is asked. False: there is no room for the answer, and nothing has been done. Those below,
    /// one for each kind, do the same.
    [[nodiscard]] bool serve_locked(const request &asked);
    [[nodiscard]] bool serve_put(const request &asked);
    [[nodiscard]] bool serve_get(const request &asked);
    [[nodiscard]] bool serve_update(const request &asked);
    [[nodiscard]] bool serve_compare(const request &asked);
    [[nodiscard]] bool serve_flush(const request &asked);
    [[nodiscard]] bool serve_lock(const request &asked);
    [[nodiscard]] bool serve_try_lock(const request &asked);
    [[nodiscard]] bool serve_unlock(const request &asked);
    [[nodiscard]] bool serve_answer(const request &asked);

    /// One run of the window's memory that a request names, and what belongs to it.
    struct served_run {
        std::byte *place;
        std::size_t elements, bytes;
        const std::byte *data; ///< that the request brings
        std::byte *result;     ///< in the answer; null: none is wanted
    };
    /// Checks what the request says of its runs and calls `serve` for each that is in the window.
    /// @param element of which the runs consist @param times how many bytes it brings for each byte of them
    template <class Serve> [[nodiscard]] bool serve_runs(const request &asked, const datatype &element,
                                                         std::size_t times, Serve serve);
    /// The beginning of an answer with so much data. Nothing: there is no room.
    /// @param unheard the origin has failed, so no answer is needed
    [[nodiscard]] std::optional<outgoing_packet> claim_answer(const request &asked, std::size_t bytes,
                                                              bool &unheard);
    [[nodiscard]] update_guard guard_of_own() const noexcept;
    /// Tells the origin that all before is done, or what has gone wrong since it was last told.
    [[nodiscard]] bool report_locked(int origin, std::uint64_t id);
    /// @param failed the rank of the window whose failure is the error; -1: none
    [[nodiscard]] bool answer_locked(int origin, std::uint64_t id, int error, int failed = -1);
    void keep_locked(int origin, request_kind what, std::span<const std::byte> payload);
    /// The same for an answer that found no room.
    void keep_answer_locked(int origin, std::uint64_t id, int error, int failed);
    void serve_kept_locked();
    /// Has the engine serve what is kept, if anything, when there may be room.
    void try_kept_later_locked(protocol::engine &home);
    /// Has the engine call look_locked() if anyone waits for the lock.
    void watch_locks_locked(protocol::engine &home) noexcept;
    /// Answers after all that is kept for the origin.
    void answer_or_keep_locked(int origin, std::uint64_t id, int error, int failed);
    /// Tells those that have got the lock. True if there are any. What there is no memory for is left to
    /// look_locked().
    bool take_locks_locked() noexcept;

    [[nodiscard]] std::vector<memory_run> runs_of(const request &asked) const;
    /// Where a run lies here. Null: it is not in the window.
    [[nodiscard]] std::byte *place_of(std::uint64_t address, std::size_t bytes) const;
    /// Notes for the origin if one of the runs is not in the window. @param element of which they consist
    void check_places(int origin, const std::vector<memory_run> &runs, const datatype &element);

    static void serve_again(protocol::engine &home, protocol::pending_call &self);
    bool look_locked(protocol::engine &home, bool &any) noexcept override;

    const window_members &members_;
    spin_lock mutex_;                              ///< protects all below; taken with the engine's lock held
    std::map<int, std::deque<kept_request>> kept_; ///< by origin
    bool retries_ = false;                         ///< the engine calls serve_again()
    std::map<int, int> errors_;                    ///< by origin: what its next flush is told
    lock_queue locks_;
    bool watches_ = false; ///< the engine calls look_locked()
};

} // namespace lisle::rma
