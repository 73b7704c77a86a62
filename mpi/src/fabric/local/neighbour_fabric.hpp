// SPDX-License-Identifier: Apache-2.0
// The fabric between processes of several jobs on one machine: a mailbox for each rank, in memory that one of
// these processes has made for their introduction and the others open through /proc, and direct reads of each
// other's memory. Jobs share no doorbells, so a rank sleeps on a pipe (wake_pipe.hpp). That a process has
// ended its pidfd tells.
//
// Ranks are numbered in a row, in the order of the introduction's processes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/owned_descriptor.hpp"
#include "fabric/fabric.hpp"
#include "fabric/joining.hpp"
#include "fabric/local/mailbox.hpp"
#include "fabric/local/neighbour_memory.hpp"
#include "fabric/local/read_thresholds.hpp"
#include "fabric/local/wake_pipe.hpp"
#include "fabric/remote_memory.hpp"

namespace lisle::fabric::local {

class neighbour_fabric final : public fabric, private remote_memory {
  public:
    /// Makes what the neighbours need. Throws mpi_error.
    neighbour_fabric(const introduction &all, read_thresholds reads);
    /// Where that is.
    [[nodiscard]] endpoint_address offer() const;
    /// Opens what the neighbours have made. @param offers by process @return false: the system forbids it
    [[nodiscard]] bool open(const std::vector<endpoint_address> &offers);
    /// From now on the ranks of these processes are reached. @pre all have opened it
    void begin();

    [[nodiscard]] const char *name() const noexcept override { return "memory shared with other jobs"; }
    [[nodiscard]] bool reaches(int peer) const noexcept override {
        return peer >= 0 && static_cast<std::size_t>(peer) < peers_.size() && at(peer) != nullptr;
    }
    [[nodiscard]] route_limits limits(int peer) const noexcept override;
    [[nodiscard]] remote_memory *memory(int) noexcept override { return reads_.any() ? this : nullptr; }

    [[nodiscard]] claim_result try_claim(int self, int dest, std::size_t payload_bytes, bool solicited,
                                         packet_slot &slot) noexcept override;
    void publish(int dest, packet_slot &slot) noexcept override;
    int poll(int self, sink &into, int most) override;
    void set_congested(int self, bool congested) noexcept override;
    void leave(int self) noexcept override;
    [[nodiscard]] waking wakes(int self) const noexcept override;
    [[nodiscard]] bool arm(int self) noexcept override;

  private:
    /// What a process tells its neighbours. Plain bytes, for other processes read it.
    struct offered {
        std::int32_t process;
        std::int32_t memory; ///< a descriptor of that process; -1: another one makes the memory
        pipe_name pipe;      ///< of its first rank
    };
    /// A process that shares the memory.
    struct member {
        std::size_t place; ///< in the introduction
        bool stranger;     ///< to the calling process, which reaches it over this fabric
        int first_rank;    ///< in the row of all
        int first_index;   ///< in the memory
        int rank_count;
        pid_t pid = 0;
        owned_descriptor life = {}; ///< its pidfd; none once it has ended
    };
    /// A rank of another process.
    struct peer {
        peer(std::size_t process, mailbox_sender mailbox, pipe_name pipe) noexcept
            : process{process}, mailbox{mailbox}, pipe{pipe} {}
        ~peer() { owned_descriptor{opened.load(std::memory_order_relaxed)}.reset(); }

        std::size_t process; ///< in members_
        mailbox_sender mailbox;
        pipe_name pipe;
        /// The end of its pipe, opened when it sleeps for the first time; none: not yet. Release by who has
        /// opened it, acquire by who writes to it.
        std::atomic<int> opened = none;
        static constexpr int none = -1;
    };
    /// An own rank.
    struct endpoint {
        mailbox_receiver mailbox;
        wake_pipe pipe;
        owned_descriptor sleeps = {}; ///< readable: the pipe is, or a process has ended
        std::size_t told = 0;         ///< how many ends of processes its owner has heard of
        unsigned idle = 0;            ///< polls that have brought nothing
    };

    [[nodiscard]] peer *at(int number) const noexcept {
        return peers_[static_cast<std::size_t>(number)].get();
    }
    /// In endpoints_.
    [[nodiscard]] std::size_t own_index(int number) const noexcept {
        return static_cast<std::size_t>(number - members_[self_].first_rank);
    }
    [[nodiscard]] neighbour_memory::sharers sharers() const noexcept;
    [[nodiscard]] bool take(member &from, const endpoint_address &offer);
    void make_endpoints();
    void wake(peer &sleeping) noexcept;
    void wake_with_spare(const peer &sleeping) noexcept;
    void look_for_ends() noexcept;
    int tell_ends(endpoint &one, std::size_t ends, sink &into);

    // remote_memory: any memory will do, without a key; copies end at once
    [[nodiscard]] std::optional<memory_key> expose(const void *, std::size_t) noexcept override { return 0; }
    void withdraw(memory_key) noexcept override {}
    [[nodiscard]] copy_start start_read(int self, const remote_place &from, std::span<const iovec> to,
                                        copy_completion &end) noexcept override;
    [[nodiscard]] copy_start start_write(int self, const remote_place &to, std::span<const iovec> from,
                                         copy_completion &end) noexcept override;
    [[nodiscard]] pid_t process_of(const peer &one) const noexcept { return members_[one.process].pid; }

    const std::uint64_t secret_;
    read_thresholds reads_;
    std::vector<member> members_; ///< in the order of the introduction
    std::size_t self_ = 0;        ///< among them
    std::optional<neighbour_memory> memory_;
    std::vector<std::unique_ptr<peer>> peers_; ///< by number in the row of all; null: not reached
    std::vector<wake_pipe> pipes_;             ///< of own ranks, until they have endpoints
    std::vector<endpoint> endpoints_;
    std::atomic<int> present_{0}; ///< own ranks that have not left; relaxed: only counted

    std::mutex waking_;      ///< protects spare_
    owned_descriptor spare_; ///< given up for a moment where the program has used up all others

    std::mutex looking_;             ///< protects `life` of members and what is added to ended_
    std::vector<std::size_t> ended_; ///< members, with room for all
    /// How many of ended_ there are. Release by who adds one, acquire by who tells it: what the process had
    /// sent is there.
    std::atomic<std::size_t> ends_{0};
    /// By member: it has ended. Relaxed: who is late sends what nobody reads.
    std::unique_ptr<std::atomic<bool>[]> has_ended_;
};

} // namespace lisle::fabric::local
