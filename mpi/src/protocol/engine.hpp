// SPDX-License-Identifier: Apache-2.0
// A protocol engine of a rank: its lock and its parts, each of which owns what it keeps. A rank has one
// engine, or several that serve different communicators (tracks.hpp). The lock of an engine is held for table
// work and for copies of at most one packet, never for longer copies, callbacks or sleep. Its holder may make
// progress for the rank: usually a thread of the rank itself, but also a sender in the same process while the
// rank computes. See docs/architecture.md, "The engine and its parts".
#pragma once

#include <cstddef>
#include <memory>

#include "fabric/packet_source.hpp"
#include "fabric/routes.hpp"
#include "fabric/routes_by_track.hpp"
#include "protocol/checking/message_checks.hpp"
#include "protocol/checking/message_log.hpp"
#include "protocol/checking/message_orders.hpp"
#include "protocol/core/engine_core.hpp"
#include "protocol/core/failure_table.hpp"
#include "protocol/eager/inbox.hpp"
#include "protocol/failures.hpp"
#include "protocol/matching/matching.hpp"
#include "protocol/message/operation.hpp"
#include "protocol/progress/fiber_receiver.hpp"
#include "protocol/progress/message_mover.hpp"
#include "protocol/progress/waiter.hpp"
#include "protocol/rendezvous/announced_receives.hpp"
#include "protocol/rendezvous/announced_sends.hpp"
#include "protocol/sending/sender.hpp"

namespace lisle::protocol {

class engine final : private fabric::sink {
  public:
    /// @param track of the rank's tracks, see tracks.hpp. Throws if the job has no such track.
    /// @param all waiters of the rank; outlive this
    engine(fabric::routes_by_track &routes, rank &owner, int track, const rank_waiters &all);
    ~engine();

    // ---- its parts ----

    [[nodiscard]] engine_core &core() noexcept { return core_; }
    [[nodiscard]] sender &out() noexcept { return out_; }
    [[nodiscard]] matching &receives() noexcept { return receives_; }
    [[nodiscard]] inbox &in() noexcept { return in_; }
    [[nodiscard]] announced_sends &sends() noexcept { return sends_; }
    [[nodiscard]] announced_receives &transfers() noexcept { return transfers_; }
    [[nodiscard]] message_mover &mover() noexcept { return mover_; }
    [[nodiscard]] waiter &waits() noexcept { return waits_; }
    /// Peers that have failed, and what follows from it.
    [[nodiscard]] protocol::failures &failures() noexcept { return failures_; }
    /// Where packets of this track to the ranks of the job go, and what each route allows.
    [[nodiscard]] const fabric::routes &routes() const noexcept { return core_.self.routes; }

    // ---- sends (send.cpp) ----

    /// Starts a send: eager if it can, announced otherwise. Never waits.
    void start(send_operation &send);
    /// Tells the receiver of a message that stays here until it is asked for.
    void announce(send_operation &send);
    /// The same, and makes progress for a receiver of this process: it may be computing.
    void announce_and_help(send_operation &send);
    /// Copies an announced message to a receiver in another process that may be computing. By the thread that
    /// the operation belongs to.
    void deliver(send_operation &send) { (void)sends_.deliver(send, waits_.brief_looks()); }
    // short_path.hpp
    /// Sends a message that fits a packet's own cell, if it may and can go that way at once. False: nothing
    /// has happened, take the general way.
    [[nodiscard, gnu::always_inline]] bool try_send_short(const typed_buffer &buffer, const envelope &what,
                                                          int dest, std::size_t bytes) noexcept;
    /// A request that is complete and needs no freeing: what non-blocking eager sends return.
    [[nodiscard]] request *completed_send() noexcept { return &completed_send_; }

    // ---- receives (receive.cpp) ----

    /// Starts a receive: where one thread starts all of the rank's, without the lock.
    /// @param peers the group that the pattern's source is a rank of; the receive is given its `from` by it
    void start(receive_operation &receive, const group &peers) {
        if (!receives_.try_start_alone(receive)) [[unlikely]] {
            start_observed(receive, peers);
        }
    }
    /// The same for one whose `from` is set.
    void start(receive_operation &receive);
    /// Starts a receive and looks for its message for a while. @return true if it is complete
    [[nodiscard]] bool start_and_look(receive_operation &receive);
    void cancel(receive_operation &receive);
    /// The oldest unexpected message that the pattern accepts: its outcome, and the message itself taken
    /// out if `take` is set. Looks only; makes no progress.
    [[nodiscard]] unexpected_message *probe(const envelope &pattern, bool take, outcome &found);
    // short_path.hpp
    /// Takes a short message straight from its packet to the buffer, if the rank waits for nothing else
    /// and it is the next to arrive, soon. False: nothing has happened.
    /// @param peers the group that the pattern's source is a rank of
    /// @param With none, where strict types go the general way, or strict
    template <comparison With>
    [[nodiscard, gnu::always_inline]] inline bool try_receive_short(const typed_buffer &buffer,
                                                                    const envelope &pattern,
                                                                    const group &peers, MPI_Status *status);
    /// The same where an observer compares types, for a message that fits its receive.
    [[nodiscard]] bool try_receive_short_typed(const typed_buffer &buffer, const envelope &pattern,
                                               MPI_Status *status);

    // ---- progress and completion ----

    /// Does what can be done now; true if anything was. Returns at once if another thread is at it.
    bool progress() { return waits_.progress(); }
    /// A rank that looks for news in a loop of its own has found none.
    void found_nothing() noexcept { waits_.found_nothing(); }
    /// Looks for a request's completion for a while, without giving the core away. @return its state
    [[nodiscard]] bool look_for(const request &awaited) { return waits_.look_for(awaited); }
    /// Marks complete and wakes who waits; from any thread, without the lock.
    void complete(request &finished) { core_.complete(finished); }

    // ---- changes ----

    /// Whether the rank's threads take turns (all levels below MPI_THREAD_MULTIPLE), from now on, on all of
    /// its tracks. @pre no other thread is in the library for this rank; this is its first engine
    void expect_one_thread(bool one) noexcept;
    /// From now on a thread of the library's own completes some of the rank's requests (complete()). By a
    /// thread of the rank, before that one begins; this is the rank's first engine.
    void expect_completions_by_others() noexcept {
        if (core_.bare_lock().serves_one_thread()) {
            expect_one_thread(false);
        }
    }
    /// Asks the fabrics, too, that the process has got since the rank began: the rank has met ranks of other
    /// jobs. By the rank's own thread.
    void use_new_fabrics();
    /// Asks this one no more, which reaches nobody that a communicator of the rank has. By any thread.
    void drop_fabric(const fabric::packet_source &gone);

  private:
    void arrived(int peer, const fabric::packet_header &header, std::span<const std::byte> payload) override {
        in_.arrived(peer, header, payload);
    }
    void peer_failed(int peer) override { failures_.peer_failed_locked(peer); }
    bool awaits(const fabric::packet_header &header) override {
        return receives_.awaits({header.context, header.source, header.tag});
    }

    [[gnu::noinline]] void start_observed(receive_operation &receive, const group &peers);
    /// True if a sender of another process may fill it while this rank computes.
    [[nodiscard]] bool may_publish(const receive_operation &receive) const noexcept;
    void start_and_publish(receive_operation &receive);
    /// The rest of start(), where messages are stored. Releases the lock.
    void start_locked(receive_operation &receive);
    const std::unique_ptr<message_checks> checks_; ///< null unless the program is checked
    const std::unique_ptr<message_log> log_; ///< null unless its matching is logged; in front of the checks
    const std::unique_ptr<message_orders> orders_; ///< null unless orders are told; in front of both
    engine_core core_;
    failure_table failed_;
    sender out_;
    matching receives_;
    inbox in_;
    announced_sends sends_;
    announced_receives transfers_;
    message_mover mover_;
    waiter waits_;
    fiber_receiver fibers_;
    protocol::failures failures_;
    completed_request completed_send_;
};

} // namespace lisle::protocol
