// SPDX-License-Identifier: Apache-2.0
// The blocking receive of a fiber before its message has arrived: the fiber lets others of its worker run and
// looks again. Where all ranks of the process are fibers of one thread, a sender stores a short message
// meanwhile in the buffer of the receive that waits, past the mailbox, and does all of the work, as in McMPI.
#pragma once

#include <cstddef>
#include <cstdint>

#include "protocol/core/engine_core.hpp"
#include "protocol/eager/inbox.hpp"
#include "protocol/progress/message_mover.hpp"
#include "protocol/progress/waiter.hpp"

namespace lisle::protocol {

/// Takes the next message straight to the buffer, if the rank waits for nothing else. Under the lock.
[[nodiscard, gnu::always_inline]] inline take_result
take_if_idle(const matching &receives, inbox &in, const sender &out, const waiter &waits, std::byte *to,
             MPI_Count room, const envelope &pattern, MPI_Status *status, const wanted_elements &elements) {
    return receives.idle() && out.waiting().waiting() == 0
               ? in.take_short(to, room, pattern, status, elements, [&waits] { return waits.brief_looks(); })
               : take_result::impossible;
}

class fiber_receiver {
  public:
    fiber_receiver(engine_core &core, const message_parts &parts, waiter &waits)
        : core_{core}, parts_{parts}, waits_{waits} {}

    /// Lets other fibers run and looks again, a few times. True if the message is here.
    /// @pre others can run
    [[nodiscard]] bool receive(short_receive &wanted);
    /// The same where types are not compared. By value: callers keep these in registers, and what is
    /// described in memory at once would be read back in wider pieces than it was written, for which the
    /// processor waits.
    [[nodiscard, gnu::noinline]] bool receive(std::byte *to, MPI_Count room, envelope pattern,
                                              MPI_Status *status);

    /// From now on all ranks of the process are fibers of one thread, and no other one calls for them; or
    /// not.
    void serve_one_worker(bool one) noexcept { one_worker_ = one; }
    [[nodiscard, gnu::always_inline]] bool serves_one_worker() const noexcept { return one_worker_; }
    /// Stores a short message of another fiber's where this one's waits for it. False: nobody waits for it,
    /// or another message comes first. @param mark of the message's type @param claimed of the rank's mailbox
    [[nodiscard, gnu::always_inline]] bool store(const std::byte *data, std::size_t bytes,
                                                 const envelope &what, type_mark mark,
                                                 std::uint64_t claimed) noexcept {
        short_receive *const wanted = awaited_;
        if (wanted == nullptr ||
            (wanted->claimed != claimed &&
             !(wanted->claimed == (claimed | strict_claim) && wanted->elements.mark.takes(mark))) ||
            !store_if_wanted(wanted->to, wanted->room, wanted->pattern, wanted->status, what, data,
                             static_cast<std::uint32_t>(bytes))) {
            return false;
        }
        wanted->taken = true;
        awaited_ = nullptr;
        return true;
    }

  private:
    /// Added by a strict receive to what was claimed of its mailbox. So senders compare types only there.
    static constexpr std::uint64_t strict_claim = std::uint64_t{1} << 63U;

    /// True if a sender has stored the message meanwhile.
    [[nodiscard, gnu::always_inline]] bool let_others_run(short_receive &wanted) noexcept;
    [[nodiscard, gnu::noinline]] bool look_again(short_receive &wanted);

    engine_core &core_;
    const message_parts parts_;
    waiter &waits_;
    bool one_worker_ = false;          ///< the same in all engines of the process
    short_receive *awaited_ = nullptr; ///< of that thread
};

} // namespace lisle::protocol
