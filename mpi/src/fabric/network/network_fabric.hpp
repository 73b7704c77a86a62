// SPDX-License-Identifier: Apache-2.0
// The fabric of networks, on devices that carry messages to processes and copy memory (device.hpp). A process
// has one endpoint for all of its ranks, so the number of connections goes by processes; a frame says which
// rank it is for. A rank that polls takes all that has arrived, and leaves in the other ranks' inboxes what
// is theirs. Sending never waits: what the provider has no room for now stays in its buffer, in order for
// each peer, until somebody polls. A process may have several rails, one for each interface: copies between
// memories are spread over them, and when one fails the others take over (rails.cpp).
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "execution/staying.hpp"
#include "execution/traffic_count.hpp"
#include "fabric/fabric.hpp"
#include "fabric/network/device/device.hpp"
#include "fabric/network/long_copy.hpp"
#include "fabric/network/peer/frame.hpp"
#include "fabric/network/peer/inbox.hpp"
#include "fabric/network/peer/outbox.hpp"
#include "fabric/network/peer/reorder_buffer.hpp"
#include "fabric/network/provider.hpp"
#include "fabric/network/rail/buffers.hpp"
#include "fabric/network/rail/rail.hpp"
#include "fabric/remote_memory.hpp"

namespace lisle::fabric::network {

/// What the fabric has to know of the job.
struct job_view {
    int ranks;      ///< of the job
    int processes;  ///< of the job
    int first_rank; ///< of this process
    int rank_count; ///< of this process
    std::function<int(int rank)> process_of;
    std::function<int(int process)> first_rank_of;
    std::function<bool(int rank)> elsewhere; ///< true: no faster fabric reaches this rank
    job_secret secret;
    std::chrono::seconds silence{10}; ///< how long a machine may be silent before its ranks count as failed
    /// How long the first packet to a process may keep its sender: two that are in calls have connected by
    /// then.
    std::chrono::milliseconds connecting{5};
    traffic_count *traffic = nullptr; ///< where packets and copies are counted; outlives the fabric
};

class network_fabric final : public fabric, private remote_memory {
  public:
    /// @param chosen what the rails are made of, one for each interface: the first carries the frames
    /// @param where address of a peer's endpoint
    network_fabric(std::vector<choice> chosen, job_view job, address_lookup where);
    ~network_fabric() override;

    [[nodiscard]] const char *name() const noexcept override { return "network"; }
    [[nodiscard]] bool reaches(int peer) const noexcept override { return job_.elsewhere(peer); }
    [[nodiscard]] route_limits limits(int peer) const noexcept override;
    [[nodiscard]] endpoint_address address(int self) const override;
    void connect(int peer, std::span<const std::byte> address) override;
    [[nodiscard]] remote_memory *memory(int peer) noexcept override;

    [[nodiscard]] claim_result try_claim(int self, int dest, std::size_t payload_bytes, bool solicited,
                                         packet_slot &slot) noexcept override;
    void fill(int dest, packet_slot &slot, const void *from, std::size_t bytes) noexcept override;
    void publish(int dest, packet_slot &slot) noexcept override;
    int poll(int self, sink &into, int most) override;
    void set_congested(int self, bool congested) noexcept override;
    [[nodiscard]] std::uint64_t packets_sent_to(int peer) const noexcept override {
        return packets_to_[static_cast<std::size_t>(peer)].load(std::memory_order_relaxed);
    }
    void leave(int self) noexcept override;
    /// For a fabric that is to end before its process does: true, and all peers are told, once nothing would
    /// be lost with it. Does not wait.
    [[nodiscard]] bool try_to_end() noexcept;
    void leave_sending_to(const std::function<void()> &call) override;
    [[nodiscard]] send_step send_some() noexcept override;
    [[nodiscard]] waking wakes(int self) const noexcept override;
    [[nodiscard]] bool arm(int self) noexcept override;

    static constexpr std::size_t most_sends = 96;      ///< frames of a process that are on their way at most
    static constexpr std::size_t receive_buffers = 64; ///< of each rail

    /// The provider and its interface, for messages: "net on eth0".
    [[nodiscard]] std::string description() const;
    /// Where peers connect to on the first rail; none if that has no address of TCP.
    [[nodiscard]] tcp::socket_address pulse_address() const noexcept {
        return rails_.front()->watched().address();
    }
    /// Frames, and connections, that have been dropped because they were not sound.
    [[nodiscard]] std::uint64_t dropped() const noexcept;

  private:
    /// A process that packets go to or come from.
    struct peer_process {
        std::vector<peer_number> at; ///< by rail; no_peer: that one is not used. Empty: not known yet
        std::size_t rail = 0;        ///< which carries the frames
        std::uint32_t next_out = 1;  ///< number of the next frame to it
        reorder_buffer<inbox::packet> arriving; ///< numbered frames from it
        unsigned unreported = 0;                ///< frames of it that it has not been told of
        std::deque<buffer *> unacknowledged;    ///< numbered frames, in order
        std::size_t outstanding = 0;            ///< buffers that are on their way to it
        bool heard = false;                     ///< something of it has arrived
        bool reached = false;   ///< the provider has taken a frame to it, so they are connected
        bool awaited = false;   ///< somebody has waited for that
        bool told_last = false; ///< that nothing follows
        bool confirmed = false; ///< it knows that
        bool failed = false;
        bool numbers = false;    ///< its frames and those to it have numbers
        bool left = false;       ///< it waits for nothing any more, so its end is no failure
        std::size_t started = 0; ///< of these, what the provider has
        outbox waiting;          ///< frames that the provider had no room for, or a Sender is to send

        /// Frames are kept until they are acknowledged where another rail can take over.
        [[nodiscard]] bool keeps() const noexcept { return at.size() > 1; }
    };

    struct exposed_memory {
        memory_key key;
        std::vector<std::optional<memory_key>> by_rail; ///< none: that one was closed
    };

    // remote_memory
    [[nodiscard]] std::optional<memory_key> expose(const void *memory, std::size_t bytes) noexcept override;
    void withdraw(memory_key key) noexcept override;
    [[nodiscard]] copy_start start_read(int self, const remote_place &from, std::span<const iovec> to,
                                        copy_completion &end) noexcept override;
    [[nodiscard]] copy_start start_write(int self, const remote_place &to, std::span<const iovec> from,
                                         copy_completion &end) noexcept override;
    [[nodiscard]] copy_start start_copy(int self, const remote_place &place, std::span<const iovec> pieces,
                                        bool read, copy_completion &end) noexcept;

    /// True if nothing that was sent would be lost with this process, and all who may wait for something of
    /// it know that it leaves. Takes the lock.
    [[nodiscard]] bool has_sent_all() noexcept;

    // All with the lock held.
    void connect_locked(int process, std::span<const std::byte> address);
    void send_locked(buffer &filled) noexcept;
    static void take_in(buffer &filled) noexcept;
    [[nodiscard]] attempt start_locked(buffer &filled) noexcept;
    void send_waiting_locked() noexcept;
    void await_connection_locked(peer_process &to) noexcept;
    [[nodiscard]] attempt send_next_locked(int process) noexcept;
    void forget_if_sent_locked(std::size_t place) noexcept;
    void tell_congestion_locked() noexcept;
    [[nodiscard]] bool send_frame_locked(int process, frame::kind what, int source) noexcept;
    void notice_ends_locked();
    void progress_rails_locked();
    void ended_locked(const completion &end);
    void advance_copies_locked();
    void end_pieces_on_locked(std::size_t number);
    void withdraw_locked(const exposed_memory &what) noexcept;
    // rails.cpp
    [[nodiscard]] std::vector<peer_number> find_rails_locked(int process, std::span<const std::byte> address);
    void lost_rail_locked(int process, std::size_t number);
    void close_rail_locked(std::size_t number);
    void take_over_locked(int process, std::size_t lost);
    /// False: no such frame has been sent.
    [[nodiscard]] bool acknowledged_locked(int process, std::uint32_t number) noexcept;
    void count_unreported_locked(peer_process &from) noexcept;
    void acknowledge_soon_locked(int process) noexcept;
    void acknowledge_all_locked() noexcept;
    // arriving.cpp
    void arrived_locked(buffer &in, std::size_t bytes);
    void drop_locked(buffer &in, std::size_t bytes, refusal why) noexcept;
    /// Passes on the frame and what was held back for it, or holds it back. False: its number is wrong.
    [[nodiscard]] bool put_in_order_locked(int process, const inbox::packet &arrived);
    [[nodiscard]] bool put_numbered_in_order_locked(int process, const inbox::packet &arrived);
    /// Takes a frame whose turn it is.
    void pass_on_locked(int process, const inbox::packet &due);
    void receive_again_locked(buffer &in) noexcept;
    void failed_locked(int process);
    void finish_send_locked(buffer &sent) noexcept;
    void refused_locked(buffer &lost) noexcept;
    void ended_send_locked(buffer &sent, bool failed) noexcept;

    [[nodiscard]] static frame &frame_in(buffer &one) noexcept {
        return *reinterpret_cast<frame *>(one.room.data());
    }
    [[nodiscard]] inbox &inbox_of(int rank) noexcept {
        return inboxes_[static_cast<std::size_t>(rank - job_.first_rank)];
    }
    void wake_if_armed(int rank) noexcept;

    job_view job_;
    traffic_count own_traffic_; ///< where nobody else wants to know
    traffic_count &traffic_;    ///< written with the lock held
    address_lookup where_;
    /// Taken for every call of the provider and for the tables below; never while a sink hears of something.
    staying_lock lock_;
    buffer_pool sends_;
    std::vector<std::unique_ptr<rail>> rails_;
    std::vector<peer_process> peers_;    ///< by process
    std::vector<int> clogged_;           ///< processes with waiting frames
    std::function<void()> call_sender_;  ///< empty: no thread sends
    std::size_t turn_ = 0;               ///< among the clogged ones, of whom the Sender has sent for last
    bool room_wanted_ = false;           ///< somebody has found no buffer to send from
    std::vector<inbox> inboxes_;         ///< by rank of this process
    std::vector<wake_descriptor> wakes_; ///< the same
    int left_ = 0;                       ///< ranks of this process that are needed no more
    unsigned polls_ = 0;                 ///< since somebody asked the pulse
    bool congestion_changed_ = false;
    /// By rank of the job: takes no unasked data. Relaxed: the flags order nothing, a sender that is late
    /// sends one more packet.
    std::unique_ptr<std::atomic<bool>[]> congested_;
    enum class reach : std::uint8_t { unknown, connected, failed };
    /// By process. Relaxed: what a stale value lets through is looked at again under the lock.
    std::unique_ptr<std::atomic<reach>[]> reach_;
    std::unique_ptr<std::atomic<std::uint64_t>[]> packets_to_; ///< by rank of the job; relaxed: only counted
    std::atomic<std::uint64_t> dropped_{0};                    ///< relaxed: only counted
    std::vector<exposed_memory> exposed_;
    std::vector<std::unique_ptr<long_copy>> copies_; ///< that have not ended
    bool to_acknowledge_ = false;                    ///< some peers are to be told what has arrived of them
    std::uint64_t next_key_ = 1;
};

} // namespace lisle::fabric::network
