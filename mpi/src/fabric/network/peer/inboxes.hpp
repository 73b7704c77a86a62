// SPDX-License-Identifier: Apache-2.0
// What has arrived for each rank of the process and waits for the rank to poll. One endpoint of the network
// serves all ranks of a process, so a rank that polls it also finds what is for the others. Everything is
// used with the fabric's lock held, but for the descriptor.
#pragma once

#include <algorithm>
#include <span>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "base/ring.hpp"
#include "fabric/network/peer/frame.hpp"
#include "fabric/network/rail/buffers.hpp"
#include "fabric/remote_memory.hpp"

namespace lisle::fabric::network {

struct inbox {
    struct packet {
        buffer *in; ///< to be received to again after the packet has been taken
        arrived_frame what;
    };
    struct ended_copy {
        copy_completion *hears;
        bool moved;
    };

    ring<packet> packets;
    ring<ended_copy> copies;
    std::vector<int> failed; ///< processes of whose ranks the owner has not been told yet
    bool armed = false;      ///< the owner sleeps, or is about to

    [[nodiscard]] bool empty() const noexcept { return packets.empty() && copies.empty() && failed.empty(); }
};

/// What the owner of an inbox sleeps on: readable when one of a rail is, or of a pulse, or
/// when somebody else has put something into the inbox.
class wake_descriptor {
  public:
    /// @param sources the descriptors of all rails and of their pulses
    explicit wake_descriptor(std::span<const int> sources) noexcept
        : together_{epoll_create1(EPOLL_CLOEXEC)}, called_{eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)} {
        const bool added =
            std::ranges::all_of(sources, [this](int each) { return add(each); }) && add(called_);
        if (!added && together_ >= 0) {
            close(std::exchange(together_, -1));
        }
    }
    wake_descriptor(wake_descriptor &&other) noexcept
        : together_{std::exchange(other.together_, -1)}, called_{std::exchange(other.called_, -1)} {}
    wake_descriptor(const wake_descriptor &) = delete;
    wake_descriptor &operator=(const wake_descriptor &) = delete;
    wake_descriptor &operator=(wake_descriptor &&) = delete;
    ~wake_descriptor() {
        if (together_ >= 0) {
            close(together_);
        }
        if (called_ >= 0) {
            close(called_);
        }
    }

    /// -1: the system gives none, the owner must poll.
    [[nodiscard]] int descriptor() const noexcept { return together_; }
    void call() const noexcept { static_cast<void>(eventfd_write(called_, 1)); }
    void clear() const noexcept {
        eventfd_t calls = 0;
        static_cast<void>(eventfd_read(called_, &calls));
    }

  private:
    bool add(int source) const noexcept {
        epoll_event event{};
        event.events = EPOLLIN;
        return source >= 0 && epoll_ctl(together_, EPOLL_CTL_ADD, source, &event) == 0;
    }

    int together_;
    int called_;
};

/// Those of all ranks of this process.
class inboxes {
  public:
    /// @param sources see wake_descriptor @param most packets that can have arrived @param processes of the
    /// job
    inboxes(int first_rank, int ranks, std::span<const int> sources, std::size_t most, int processes)
        : first_{first_rank}, all_(static_cast<std::size_t>(ranks)) {
        wakes_.reserve(all_.size());
        for (std::size_t count = 0; count != all_.size(); ++count) {
            wakes_.emplace_back(sources);
        }
        for (inbox &each : all_) {
            each.packets.reserve(most);
            each.failed.reserve(static_cast<std::size_t>(processes)); // a failure must find room
        }
    }

    [[nodiscard]] inbox &of(int rank) noexcept { return all_[place_of(rank)]; }
    /// -1: the system gives none, the owner must poll.
    [[nodiscard]] int descriptor(int rank) const noexcept { return wakes_[place_of(rank)].descriptor(); }
    /// Packets that no rank has taken.
    [[nodiscard]] std::size_t untaken() const noexcept {
        std::size_t sum = 0;
        for (const inbox &each : all_) {
            sum += each.packets.size();
        }
        return sum;
    }

    void add(int rank, const inbox::packet &arrived) noexcept {
        of(rank).packets.push_back(arrived); // there is room: each packet has a buffer of the rails
        wake_if_armed(rank);
    }
    /// @pre the starter has made room for it
    void add(int rank, const inbox::ended_copy &ended) noexcept {
        of(rank).copies.push_back(ended);
        wake_if_armed(rank);
    }
    /// All ranks are to hear that a process has failed. Once for each. Wakes nobody.
    void add_failed(int process) noexcept {
        for (inbox &each : all_) {
            each.failed.push_back(process);
        }
    }
    void wake_all() noexcept {
        for (std::size_t place = 0; place != all_.size(); ++place) {
            wake_if_armed(first_ + static_cast<int>(place));
        }
    }
    /// The owner is awake. True: it had slept, or was about to.
    [[nodiscard]] bool take_armed(int rank) noexcept { return of(rank).armed && end_sleep(rank); }

  private:
    [[nodiscard]] std::size_t place_of(int rank) const noexcept {
        return static_cast<std::size_t>(rank - first_);
    }
    bool end_sleep(int rank) noexcept {
        wakes_[place_of(rank)].clear();
        return std::exchange(of(rank).armed, false);
    }
    void wake_if_armed(int rank) noexcept {
        if (of(rank).armed) {
            wakes_[place_of(rank)].call();
        }
    }

    const int first_;
    std::vector<inbox> all_;
    std::vector<wake_descriptor> wakes_;
};

} // namespace lisle::fabric::network
