// SPDX-License-Identifier: Apache-2.0
// A protocol engine of a rank: what it has posted, what has come unasked, and what is under way. A rank has
// one, or several that serve different communicators (tracks.hpp). The lock of an engine is held for table
// work and for copies of at most one packet, never for longer copies, callbacks or sleep. Its holder
// may make progress for the rank: usually a thread of the rank itself, but also a sender in the same process
// while the rank computes.
//
// The way of a message: send.cpp -> fabric -> arrive.cpp -> operation::complete; long ones go on in
// transfer.cpp. See docs/architecture.md.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "execution/fiber_worker.hpp"
#include "execution/spin_policy.hpp"
#include "fabric/fabric.hpp"
#include "fabric/local/mailbox.hpp"
#include "fabric/routes.hpp"
#include "fabric/routes_by_track.hpp"
#include "protocol/active_messages.hpp"
#include "protocol/eager/eager_limits.hpp"
#include "protocol/eager/short_receive.hpp"
#include "protocol/eager/store.hpp"
#include "protocol/engine_counts.hpp"
#include "protocol/failures.hpp"
#include "protocol/matching/matcher.hpp"
#include "protocol/matching/started_receives.hpp"
#include "protocol/matching/type_notes.hpp"
#include "protocol/matching/wildcard_races.hpp"
#include "protocol/operation.hpp"
#include "protocol/outbox.hpp"
#include "protocol/progress/awaited.hpp"
#include "protocol/progress/device_threads.hpp"
#include "protocol/progress/engine_lock.hpp"
#include "protocol/progress/lookout.hpp"
#include "protocol/progress/polled_fabrics.hpp"
#include "protocol/progress/progressors.hpp"
#include "protocol/rendezvous/id_table.hpp"
#include "protocol/rendezvous/path_choice.hpp"
#include "world/job.hpp"

namespace lisle::fabric {
class cooperative_copy;
}

namespace lisle::protocol {

class engine final : private fabric::sink {
  public:
    /// @param track of the rank's tracks, see tracks.hpp. Throws if the job has no such track.
    engine(fabric::routes_by_track &routes, rank &owner, int track);

    /// Where packets of this track to the ranks of the job go, and what each route allows.
    [[nodiscard]] const fabric::routes &routes() const noexcept { return routes_; }

    // ---- operations (send.cpp, receive.cpp) ----

    /// Sends a short message if there is room for it. False: announce it, or try again.
    [[nodiscard]] fabric::claim_result try_send_eager(const typed_buffer &buffer, const envelope &what,
                                                      int dest, std::size_t bytes);
    /// Starts a send: eager if it can, announced otherwise. Never waits.
    void start(send_operation &send);
    /// Tells the receiver of a message that stays here until it is asked for.
    void announce(send_operation &send);
    /// Whether announce_and_watch() may be used: for data in one piece to another rank of the process, from a
    /// thread that may keep its core for a while.
    [[nodiscard]] bool may_watch(const send_operation &send) const noexcept {
        return routes_.share_addresses(number_, send.dest) && send.dest != number_ &&
               send.buffer.type->contiguous() && send.buffer.address != nullptr && !send.in_pieces &&
               brief_looks() != 0 && !failures_.any();
    }
    /// The same for a blocking call, whose thread then looks for the end alone: the receiver finds the data's
    /// place in the announcement, and says that it has them by one store. True if it has; if not, wait for
    /// it.
    [[nodiscard]] bool announce_and_watch(send_operation &send);
    /// Makes progress for a receiver of this process, if it is one: it may be computing.
    void help(int dest);
    /// Starts a receive: where one thread starts all of the rank's, without the lock, since an exchange for
    /// each would be a fifth of a window's time. The next holder of the lock that matches something enters
    /// it.
    /// @param peers the group that the pattern's source is a rank of; the receive is given its `from` by it
    void start(receive_operation &receive, const group &peers) {
        if (!starts_alone_ || matcher_.may_store() || !started_.add(receive)) [[unlikely]] {
            receive.from = peer_named(peers, receive.pattern.source);
            if (wildcards_ != nullptr) {
                receive_operation::watch_start(receive);
            }
            start_in_turn(receive);
        }
    }
    /// The same for one whose `from` is set.
    void start(receive_operation &receive) { start_in_turn(receive); }
    /// Starts a receive and looks for its message for a while. @return true if it is complete
    [[nodiscard]] bool start_and_look(receive_operation &receive);
    /// Takes an unexpected message that the caller owns into a receive.
    void accept(unexpected_message &message, receive_operation &receive);
    /// Drops an unexpected message that the caller owns, as if it had been received.
    void discard(unexpected_message &message);
    /// Where this rank can read the data of a message that was taken out of the tables, until it is
    /// discarded; null if nowhere.
    [[nodiscard]] const void *readable(unexpected_message &message) const;
    // pieces.cpp
    /// Asks for the data of a matched message, packet by packet.
    void ask_for_pieces(receive_operation &receive);
    /// Drops the piece that was shown before and shows the next. False: it has not come yet; none: that was
    /// all.
    [[nodiscard]] bool next_piece(receive_operation &receive, std::span<const std::byte> &piece);
    /// True if the receiver of a message in pieces wants them, or none any more.
    [[nodiscard]] bool may_stream(const send_operation &send);
    /// Sends so many of the bytes as fit into a packet, if there is room for one. Returns how many.
    [[nodiscard]] std::size_t try_send_piece(send_operation &send, std::span<const std::byte> bytes);

    void cancel(send_operation &send);
    /// Asks the receiver to forget an announced message that it has not matched.
    void recall_locked(const send_operation &send);
    void cancel(receive_operation &receive);

    /// The oldest unexpected message that the pattern accepts: its outcome, and the message itself taken
    /// out if `take` is set. Looks only; makes no progress.
    [[nodiscard]] unexpected_message *probe(const envelope &pattern, bool take, outcome &found);

    /// True if so many bytes for `dest` are sent before their receive is known: what the route and the
    /// settings allow, and fewer where the receiver can copy from this buffer itself.
    [[nodiscard]] bool goes_unasked(int dest, const typed_buffer &buffer, std::size_t bytes) const noexcept {
        return bytes <= routes_.to(dest).limits.eager &&
               (bytes <= limits_.if_copied_once ||
                (bytes <= limits_.otherwise && !is_copied_once(dest, buffer)));
    }

    // short_path.hpp
    /// Sends a message that fits a packet's own cell, if it may and can go that way at once. False: nothing
    /// has happened, take the general way.
    [[nodiscard, gnu::always_inline]] bool try_send_short(const typed_buffer &buffer, const envelope &what,
                                                          int dest, std::size_t bytes) noexcept;
    /// Takes a short message straight from its packet to the buffer, if the rank waits for nothing else
    /// and it is the next to arrive, soon. False: nothing has happened.
    /// @param peers the group that the pattern's source is a rank of
    [[nodiscard, gnu::always_inline]] bool try_receive_short(const typed_buffer &buffer,
                                                             const envelope &pattern, const group &peers,
                                                             MPI_Status *status);
    /// Whether the elements of messages are compared with what their receives take (LISLE_CHECK=1).
    [[nodiscard]] bool compares_types() const noexcept { return checks_types_; }
    /// The same as try_receive_short() for a rank that does, for a message that fits its receive.
    [[nodiscard]] bool try_receive_short_typed(const typed_buffer &buffer, const envelope &pattern,
                                               MPI_Status *status);

    // ---- progress (engine.cpp) and waiting (wait.cpp) ----

    /// Whether the rank's threads take turns (all levels below MPI_THREAD_MULTIPLE), from now on, on all of
    /// its tracks. @pre no other thread is in the library for this rank; this is its first engine
    void expect_one_thread(bool one) noexcept;
    /// From now on a thread of the library's own completes some of the rank's requests (complete()). By a
    /// thread of the rank, before that one begins; this is the rank's first engine.
    void expect_completions_by_others() noexcept {
        if (lock_.serves_one_thread()) {
            expect_one_thread(false);
        }
    }
    /// Looks for a request's completion for a while, without giving the core away. @return its state
    [[nodiscard]] bool look_for(const request &awaited);

    /// How many looks at its mailbox the calling thread may take without letting others run.
    [[nodiscard]] unsigned brief_looks() const noexcept;
    /// How many turns a fiber may give to the others of its worker before it looks for anything but what it
    /// waits for: together they look as often as a rank alone would. To be parked and called costs more.
    [[nodiscard]] unsigned brief_turns(const fiber_worker &worker) const noexcept;

    /// Does what can be done now; true if anything was. Returns at once if another thread is at it.
    bool progress();
    /// The same for the rank's other engines. Who waits for something here calls it now and then: a message
    /// of another communicator may need this thread, if no other one is in the library.
    bool progress_elsewhere();
    /// Returns when `done(argument)` is true. See progress/wait.hpp.
    void wait_until(bool (*done)(void *), void *argument, const awaited *what);
    /// A rank that looks for news in a loop of its own: lets other fibers run, and gives its core away now
    /// and then if cores are few.
    void found_nothing() noexcept;
    /// Where time is simulated: returns when the rank's core has done all that the rank has had to do. Takes
    /// what arrives meanwhile: its sender may wait for room.
    void let_core_catch_up();
    /// A rank that tries again and again to send, since nobody says when a full mailbox has room: makes
    /// progress (its own mailbox may be what the receiver waits for) or lets others run.
    /// @param tries how often it has come here
    void found_no_room(unsigned &tries);

    // ---- for modules that add kinds of packets (active_messages.hpp) ----

    /// Sends a control packet now, or keeps it until there is room. In order of each destination; dropped if
    /// the peer has failed. @param bytes at most control_bytes
    void send_control(int dest, const fabric::packet_header &header, const void *payload, std::size_t bytes);
    /// The same for packet handlers, which hold the lock.
    void send_control_locked(int dest, const fabric::packet_header &header, const void *payload,
                             std::size_t bytes);
    /// Sends one packet with data, if there is room. @param bytes at most the route's largest_payload
    [[nodiscard]] fabric::claim_result try_send_packet(int dest, const fabric::packet_header &header,
                                                       const void *payload, std::size_t bytes);
    /// For packet handlers: completes a request, or has work done once the lock is free.
    void complete_locked(request &finished);
    void do_unlocked(pending_call &work) noexcept { work.next = std::exchange(transfers_, &work); }
    /// Has work done once the lock is free in the next round of progress, which comes soon also if the rank
    /// sleeps: for what has found no room.
    void do_later_locked(pending_call &work) noexcept {
        outbox_.stall(work);
        call_senders();
    }
    void do_later(pending_call &work);
    /// Has something looked after until it says that it is finished.
    void watch_locked(lookout &work) { lookouts_.push_back(&work); }
    /// Notes that packets from this peer end the request: complete_locked() forgets it.
    void expect(request &pending, int peer);

    // ---- for threads that move messages on (progress/device_threads.hpp; by_threads.cpp) ----

    /// Tells which threads do so for the rank; null: none any more. @pre none of them is at work
    void be_served_by(device_threads *threads) noexcept {
        const std::scoped_lock guard{lock_};
        served_by_ = threads;
    }
    /// Takes some packets of one fabric, and begins the transfers that they ask for. True if any came.
    bool receive_from(fabric::fabric &from);
    /// Announces that the thread which receives from this fabric is about to sleep. False: call
    /// receive_from().
    [[nodiscard]] bool arm(fabric::fabric &from);
    /// Takes what has come to this rank without sending anything that waits. True if any came.
    bool receive();
    /// Announces that a thread which receives for this rank is about to sleep on the rank's bell.
    /// @param longest how long it may sleep at most; made shorter if need be. False: receive once more
    [[nodiscard]] bool arm_all(std::uint64_t &longest);
    /// Sends some of what waits for room on the way to peers of this fabric; null: of any.
    /// @param rest set to true if something still waits. True if anything has left
    bool send_waiting(const fabric::fabric *to, bool &rest);

    void add(progressor &work) { progressors_.add(work); }
    /// Marks complete and wakes who waits; from any thread, without the lock.
    void complete(request &finished);
    /// Destroys a request that the user frees: now if complete, otherwise at its completion.
    void release(request &freed);
    /// True if all that this rank has promised to send has left it.
    [[nodiscard]] bool drained();
    void keep_general(bool general); ///< see outbox
    /// Asks the fabrics, too, that the process has got since the rank began: the rank has met ranks of other
    /// jobs. By the rank's own thread.
    void use_new_fabrics();
    /// Asks this one no more, which reaches nobody that a communicator of the rank has. By any thread.
    void drop_fabric(fabric::fabric &gone);
    ~engine();

    /// Peers that have failed, and what follows from it.
    [[nodiscard]] protocol::failures &failures() noexcept { return failures_; }
    /// What has been counted since the rank began.
    [[nodiscard]] const engine_counts &counts() const noexcept { return counts_; }
    /// Adds what has come for this rank and waits for a receive.
    void list_unexpected(wait_note &note);
    /// Bytes of unexpected messages that are stored now.
    [[nodiscard]] std::size_t stored_bytes() {
        const std::scoped_lock guard{lock_};
        return matcher_.stored_bytes();
    }

    /// A request that is complete and needs no freeing: what non-blocking eager sends return.
    [[nodiscard]] request *completed_send() noexcept { return &completed_send_; }

  private:
    // arrive.cpp; all with the lock held
    friend class active_messages;
    friend class protocol::failures;
    struct handlers; ///< what the engine itself does with packets, see handlers.hpp
    void arrived(int peer, const fabric::packet_header &header, std::span<const std::byte> payload) override;
    void peer_failed(int peer) override;
    bool awaits(const fabric::packet_header &header) override;
    /// A message. @param Typed its elements, a basic_type, are compared with what the receive takes
    /// @param receive that takes it; null: none
    template <bool Typed> [[gnu::always_inline]] void arrived_eager(envelope what, std::uint8_t elements,
                                                                    std::span<const std::byte> payload,
                                                                    receive_operation *receive);
    /// Takes packets from the mailbox, and hands them on.
    template <bool Typed> [[nodiscard, gnu::always_inline]] int drain_inbox_locked();
    [[nodiscard, gnu::noinline]] int drain_typed_locked();
    /// What this rank's packets say besides. @param elements of the message that they announce
    [[nodiscard]] std::uint16_t own_remark(std::uint8_t elements = 0) const noexcept {
        return remark{elements, wildcards_ != nullptr ? wildcards_->moment() : std::uint16_t{0}}.packed();
    }
    /// Takes a stored message out for a receive.
    void take_locked(unexpected_message &message, const receive_operation &receive);
    // By value, as in the next: callers keep theirs in registers.
    [[gnu::noinline]] void keep_eager(envelope what, std::span<const std::byte> payload,
                                      receive_operation *captor, std::uint8_t elements);
    /// @param peer who sent it, not checked yet
    [[gnu::noinline]] void arrived_other(int peer, envelope what, packet_manner manner,
                                         std::span<const std::byte> payload);
    /// Keeps a message that came: with the receive that captures it, or as unexpected if there is none. If it
    /// throws, for lack of memory, the message is gone.
    void keep_locked(unexpected_message &message, receive_operation *captor);
    void tell_done_locked(const announced_message &sender);
    /// What is stored has changed: peers hear of it if there is too much of it, or no longer.
    void update_congestion() {
        if (congested_ || matcher_.stored_bytes() > limits_.unexpected) [[unlikely]] {
            change_congestion();
        }
    }
    [[gnu::noinline]] void change_congestion();

    /// @param Typed the message's elements have to fit `elements`
    template <bool Typed>
    [[nodiscard, gnu::always_inline]] attempt take_if_idle_locked(std::byte *to, MPI_Count room,
                                                                  const envelope &pattern, MPI_Status *status,
                                                                  basic_type elements);
    template <bool Typed>
    [[nodiscard, gnu::always_inline]] attempt take_short_locked(std::byte *to, MPI_Count room,
                                                                const envelope &pattern, MPI_Status *status,
                                                                basic_type elements);
    /// The same for a message whose data lie beside the cell. By value: callers keep theirs in registers.
    [[nodiscard, gnu::noinline]] attempt take_longer_locked(std::byte *to, MPI_Count room, envelope pattern,
                                                            MPI_Status *status, const fabric::cell &packet);
    /// Stores a short message where a fiber of this worker waits for it, past the mailbox: the sender does
    /// all of the work, as in McMPI. False: nobody waits for it, or another message comes first.
    [[nodiscard, gnu::always_inline]] bool hand_over_to_fiber(const std::byte *data, std::size_t bytes,
                                                              const envelope &what, int dest) noexcept;
    /// True if what a receive from this rank takes arrives through the mailbox: else that is not the place to
    /// look.
    [[nodiscard, gnu::cold]] bool comes_by_mailbox(int source, const group &peers) const noexcept;
    /// Lets other fibers run and looks again, a few times. By value: callers keep theirs in registers.
    /// @pre others can run
    [[nodiscard, gnu::noinline]] bool receive_short_as_fiber(std::byte *to, MPI_Count room, envelope pattern,
                                                             MPI_Status *status);
    [[nodiscard, gnu::noinline]] bool look_again_as_fiber(short_receive &wanted);
    /// True if a sender has stored the message meanwhile. @pre others can run
    [[nodiscard]] bool let_others_run(short_receive &wanted) noexcept;

    /// The rest of start(): under the lock.
    [[gnu::noinline]] void start_in_turn(receive_operation &receive);
    /// The rest of start_in_turn(), where messages are stored. Releases the lock.
    void start_locked(receive_operation &receive);
    /// Enters what has been started since into the tables: to be called before anything is matched, and
    /// before the rank sleeps.
    void enter_started_locked() {
        if (started_.any()) {
            enter_all_started_locked();
        }
    }
    [[gnu::noinline]] void enter_all_started_locked();

    // pieces.cpp
    void keep_piece_locked(receive_operation &receive, std::span<const std::byte> payload);

    // transfer.cpp
    /// Fetches the data of a matched, announced message and completes both sides. Without the lock.
    void transfer(receive_operation &receive);
    /// Moves the data of a matched message of a rank of this process. Without the lock.
    void copy_here(const receive_operation &receive, MPI_Count bytes);
    /// One of this rank's sends is complete. Without the lock.
    void finish(send_operation &send);
    /// Tells the sender of a message whose data is no longer needed from it. Without the lock.
    void finish_sender(const announced_message &sender);
    void ask_for_stream_locked(receive_operation &receive, MPI_Count bytes);
    /// Asks for a stream if the message may come either way and that is to be preferred. True if so.
    [[nodiscard]] bool prefer_stream(receive_operation &receive, MPI_Count bytes);
    /// Whether `dest` copies announced data from where they lie. Scattered data is packed by its owner, also
    /// within a process: to the receiver each of its cache lines is far away.
    [[nodiscard]] bool is_copied_once(int dest, const typed_buffer &buffer) const noexcept;
    /// Where the sender's data can be read, if this process reaches it by address; or null.
    [[nodiscard]] const std::byte *reach(const announced_message &sender, MPI_Count bytes);
    // remote_read.cpp
    class remote_read;
    /// Begins to read the data from the peer's memory; the receive goes on afterwards. False: not possible.
    [[nodiscard]] bool read_from_peer(receive_operation &receive, MPI_Count bytes);
    // transfer_cooperatively.cpp
    struct joining;
    /// Fetches a message together with its sender. False: not possible, nothing has happened.
    [[nodiscard]] bool copy_jointly(receive_operation &receive, MPI_Count bytes);
    void end_joint_copy_locked(receive_operation &receive);
    /// The sender's part. Without the lock.
    void join(const joining &part);

    // leave.cpp
    [[nodiscard]] fabric::claim_result try_send_packet(int dest, const fabric::packet_header &header,
                                                       const void *payload, std::size_t bytes,
                                                       const typed_buffer &data, std::size_t data_bytes,
                                                       bool solicited = true);
    [[nodiscard]] fabric::claim_result try_send_deferred_locked(int dest, deferred_packet &packet);
    void send_or_defer_locked(int dest, deferred_packet &packet);
    /// @param only to peers that this fabric reaches; null: to all
    bool flush_deferred_locked(const fabric::fabric *only = nullptr);
    bool push_streams_locked(const fabric::fabric *only = nullptr);
    /// Sends a packet of a stream, with at most so many bytes from that offset on, if there is room for one.
    /// Returns how many. By the thread that brings the data: no other one sends for the operation meanwhile.
    [[nodiscard]] std::optional<std::size_t> try_stream(send_operation &send, const typed_buffer &from,
                                                        MPI_Count offset, std::size_t most);
    /// All of it has been sent.
    void end_stream_locked(send_operation &send);

    /// The same for packets: who takes them notes the news for all of them.
    void complete_quietly_locked(request &finished) {
        if (finished.at_end != 0) [[unlikely]] {
            complete_specially_locked(finished);
            return;
        }
        // Release: pairs with the acquire load of the thread that waits; the request is its from here on.
        finished.complete.store(true, std::memory_order_release);
    }
    [[gnu::noinline]] void complete_specially_locked(request &finished);
    /// Notes that an operation is pending which only packets from this peer (or anybody: -1) can end.
    void expect_locked(request &pending, int peer) noexcept;

    // send.cpp
    /// Lets the receiver read the buffer of a long message, if the route has remote memory. True if so.
    [[nodiscard]] bool expose_buffer(send_operation &send, const fabric::route &way);
    void withdraw_buffer(send_operation &send) noexcept;
    /// Ends an operation that cannot be started, unlocks, and looks for news: who tries again and again must
    /// hear of a revocation.
    void fail_at_once_locked(request &failed, int error);

    /// Takes packets that have arrived, at most some. Returns how many. A packet for whose message there is
    /// no memory stays where it is, with those behind it: a call that waits tries again.
    int take_packets_locked();
    /// The same, but throws. Apart, since a handler of exceptions would cost each packet some instructions.
    [[gnu::noinline]] int take_arrived_locked();
    [[nodiscard]] bool look_locked(const request &awaited);
    /// Ends a round of progress: releases the lock and fetches what was matched meanwhile. True if anything.
    bool unlock_and_transfer() {
        if (transfers_ != nullptr) [[unlikely]] {
            unlock_and_transfer_all();
            return true;
        }
        unlock_and_follow_up();
        return false;
    }
    [[gnu::noinline]] void unlock_and_transfer_all();
    /// Releases the lock, then does what completions ask for and must not be done under it.
    void unlock_and_follow_up() {
        if (wake_wanted_ || !orphans_.empty()) [[unlikely]] {
            unlock_and_wake();
        } else {
            lock_.unlock();
        }
    }
    [[gnu::noinline]] void unlock_and_wake();
    /// Something has come or completed that a thread of the rank may wait for. Lock held.
    void note_news_locked() noexcept;
    struct sleeping; ///< sleeping.hpp
    /// Something has come to wait for room: wakes the Senders, if there are any. Lock held.
    void call_senders() const noexcept {
        if (served_by_ != nullptr) [[unlikely]] {
            served_by_->call_senders(bell_);
        }
    }
    /// Answers if anybody has asked what the rank waits for.
    /// @param what null: the caller tests in a loop of its own
    [[gnu::cold, gnu::noinline]] void answer_question(const awaited *what, unsigned looks = 0);
    bool advance_progressors();
    /// The part of progress that any thread of the process may do for this rank.
    bool move_messages();
    /// True if any of those that look out has done something.
    [[nodiscard]] bool look_out_locked() { return !lookouts_.empty() && look_out_further_locked(); }
    [[gnu::cold, gnu::noinline]] bool look_out_further_locked();

    job &job_;
    rank &owner_;
    int number_;
    int on_node_; ///< the rank's index on its node
    int track_;
    const fabric::routes &routes_;
    const eager_limits limits_;
    const bool checks_types_;         ///< messages are compared with their receives: LISLE_CHECK=1
    wildcard_races *const wildcards_; ///< null unless LISLE_CHECK=2
    fabric::mailbox_sender *const *const mailboxes_; ///< by destination
    fabric::mailbox_receiver *inbox_ = nullptr;      ///< what arrives through memory
    /// The same if nothing else has to be asked, and messages are not compared with receives; else null.
    fabric::mailbox_receiver *only_inbox_ = nullptr;
    fabric::fabric *inbox_carrier_ = nullptr; ///< whose the mailbox is
    const std::uint64_t signature_;           ///< of this rank's packets
    device_threads *served_by_ = nullptr;     ///< under the lock
    polled_fabrics others_;                   ///< the fabrics that have to be asked
    const std::uint64_t seal_;                ///< process_seal()
    job_clock &clock_;
    unsigned brief_looks_;
    unsigned receives_ignoring_others_ = 0; ///< under the lock
    /// One thread at a time starts receives.
    bool starts_alone_ = false;
    /// All ranks of the process are fibers of one thread, and no other one calls for them. The same in all.
    bool one_worker_ = false;
    short_receive *awaited_ = nullptr; ///< what a fiber that lets others run waits for; of that thread
    doorbell &bell_;
    spin_policy spin_policy_;
    completed_request completed_send_;
    engine_counts counts_;
    type_notes *const notes_; ///< null unless messages are compared with their receives

    alignas(64) engine_lock lock_;
    // All below: under the lock.
    matcher matcher_;
    pending_transfer *transfers_ = nullptr;       ///< to be done without the lock, newest first
    fabric::cooperative_copy *copying_ = nullptr; ///< under way with some sender
    std::uint64_t news_ = 0;                      ///< how often something has come or completed
    bool wake_wanted_ = false;                    ///< news came while a thread of the rank slept
    std::vector<request *> orphans_; ///< completed requests that nobody waits for, to be destroyed
    int sleepers_ = 0;
    bool congested_ = false;
    id_table<send_operation> sends_;       ///< announced
    id_table<receive_operation> receives_; ///< to which other processes stream
    outbox outbox_;
    protocol::failures failures_{*this};
    /// Messages that are received in pieces. While there are any, packets are taken one by one: what has been
    /// read makes room for more.
    int read_in_pieces_ = 0;
    path_choice choice_; ///< for long messages from other processes
    std::vector<lookout *> lookouts_;
    progressors progressors_;
    // Tests that found nothing. Relaxed: a count that threads of the rank share, and that orders nothing.
    std::atomic<unsigned> fruitless_{0};
    started_receives started_; ///< by the one thread that starts them alone
};

} // namespace lisle::protocol
