// SPDX-License-Identifier: Apache-2.0
#include "tool/event.hpp"

#include <chrono>
#include <cstddef>
#include <utility>

#include "communicator/communicator.hpp"

namespace lisle::tool {

namespace {

constexpr event_type types[] = {
    {"lisle_communicator_begins", communicator_event::begins, "the rank has got a communicator"},
    {"lisle_communicator_ends", communicator_event::ends,
     "a communicator is freed and nothing uses it any more"},
};

const event_element elements[] = {
    {"context", MPI_INT64_T, offsetof(communicator_facts, context)},
    {"size", MPI_INT, offsetof(communicator_facts, size)},
    {"rank", MPI_INT, offsetof(communicator_facts, rank)},
};

/// Runs the callbacks of the calling rank. They run inside a call of MPI: of those whose safety allows that,
/// each registration's least demanding one.
void raise(communicator_event what, const communicator &which) {
    event_instance instance{{static_cast<std::int64_t>(which.context()), which.size(), which.rank()},
                            event_time()};
    constexpr std::size_t least = 1; // MPI_T_CB_REQUIRE_MPI_RESTRICTED
    struct pending {
        event_registration *registration;
        std::size_t level;
        event_registration::callback callback;
    };
    std::vector<pending> calls;
    event_registrations->each([&](event_registration &registration) {
        if (types[registration.type].kind != what) {
            return;
        }
        for (std::size_t level = least; level < std::size(safety_levels); ++level) {
            if (registration.callbacks[level].function != nullptr) {
                calls.push_back({&registration, level, registration.callbacks[level]});
                return;
            }
        }
    });
    for (const pending &call : calls) {
        call.callback.function(reinterpret_cast<MPI_T_event_instance>(&instance),
                               reinterpret_cast<MPI_T_event_registration>(call.registration),
                               safety_levels[call.level], call.callback.user_data);
    }
}

} // namespace

std::span<const event_type> event_types() {
    return types;
}

std::span<const event_element> event_elements() {
    return elements;
}

std::size_t place_of(MPI_T_cb_safety level) {
    const auto found = std::find(std::begin(safety_levels), std::end(safety_levels), level);
    if (found == std::end(safety_levels)) {
        fail(MPI_T_ERR_INVALID, "cb_safety is ", static_cast<int>(level),
             ", which is none of MPI_T_CB_REQUIRE_*");
    }
    return static_cast<std::size_t>(found - std::begin(safety_levels));
}

MPI_Count event_time() noexcept {
    return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds{1};
}

void watch_communicators() noexcept {
    observe_communicators.store(raise, std::memory_order_release);
}

} // namespace lisle::tool
