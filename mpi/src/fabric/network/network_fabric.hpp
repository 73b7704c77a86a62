// SPDX-License-Identifier: Apache-2.0
// The fabric of networks, on devices that carry messages to processes and copy memory (device/device.hpp). A
// process has one endpoint for all of its ranks, so the number of connections goes by processes; a frame says
// which rank it is for. A rank that polls takes all that has arrived, and leaves in the other ranks' inboxes
// what is theirs. Sending never waits: what the device has no room for now stays in its buffer, in order for
// each peer, until somebody polls. A process may have several rails, one for each interface: copies between
// memories are spread over them, and when one fails the others take over.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "execution/staying.hpp"
#include "fabric/deferred_sending.hpp"
#include "fabric/fabric.hpp"
#include "fabric/network/acknowledgements.hpp"
#include "fabric/network/congestion.hpp"
#include "fabric/network/frame_arrivals.hpp"
#include "fabric/network/frame_sender.hpp"
#include "fabric/network/hold_timer.hpp"
#include "fabric/network/memory_copies.hpp"
#include "fabric/network/peer/peer_table.hpp"

namespace lisle::fabric::network {

class network_fabric final : public fabric, public deferred_sending {
  public:
    /// @param chosen what the rails are made of, one for each interface: the first carries the frames
    /// @param where address of a peer's endpoint
    network_fabric(const std::vector<choice> &chosen, job_view job, address_lookup where);
    network_fabric(const network_fabric &) = delete;
    network_fabric &operator=(const network_fabric &) = delete;
    ~network_fabric() override {
        hold_.stop();
        rails_.close();
    }

    [[nodiscard]] const char *name() const noexcept override { return "network"; }
    [[nodiscard]] bool reaches(int peer) const noexcept override { return job_.elsewhere(peer); }
    [[nodiscard]] route_limits limits(int peer) const noexcept override;
    [[nodiscard]] endpoint_address address(int) const override { return rails_.address(); }
    void connect(int peer, std::span<const std::byte> address) override;
    [[nodiscard]] remote_memory *memory(int) noexcept override {
        return copies_.are_possible() ? &copies_ : nullptr;
    }

    [[nodiscard]] claim_result try_claim(int self, int dest, std::size_t payload_bytes, bool solicited,
                                         packet_slot &slot) noexcept override;
    void fill(int, packet_slot &slot, const void *from, std::size_t bytes) noexcept override {
        sender_.fill(slot, from, bytes);
    }
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
    [[nodiscard]] deferred_sending *sending() noexcept override { return this; }
    void leave_sending_to(const std::function<void()> &call) override;
    [[nodiscard]] send_step send_some() noexcept override;
    [[nodiscard]] waking wakes(int self) const noexcept override;
    [[nodiscard]] bool arm(int self) noexcept override;

    static constexpr std::size_t receive_buffers = rail_set::receive_buffers; ///< of each rail

    /// The providers and their interfaces, for messages: "net on eth0".
    [[nodiscard]] std::string description() const { return rails_.description(); }
    /// By which peers know the machine; none if the first rail has no address of TCP.
    [[nodiscard]] tcp::socket_address own_address() const noexcept {
        return rails_.traits_of_first().own_address;
    }
    /// True if only one side can connect: this process to that one, or that one to this.
    [[nodiscard]] bool leads_in_one_direction(int process) const {
        return job_.way_to && job_.way_to(process).leads_in_one_direction();
    }
    /// Frames, and connections, that have been dropped because they were not sound.
    [[nodiscard]] std::uint64_t dropped() const noexcept { return arrivals_.dropped() + rails_.dropped(); }

  private:
    /// What a poll has found for its rank.
    struct found;

    /// What a rail has ended.
    struct completions {
        std::array<completion, 16> all{};
        std::size_t next = 0, count = 0; ///< of these, the next one to be treated
        std::size_t rail = 0;
    };

    /// True if nothing that was sent would be lost with this process, and all who may wait for something of
    /// it know that it leaves. Takes the lock.
    [[nodiscard]] bool has_sent_all() noexcept;

    // All with the lock held.
    void await_connection(peer_process &to) noexcept;
    void bound_hold() noexcept;
    void send_held() noexcept;
    void take_from_inbox(int self, std::size_t most, found &into);
    /// Tells a rank of peers that have failed, if it has all that these had sent. @return how many
    int tell_failures(int self, sink &into);
    /// Throws std::bad_alloc if there is no memory for what has ended: the next call goes on there.
    void progress();
    void work_off();
    void ended(const completion &end);
    void notice_ends();
    void notice_lost_callers(std::size_t rail);
    void await_only_connection(int process);
    void lost_rail(int process, std::size_t number);
    void close_rail(std::size_t number);
    void take_over(int process, std::size_t lost);
    [[nodiscard]] bool tell_last(int process, bool hears_all) noexcept;

    const job_view job_;
    traffic_count own_traffic_; ///< where nobody else wants to know
    traffic_count &traffic_;    ///< written with the lock held
    /// Taken for every call of a device and for the parts below; never while a sink hears of something.
    staying_lock lock_;
    send_buffers buffers_;
    rail_set rails_;
    inboxes boxes_;
    peer_table peers_;
    frame_sender sender_;
    acknowledgements acknowledged_;
    congestion congestion_;
    frame_arrivals arrivals_;
    memory_copies copies_;
    std::unique_ptr<std::atomic<std::uint64_t>[]> packets_to_; ///< by rank of the job; relaxed: only counted
    int left_ = 0;       ///< ranks of this process that are needed no more
    unsigned polls_ = 0; ///< since somebody asked the pulse
    completions unhandled_;
    bool may_hold_;          ///< packets that say so may wait for others
    bool hold_ends_ = false; ///< at the end of `hold_`, which runs
    hold_timer hold_;
};

} // namespace lisle::fabric::network
