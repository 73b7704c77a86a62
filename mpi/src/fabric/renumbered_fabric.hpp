// SPDX-License-Identifier: Apache-2.0
// A fabric between processes of several jobs, which number ranks in one way among themselves, as this process
// numbers them: its own by their job, those of the others behind these (world/other_jobs.hpp).
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "execution/traffic_count.hpp"
#include "fabric/deferred_sending.hpp"
#include "fabric/fabric.hpp"
#include "fabric/remote_memory.hpp"

namespace lisle::fabric {

class renumbered_fabric final : public fabric, private remote_memory {
  public:
    /// @param first_own number of this process's first rank in its job @param first_there its number among
    /// all
    /// @param peers numbers among all of the ranks with the numbers `first_peer` and on
    /// @param numbers_here by number among all; -1: another fabric reaches that rank
    /// @param traffic counts packets; null: nobody wants to know
    renumbered_fabric(std::unique_ptr<fabric> carrier, int first_own, int first_there, int first_peer,
                      std::vector<int> peers, std::vector<int> numbers_here, traffic_count *traffic)
        : carrier_{std::move(carrier)}, own_shift_{first_there - first_own}, first_peer_{first_peer},
          peers_{std::move(peers)}, numbers_here_{std::move(numbers_here)}, traffic_{traffic} {}

    /// Ends the fabric that carries. @pre no engine asks it, and no communicator has one of its ranks
    void end() noexcept { carrier_.reset(); }
    [[nodiscard]] bool is_over() const noexcept override { return carrier_ == nullptr; }

    [[nodiscard]] const char *name() const noexcept override {
        return is_over() ? "ended" : carrier_->name();
    }
    [[nodiscard]] bool reaches(int peer) const noexcept override {
        return peer >= first_peer_ && peer - first_peer_ < static_cast<int>(peers_.size());
    }
    [[nodiscard]] route_limits limits(int peer) const noexcept override {
        return carrier_->limits(there(peer));
    }
    [[nodiscard]] remote_memory *memory(int peer) noexcept override {
        memory_ = carrier_->memory(there(peer));
        return memory_ != nullptr ? this : nullptr;
    }

    [[nodiscard]] claim_result try_claim(int self, int dest, std::size_t payload_bytes, bool solicited,
                                         packet_slot &slot) noexcept override {
        return carrier_->try_claim(own_there(self), there(dest), payload_bytes, solicited, slot);
    }
    void fill(int dest, packet_slot &slot, const void *from, std::size_t bytes) noexcept override {
        carrier_->fill(there(dest), slot, from, bytes);
    }
    void publish(int dest, packet_slot &slot) noexcept override {
        if (traffic_ != nullptr) {
            traffic_->add_sent_by_any(); // before anybody can take it
        }
        carrier_->publish(there(dest), slot);
    }
    int poll(int self, sink &into, int most) override {
        translator here{into, *this};
        return carrier_->poll(own_there(self), here, most);
    }
    void set_congested(int self, bool congested) noexcept override {
        if (!is_over()) {
            carrier_->set_congested(own_there(self), congested);
        }
    }
    [[nodiscard]] std::uint64_t packets_sent_to(int peer) const noexcept override {
        return reaches(peer) && !is_over() ? carrier_->packets_sent_to(there(peer)) : 0;
    }
    void leave(int self) noexcept override {
        if (!is_over()) {
            carrier_->leave(own_there(self));
        }
    }
    [[nodiscard]] deferred_sending *sending() noexcept override {
        return is_over() ? nullptr : carrier_->sending();
    }
    [[nodiscard]] waking wakes(int self) const noexcept override {
        if (is_over()) {
            return {};
        }
        waking how = carrier_->wakes(own_there(self));
        how.from_other_jobs = true;
        return how;
    }
    [[nodiscard]] bool arm(int self) noexcept override { return carrier_->arm(own_there(self)); }

  private:
    /// Tells a sink of ranks by their numbers here.
    class translator final : public sink {
      public:
        translator(sink &to, const renumbered_fabric &of) noexcept : to_{to}, of_{of} {}
        void arrived(int peer, const packet_header &header, std::span<const std::byte> payload) override {
            if (const int number = of_.here(peer); number >= 0) {
                to_.arrived(number, header, payload);
            }
            if (of_.traffic_ != nullptr) { // it was taken: without memory for it there is an exception
                of_.traffic_->add_received_by_any();
            }
        }
        void peer_failed(int peer) override {
            if (const int number = of_.here(peer); number >= 0) {
                to_.peer_failed(number);
            }
        }
        bool awaits(const packet_header &header) override { return to_.awaits(header); }

      private:
        sink &to_;
        const renumbered_fabric &of_;
    };

    // remote_memory
    [[nodiscard]] std::optional<memory_key> expose(const void *memory, std::size_t bytes) noexcept override {
        return memory_->expose(memory, bytes);
    }
    void withdraw(memory_key key) noexcept override { memory_->withdraw(key); }
    [[nodiscard]] copy_start start_read(int self, const remote_place &from, std::span<const iovec> to,
                                        copy_completion &end) noexcept override {
        return memory_->start_read(own_there(self), place_there(from), to, end);
    }
    [[nodiscard]] copy_start start_write(int self, const remote_place &to, std::span<const iovec> from,
                                         copy_completion &end) noexcept override {
        return memory_->start_write(own_there(self), place_there(to), from, end);
    }

    [[nodiscard]] int own_there(int self) const noexcept { return self + own_shift_; }
    [[nodiscard]] int there(int peer) const noexcept {
        return peers_[static_cast<std::size_t>(peer - first_peer_)];
    }
    [[nodiscard]] remote_place place_there(const remote_place &place) const noexcept {
        return {there(place.peer), place.address, place.key};
    }
    [[nodiscard]] int here(int peer) const noexcept {
        return peer >= 0 && peer < static_cast<int>(numbers_here_.size())
                   ? numbers_here_[static_cast<std::size_t>(peer)]
                   : -1;
    }

    std::unique_ptr<fabric> carrier_;
    const int own_shift_;
    const int first_peer_;
    const std::vector<int> peers_;
    const std::vector<int> numbers_here_;
    traffic_count *const traffic_;
    remote_memory *memory_ = nullptr; ///< the same for all peers; set before any route has been made
};

} // namespace lisle::fabric
