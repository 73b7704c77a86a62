// SPDX-License-Identifier: Apache-2.0
// Claims without a locked instruction. A thread that has sent many packets to a mailbox in a row leases its
// claims: as long as a bit of the word `claimed` says so, that thread alone changes the word, by plain loads
// and stores. Anyone else who wants to change it (another sender, or the receiver that is about to sleep)
// recalls the lease first, at the price of a remote barrier.
//
// States of `tenant_`: none -> about to hold -> held -> recalled -> none. The bit is set in the second and is
// cleared before the last step; so it is only ever set while there is a tenant. See
// mpi/docs/design/mailbox.md.
#pragma once

#include <atomic>
#include <cstdint>

#include "execution/remote_barrier.hpp"

namespace lisle::fabric {

/// Which process a sender belongs to, and whether the processes that share the mailbox may lease claims: if
/// all of them, `everyone`, expect remote barriers.
struct lease_terms {
    std::uint64_t process = first_process;                ///< see of_process()
    const std::atomic<std::int32_t> *expecting = nullptr; ///< null: nobody may. Relaxed: only ever grows.
    std::int32_t everyone = 0;

    static constexpr std::uint64_t first_process = std::uint64_t{1} << 32;
    [[nodiscard]] static constexpr std::uint64_t of_process(int index) noexcept {
        return first_process * (static_cast<std::uint64_t>(index) + 1);
    }
    [[nodiscard]] bool fulfilled() const noexcept {
        return expecting != nullptr && expecting->load(std::memory_order_relaxed) == everyone;
    }
};

namespace detail {
/// The calling thread's number in its process times claim_lease::places; 0: it has never asked for a lease.
extern constinit thread_local std::uint32_t leasing_thread [[gnu::tls_model("initial-exec")]];
} // namespace detail

/// Lies beside the word `claimed`, which only the tenant's core has, in shared memory. Never constructed:
/// zeroes are no lease. Any thread of any process may call anything here.
class claim_lease {
  public:
    /// In `claimed`: the word is leased.
    static constexpr std::uint64_t bit = 2;
    /// How many threads can ever be tenants of a mailbox. Each has a place of its own for good: a former
    /// tenant may be late in `changing_`, and must not speak for the present one.
    static constexpr std::uint32_t places = 4;

    /// Stores `next` if the calling thread holds the lease. False: recall it.
    [[nodiscard, gnu::always_inline]] bool claim(std::atomic<std::uint64_t> &claimed, std::uint64_t next,
                                                 const lease_terms &terms) noexcept {
        const std::uint64_t tenant = tenant_.load(std::memory_order_relaxed);
        const std::uint64_t place = tenant ^ caller(terms);
        if (place >= places) {
            return false;
        }
        // Either the sender that recalls the lease sees that we are at it and waits, or we see here that
        // it is recalled.
        changing_[place].store(1, std::memory_order_relaxed);
        meet_remote_barriers();
        const bool mine = tenant_.load(std::memory_order_relaxed) == tenant;
        if (mine) [[likely]] {
            claimed.store(next, std::memory_order_release); // ordered as the compare-and-swap of others
        }
        // Release: pairs with the acquire load in recall(), which then sees the word.
        changing_[place].store(0, std::memory_order_release);
        return mine;
    }

    /// To be called now and then by who has just claimed without a lease: takes it if the last times it was
    /// the same thread.
    void consider(std::atomic<std::uint64_t> &claimed, const lease_terms &terms) noexcept;

    /// Ends the lease, or waits while somebody else does. Afterwards look at `claimed` again.
    /// @param for_good the caller is going to claim, too: the next lease takes longer to get
    void recall(std::atomic<std::uint64_t> &claimed, bool for_good) noexcept;

  private:
    // Values of tenant_ that are no thread and its place.
    static constexpr std::uint64_t none = 0;
    static constexpr std::uint64_t about_to_hold = ~std::uint64_t{1};
    static constexpr std::uint64_t recalled = ~std::uint64_t{0};

    /// Never 0, and its last bits free for a place.
    [[nodiscard, gnu::always_inline]] static std::uint64_t caller(const lease_terms &terms) noexcept {
        return terms.process + detail::leasing_thread;
    }
    /// The caller's place, if there is one for it.
    [[nodiscard]] std::uint32_t find_place(std::uint64_t me) noexcept;

    std::atomic<std::uint64_t> tenant_;
    std::atomic<std::uint64_t> owners_[places]; ///< of the places; relaxed: never changes once it is set
    // Relaxed, as hints: which thread was the last to consider (in short), how often in a row, and how much
    // more it takes after recalls.
    std::atomic<std::uint32_t> candidate_;
    std::atomic<std::uint32_t> in_a_row_;
    std::atomic<std::uint8_t> recalls_;
    std::atomic<std::uint8_t> changing_[places]; ///< each written by the thread whose place it is
};

} // namespace lisle::fabric
