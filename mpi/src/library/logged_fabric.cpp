// SPDX-License-Identifier: Apache-2.0
#include "library/logged_fabric.hpp"

#include <array>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include "base/error.hpp"
#include "base/log.hpp"
#include "protocol/message/packet.hpp"
#include "rma/messages/wire.hpp"

namespace lisle {

namespace {

using fabric::claim_result;
using fabric::packet_header;
using fabric::packet_slot;
using protocol::packet_kind;

bool logs_packets() noexcept {
    return logs(log_area::eager, log_level::packets) || logs(log_area::rendezvous, log_level::packets) ||
           logs(log_area::window, log_level::packets);
}

struct kind_name {
    log_area area;
    const char *name;
};

kind_name name_of(std::uint8_t kind) noexcept {
    // In the order of packet_kind.
    static constexpr std::array<kind_name, 13> names{{{log_area::eager, "eager"},
                                                      {log_area::eager, "strict_eager"},
                                                      {log_area::rendezvous, "announcement"},
                                                      {log_area::rendezvous, "clear_to_send"},
                                                      {log_area::rendezvous, "data"},
                                                      {log_area::rendezvous, "offer"},
                                                      {log_area::rendezvous, "written"},
                                                      {log_area::rendezvous, "done"},
                                                      {log_area::rendezvous, "cancel"},
                                                      {log_area::rendezvous, "cancel_answer"},
                                                      {log_area::eager, "described_eager"},
                                                      {log_area::rendezvous, "described_announcement"},
                                                      {log_area::rendezvous, "delivered"}}};
    static_assert(names.size() == static_cast<std::size_t>(packet_kind::delivered) + 1);
    if (kind < names.size()) {
        return names[kind];
    }
    if (kind == rma::request_packet || kind == rma::reply_packet) {
        return {log_area::window, kind == rma::request_packet ? "request" : "reply"};
    }
    return {log_area::network, "revocation"};
}

/// Behind the kind: "tag 7, 8 bytes", and of an announcement how long the message is.
std::string describe(const packet_header &header, const std::byte *payload) {
    std::string text = sentence(protocol::begins_message(header.kind)
                                    ? sentence("tag ", header.tag, ", source ", header.source, ", ")
                                    : std::string{},
                                header.payload_bytes, " bytes");
    protocol::announcement said{};
    if (header.kind == static_cast<std::uint8_t>(packet_kind::announcement) &&
        header.payload_bytes >= sizeof said) {
        std::memcpy(&said, payload, sizeof said);
        text += sentence(" of a message of ", said.bytes);
    }
    return text + ", context " + hexadecimal(header.context);
}

/// Numbers packets of each pair, from 1 on, as they leave or arrive here: those of a sender and its receiver
/// are the same.
class numbering {
  public:
    std::uint64_t next(int from, int to) {
        const std::scoped_lock guard{lock_};
        return ++last_[{from, to}];
    }

  private:
    std::mutex lock_;
    std::map<std::pair<int, int>, std::uint64_t> last_;
};

class logged_fabric final : public fabric::fabric {
  public:
    logged_fabric(std::unique_ptr<fabric> carrier, int track)
        : carrier_{std::move(carrier)}, track_{track}, packets_{logs_packets()} {}

    [[nodiscard]] const fabric &innermost() const noexcept override { return carrier_->innermost(); }
    [[nodiscard]] bool is_over() const noexcept override { return carrier_->is_over(); }
    [[nodiscard]] const char *name() const noexcept override { return carrier_->name(); }
    [[nodiscard]] bool reaches(int peer) const noexcept override { return carrier_->reaches(peer); }
    [[nodiscard]] ::lisle::fabric::route_limits limits(int peer) const noexcept override {
        return carrier_->limits(peer);
    }
    [[nodiscard]] ::lisle::fabric::endpoint_address address(int self) const override {
        return carrier_->address(self);
    }
    void connect(int peer, std::span<const std::byte> address) override {
        say(log_area::network, -1, sentence("connects to ", peer));
        carrier_->connect(peer, address);
    }
    [[nodiscard]] ::lisle::fabric::remote_memory *memory(int peer) noexcept override {
        return carrier_->memory(peer);
    }
    [[nodiscard]] ::lisle::fabric::shared_memory *node(int peer) noexcept override {
        return carrier_->node(peer);
    }
    [[nodiscard]] bool is_of_one_node() const noexcept override { return carrier_->is_of_one_node(); }
    [[nodiscard]] bool same_address_space(int peer) const noexcept override {
        return carrier_->same_address_space(peer);
    }
    [[nodiscard]] std::unique_ptr<fabric> on_track(int track) const override {
        auto made = carrier_->on_track(track);
        return made != nullptr ? logged(std::move(made), track) : nullptr;
    }
    [[nodiscard]] job_clock *clock() noexcept override { return carrier_->clock(); }

    [[nodiscard]] claim_result try_claim(int self, int dest, std::size_t payload_bytes, bool solicited,
                                         packet_slot &slot) noexcept override {
        claimed_by = self;
        return carrier_->try_claim(self, dest, payload_bytes, solicited, slot);
    }
    void fill(int dest, packet_slot &slot, const void *from, std::size_t bytes) noexcept override {
        carrier_->fill(dest, slot, from, bytes);
    }
    void publish(int dest, packet_slot &slot) noexcept override {
        if (packets_) {
            say_packet(claimed_by, " to ", dest, *slot.header, slot.payload, sent_.next(claimed_by, dest));
        }
        carrier_->publish(dest, slot);
    }
    [[nodiscard]] std::uint64_t packets_sent_to(int peer) const noexcept override {
        return carrier_->packets_sent_to(peer);
    }
    int poll(int self, ::lisle::fabric::sink &into, int most) override {
        listener here{*this, self, into};
        return carrier_->poll(self, here, most);
    }
    void set_congested(int self, bool congested) noexcept override {
        carrier_->set_congested(self, congested);
    }
    [[nodiscard]] ::lisle::fabric::mailbox_access *mailboxes() noexcept override {
        return packets_ ? nullptr : carrier_->mailboxes();
    }
    [[nodiscard]] ::lisle::fabric::deferred_sending *sending() noexcept override {
        return carrier_->sending();
    }
    void leave(int self) noexcept override {
        say(log_area::network, self, "needs no more packets");
        carrier_->leave(self);
    }
    [[nodiscard]] ::lisle::fabric::waking wakes(int self) const noexcept override {
        return carrier_->wakes(self);
    }
    [[nodiscard]] bool arm(int self) noexcept override { return carrier_->arm(self); }

  private:
    /// Between the carrier and the engine.
    class listener final : public ::lisle::fabric::sink {
      public:
        listener(logged_fabric &of, int self, ::lisle::fabric::sink &to) noexcept
            : of_{of}, self_{self}, to_{to} {}
        void arrived(int peer, const packet_header &header, std::span<const std::byte> payload) override {
            if (of_.packets_) {
                of_.say_packet(self_, " from ", peer, header, payload.data(), of_.arrived_.next(peer, self_));
            }
            to_.arrived(peer, header, payload);
        }
        void peer_failed(int peer) override {
            of_.say(log_area::network, self_, sentence("rank ", peer, " has failed"));
            to_.peer_failed(peer);
        }
        bool awaits(const packet_header &header) override { return to_.awaits(header); }

      private:
        logged_fabric &of_;
        const int self_;
        ::lisle::fabric::sink &to_;
    };

    void say(log_area area, int self, const std::string &what) const {
        if (logs(area)) {
            log_line(area, self, sentence(carrier_->name(), ": ", what));
        }
    }
    void say_packet(int self, const char *direction, int peer, const packet_header &header,
                    const std::byte *payload, std::uint64_t number) const {
        const auto [area, name] = name_of(header.kind);
        if (logs(area, log_level::packets)) {
            log_line(area, self,
                     sentence(name, direction, peer, ", number ", number, ", ", describe(header, payload),
                              ", ", carrier_->name(),
                              track_ != 0 ? sentence(", track ", track_) : std::string{}));
        }
    }

    /// Who has claimed the packet that the calling thread fills: publish() is not told.
    static inline thread_local int claimed_by = -1;

    const std::unique_ptr<fabric> carrier_;
    const int track_;
    const bool packets_;
    numbering sent_, arrived_;
};

} // namespace

std::unique_ptr<fabric::fabric> logged(std::unique_ptr<fabric::fabric> carrier, int track) {
    if (!logs_packets() && !logs(log_area::network)) {
        return carrier;
    }
    return std::make_unique<logged_fabric>(std::move(carrier), track);
}

} // namespace lisle
