// SPDX-License-Identifier: Apache-2.0
#include "launch/supervisor/fence_relay.hpp"

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <sys/eventfd.h>
#include <utility>

namespace lisle::launch {

namespace {

/// What one process has put, in front of the bytes.
struct notice_head {
    std::int32_t process;
    std::uint32_t begin; ///< where in its notices
    std::uint32_t length;
};

} // namespace

fence_relay::fence_relay(job_table &table, std::vector<int> own)
    : table_{table}, own_{std::move(own)}, told_(own_.size()), news_{eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)} {
    if (!news_) {
        give_up(1, "cannot watch the processes' meeting: ", std::strerror(errno));
    }
    watcher_ = std::jthread{[this] { watch(); }};
}

fence_relay::~fence_relay() {
    over_.store(true, std::memory_order_release);
    table_.fence_gate().gathered.ring();
}

void fence_relay::watch() {
    sigset_t all;
    sigfillset(&all); // signals are for the thread that polls
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
    auto &bell = table_.fence_gate().gathered;
    for (std::uint32_t seen = 0; !over_.load(std::memory_order_acquire);) { // no ring is missed: from 0 on
        if (bell.value() == seen) {
            bell.sleep(seen);
            continue;
        }
        ++seen;
        const std::uint64_t one = 1;
        [[maybe_unused]] const auto written = write(news_.get(), &one, sizeof one);
    }
}

bool fence_relay::take_news() {
    std::uint64_t count = 0;
    [[maybe_unused]] const auto seen = read(news_.get(), &count, sizeof count);
    const auto &gate = table_.fence_gate();
    // Acquire: pairs with the processes that have come. The last one has rung behind that.
    const bool all = gate.arrived.load(std::memory_order_acquire) == gate.expected;
    return all && !std::exchange(waiting_, all);
}

std::string fence_relay::take_notices() {
    std::string all;
    for (std::size_t i = 0; i < own_.size(); ++i) {
        const auto [used, room] = table_.notices_of(own_[i]);
        // Acquire: pairs with the process that has put them.
        const std::size_t now = std::min<std::size_t>(used.load(std::memory_order_acquire), room.size());
        const notice_head head{own_[i], static_cast<std::uint32_t>(told_[i]),
                               static_cast<std::uint32_t>(now - told_[i])};
        all.append(reinterpret_cast<const char *>(&head), sizeof head);
        all.append(reinterpret_cast<const char *>(room.data() + told_[i]), head.length);
        told_[i] = now;
    }
    return all;
}

void fence_relay::open(std::string_view notices) {
    while (!notices.empty()) {
        notice_head head{};
        if (notices.size() < sizeof head) {
            give_up(1, "what the processes of other hosts have put ends within a notice");
        }
        std::memcpy(&head, notices.data(), sizeof head);
        notices.remove_prefix(sizeof head);
        if (head.process < 0 || head.process >= table_.processes() || head.length > notices.size() ||
            head.begin > job_table::notice_bytes || head.length > job_table::notice_bytes - head.begin) {
            give_up(1, "process ", head.process, " of ", table_.processes(), " has put ", head.length,
                    " bytes at ", head.begin, ", which no process can");
        }
        const auto [used, room] = table_.notices_of(head.process);
        if (std::ranges::find(own_, head.process) == own_.end()) {
            std::memcpy(room.data() + head.begin, notices.data(), head.length);
            // Release: pairs with the processes that get it.
            used.store(head.begin + head.length, std::memory_order_release);
        }
        notices.remove_prefix(head.length);
    }
    waiting_ = false;
    auto &gate = table_.fence_gate();
    gate.arrived.store(0, std::memory_order_relaxed); // no process arrives again before the ring
    gate.opened.ring();
}

} // namespace lisle::launch
