// SPDX-License-Identifier: Apache-2.0
#include "world/launched_bootstrap.hpp"

#include <chrono>
#include <cstring>
#include <optional>
#include <thread>
#include <unistd.h>
#include <utility>

#include "base/error.hpp"
#include "mpi.h"

namespace lisle {

namespace {

// What a process puts is a row of notices: this, the key, the value.
struct notice {
    std::uint32_t key_bytes;
    std::uint32_t value_bytes;
};

/// The value under a key among the notices in `row`; nothing if there is none or the row is damaged.
std::optional<std::span<const std::byte>> find(std::span<const std::byte> row, std::string_view key) {
    while (row.size() >= sizeof(notice)) {
        notice head{};
        std::memcpy(&head, row.data(), sizeof head);
        row = row.subspan(sizeof head);
        if (head.key_bytes > row.size() || head.value_bytes > row.size() - head.key_bytes) {
            return std::nullopt;
        }
        const auto value = row.subspan(head.key_bytes, head.value_bytes);
        if (std::string_view{reinterpret_cast<const char *>(row.data()), head.key_bytes} == key) {
            return value;
        }
        row = row.subspan(head.key_bytes + head.value_bytes);
    }
    return std::nullopt;
}

} // namespace

launched_bootstrap::launched_bootstrap(job_table table, int process)
    : table_{std::move(table)}, process_{process}, places_{table_.shape()} {
    static_cast<void>(table_.claim(process));
}

void launched_bootstrap::put(std::string_view key, std::span<const std::byte> value) {
    const std::scoped_lock guard{putting_};
    const auto [used, room] = table_.notices_of(process_);
    const std::size_t before = used.load(std::memory_order_relaxed);
    if (find(room.first(before), key)) {
        fail(MPI_ERR_ARG, "the key \"", key, "\" has been put already");
    }
    const std::size_t need = sizeof(notice) + key.size() + value.size();
    if (need > room.size() - before) {
        fail(MPI_ERR_NO_MEM, "the value of ", value.size(), " bytes under the key \"", key, "\" needs ", need,
             " bytes of the job's table, where process ", process_, " has ", room.size() - before,
             " left of ", room.size());
    }
    const notice head{static_cast<std::uint32_t>(key.size()), static_cast<std::uint32_t>(value.size())};
    std::byte *place = room.data() + before;
    std::memcpy(place, &head, sizeof head);
    std::memcpy(place + sizeof head, key.data(), key.size());
    if (!value.empty()) {
        std::memcpy(place + sizeof head + key.size(), value.data(), value.size());
    }
    // Release: pairs with value_put_by().
    used.store(static_cast<std::uint32_t>(before + need), std::memory_order_release);
}

std::vector<std::byte> launched_bootstrap::get(int process, std::string_view key) {
    if (process >= 0 && process < table_.processes()) {
        if (auto value = value_put_by(table_, process, key)) {
            return std::move(*value);
        }
    }
    fail(MPI_ERR_OTHER, "process ", process, " of ", table_.processes(), " has put nothing under the key \"",
         key, "\"");
}

void launched_bootstrap::abort(int rank, int code, abort_cause cause) noexcept {
    table_.record_abort(rank, code, cause);
    if (auto &gate = table_.fence_gate(); gate.relayed != 0) {
        // The launcher stops the ranks of other hosts. If they saw this process end first, they would speak
        // of a failure.
        constexpr std::chrono::seconds for_the_launcher{1};
        gate.gathered.ring();
        std::this_thread::sleep_for(for_the_launcher);
    }
}

void launched_bootstrap::fence() {
    auto &gate = table_.fence_gate();
    const std::uint32_t seen = gate.opened.value(); // cannot change before this process has arrived
    const bool last = gate.arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == gate.expected;
    if (last && gate.relayed == 0) {
        gate.arrived.store(0, std::memory_order_relaxed); // no process arrives again before the ring
        gate.opened.ring();
        return;
    }
    if (last) {
        gate.gathered.ring();
    }
    while (gate.opened.value() == seen) {
        gate.opened.sleep(seen);
    }
}

std::optional<std::vector<std::byte>> value_put_by(const job_table &table, int process,
                                                   std::string_view key) {
    const auto [used, room] = table.notices_of(process);
    const std::size_t bytes = used.load(std::memory_order_acquire);
    const auto value = find(room.first(std::min(bytes, room.size())), key);
    return value ? std::optional{std::vector(value->begin(), value->end())} : std::nullopt;
}

} // namespace lisle
