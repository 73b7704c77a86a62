// SPDX-License-Identifier: Apache-2.0
#include "library/listed_ranks.hpp"

#include <atomic>
#include <cstddef>
#include <mutex>
#include <sys/syscall.h>
#include <unistd.h>

#include "execution/fiber_worker.hpp"
#include "execution/rank.hpp"
#include "execution/rank_local.hpp"
#include "protocol/engine.hpp"
#include "protocol/tracks.hpp"

/// The first note. Found by its name. Release: a thread that reads it sees the notes; a debugger
/// sees all.
extern "C" __attribute__((visibility("default"))) std::atomic<lisle::rank_note *> lisle_host_ranks;
constinit std::atomic<lisle::rank_note *> lisle_host_ranks{nullptr};

extern "C" __attribute__((visibility("default"))) lisle::rank_layout lisle_host_rank_layout;
lisle::rank_layout lisle_host_rank_layout{};

namespace lisle {

namespace {

/// Null before the rank is listed.
const rank_local<rank_note *> own_note;

std::int32_t distance(const void *outer, const void *inner) noexcept {
    return static_cast<std::int32_t>(static_cast<const char *>(inner) - static_cast<const char *>(outer));
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored                                                                               \
    "-Winvalid-offsetof" // of classes with bases, which GCC and Clang lay out as any
rank_layout layout_of(protocol::engine &engine) {
    using protocol::receive_operation;
    using protocol::unexpected_message;
    const auto heads = engine.receives().tables().heads();
    return {.engines = fabric::most_tracks,
            .oldest_message = distance(&engine, heads.oldest),
            .first_receive = distance(&engine, heads.first),
            .newer = offsetof(unexpected_message, newer),
            .message_envelope = offsetof(unexpected_message, what),
            .message_bytes = offsetof(unexpected_message, bytes),
            .receive_envelope = offsetof(receive_operation, pattern)};
}
#pragma GCC diagnostic pop

} // namespace

void list_for_debuggers(rank &self) {
    // Never removed: what a debugger asks for at the end of a process is above all who has ended.
    auto &made = *new rank_note{};
    made.self = &self;
    made.number = self.number();
    made.thread = static_cast<std::int32_t>(syscall(SYS_gettid));
    if (const fiber_worker *const worker = fiber_worker::current()) {
        const fiber_worker::places_in_memory here = worker->find_running();
        made.fiber = here.fiber;
        made.running = here.running;
        made.registers = here.registers;
    }
    made.engines = self.tracks().engines();
    static std::once_flag once;
    std::call_once(once, [&self] { lisle_host_rank_layout = layout_of(self.engine()); });
    own_note.of(self) = &made;
    made.next = lisle_host_ranks.load(std::memory_order_relaxed);
    while (!lisle_host_ranks.compare_exchange_weak(made.next, &made, std::memory_order_release,
                                                   std::memory_order_relaxed)) {
    }
}

void note_end_for_debuggers(rank &self) noexcept {
    if (rank_note *const note = own_note.of(self)) {
        note->engines = nullptr;
    }
}

} // namespace lisle
