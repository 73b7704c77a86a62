// SPDX-License-Identifier: Apache-2.0
#include "execution/shared_task.hpp"

#include <algorithm>
#include <array>

#include "execution/rank.hpp"

namespace lisle {

namespace detail {
constinit std::atomic<int> tasks_with_chunks{0};
}

namespace {

struct shared_task {
    const rank *helper; ///< null: any rank of the process
    std::int64_t chunks;
    void (*function)(void *, long);
    void *context;
    bool offered = false;              ///< others can find it; set before they can
    std::atomic<std::int64_t> next{0}; ///< the first chunk that nobody has taken; only counts
    /// Chunks that have run. Release by the thread that ran the chunk, acquire by the owner, which then sees
    /// what the chunk wrote.
    std::atomic<std::int64_t> done{0};

    /// Takes a chunk and runs it; false if none is left.
    bool run_one() {
        const std::int64_t chunk = next.fetch_add(1, std::memory_order_relaxed);
        if (chunk >= chunks) {
            return false;
        }
        if (chunk == chunks - 1 && offered) {
            detail::tasks_with_chunks.fetch_sub(1, std::memory_order_relaxed);
        }
        function(context, static_cast<long>(chunk));
        done.fetch_add(1, std::memory_order_release);
        return true;
    }
};

/// A place where a task can be found. Sequentially consistent: either the helper's announcement comes first
/// and the owner waits for it, or the helper finds no task.
struct alignas(64) slot {
    std::atomic<int> helpers{0};
    std::atomic<shared_task *> task{nullptr};
    std::atomic<bool> taken{false}; ///< acquire, release: by its owners in turn
};

// Tasks that find no place are done by their owner alone.
constinit std::array<slot, 16> slots;

slot *claim_slot() {
    for (slot &place : slots) {
        if (!place.taken.load(std::memory_order_relaxed) &&
            !place.taken.exchange(true, std::memory_order_acquire)) {
            return &place;
        }
    }
    return nullptr;
}

void (*before_any_is_shared)() = [] {}; // written before ranks run

// A sleeping rank costs a wake-up; more helpers than cores are of no use.
constexpr int most_called = 64;

void call_all(const doorbell_row &helpers) {
    const int step = std::max(1, helpers.size() / most_called);
    for (int index = 0; index < helpers.size(); index += step) {
        helpers[index].ring();
    }
}

/// Runs all chunks; `call` wakes the possible helpers.
template <class Call> void share(shared_task &task, Call call, void (*wait)()) {
    slot *const mine = task.chunks > 1 ? claim_slot() : nullptr;
    if (mine != nullptr) {
        task.offered = true;
        detail::tasks_with_chunks.fetch_add(1, std::memory_order_relaxed);
        mine->task.store(&task, std::memory_order_seq_cst);
        call();
    }
    while (task.run_one()) {
    }
    while (task.done.load(std::memory_order_acquire) != task.chunks) {
        wait();
    }
    if (mine != nullptr) {
        mine->task.store(nullptr, std::memory_order_seq_cst);
        while (mine->helpers.load(std::memory_order_seq_cst) != 0) {
            wait();
        }
        mine->taken.store(false, std::memory_order_release);
    }
}

} // namespace

void before_sharing(void (*called)()) noexcept {
    before_any_is_shared = called;
}

bool help_once(const rank &helper) {
    if (!help_wanted()) {
        return false;
    }
    for (slot &place : slots) {
        if (place.task.load(std::memory_order_relaxed) == nullptr) {
            continue;
        }
        place.helpers.fetch_add(1, std::memory_order_seq_cst);
        shared_task *const task = place.task.load(std::memory_order_seq_cst);
        const bool helped =
            task != nullptr && (task->helper == nullptr || task->helper == &helper) && task->run_one();
        place.helpers.fetch_sub(1, std::memory_order_seq_cst);
        if (helped) {
            return true;
        }
    }
    return false;
}

void share_task(const rank &helper, std::int64_t chunks, void (*function)(void *, long), void *context,
                void (*wait)()) {
    shared_task task{.helper = &helper, .chunks = chunks, .function = function, .context = context};
    share(
        task, [&helper] { helper.bell().ring(); }, wait);
}

void share_task(const doorbell_row &helpers, std::int64_t chunks, void (*function)(void *, long),
                void *context, void (*wait)()) {
    before_any_is_shared();
    shared_task task{.helper = nullptr, .chunks = chunks, .function = function, .context = context};
    share(
        task, [&helpers] { call_all(helpers); }, wait);
}

} // namespace lisle
