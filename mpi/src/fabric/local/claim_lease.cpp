// SPDX-License-Identifier: Apache-2.0
#include "fabric/local/claim_lease.hpp"

#include "base/spin_lock.hpp"

namespace lisle::fabric {

namespace detail {
constinit thread_local std::uint32_t leasing_thread [[gnu::tls_model("initial-exec")]] = 0;
} // namespace detail

namespace {

// How often in a row a thread must be the one that considers; and the most that recalls make of it, so that
// senders which take turns pay for a lease once in a million packets.
constexpr std::uint32_t times_at_first = 2;
constexpr unsigned most_doublings = 13;

void number_thread() noexcept {
    static std::atomic<std::uint32_t> next{0}; // only a counter: orders nothing
    if (detail::leasing_thread == 0) {
        detail::leasing_thread = (next.fetch_add(1, std::memory_order_relaxed) + 1) * claim_lease::places;
    }
}

} // namespace

std::uint32_t claim_lease::find_place(std::uint64_t me) noexcept {
    for (std::uint32_t place = 0; place < places; ++place) {
        std::uint64_t owner = 0;
        if (owners_[place].compare_exchange_strong(owner, me, std::memory_order_relaxed) || owner == me) {
            return place;
        }
    }
    return places;
}

void claim_lease::consider(std::atomic<std::uint64_t> &claimed, const lease_terms &terms) noexcept {
    number_thread();
    const std::uint64_t me = caller(terms);
    const auto in_short = static_cast<std::uint32_t>(me ^ me >> 32);
    if (candidate_.load(std::memory_order_relaxed) != in_short) {
        candidate_.store(in_short, std::memory_order_relaxed);
        in_a_row_.store(0, std::memory_order_relaxed);
        return;
    }
    const std::uint32_t times = in_a_row_.load(std::memory_order_relaxed) + 1;
    in_a_row_.store(times, std::memory_order_relaxed);
    if (times < times_at_first << recalls_.load(std::memory_order_relaxed) || !terms.fulfilled()) {
        return;
    }
    const std::uint32_t place = find_place(me);
    std::uint64_t tenant = none;
    if (place == places || !tenant_.compare_exchange_strong(tenant, about_to_hold, std::memory_order_acquire,
                                                            std::memory_order_relaxed)) {
        return;
    }
    // All others change the word by compare-and-swap: where one of them comes between, its fails or ours.
    std::uint64_t seen = claimed.load(std::memory_order_relaxed);
    const bool taken =
        (seen & bit) == 0 && claimed.compare_exchange_strong(seen, seen | bit, std::memory_order_acq_rel,
                                                             std::memory_order_relaxed);
    // Release: a sender that reads the new state and then changes the word finds it as it was left here.
    tenant_.store(taken ? me + place : none, std::memory_order_release);
}

void claim_lease::recall(std::atomic<std::uint64_t> &claimed, bool for_good) noexcept {
    std::uint64_t tenant = tenant_.load(std::memory_order_acquire);
    if (tenant == none) {
        return;
    }
    if (tenant == recalled || tenant == about_to_hold) {
        wait_while([&] { return tenant_.load(std::memory_order_acquire) == tenant; });
        return;
    }
    if (!tenant_.compare_exchange_strong(tenant, recalled, std::memory_order_acq_rel,
                                         std::memory_order_relaxed)) {
        return;
    }
    remote_barrier(); // pairs with meet_remote_barriers() in claim()
    wait_while([&] { return changing_[tenant % places].load(std::memory_order_acquire) != 0; });
    claimed.fetch_and(~bit, std::memory_order_acq_rel);
    in_a_row_.store(0, std::memory_order_relaxed);
    if (const auto before = recalls_.load(std::memory_order_relaxed); for_good && before < most_doublings) {
        recalls_.store(static_cast<std::uint8_t>(before + 1), std::memory_order_relaxed);
    }
    tenant_.store(none, std::memory_order_release);
}

} // namespace lisle::fabric
