// SPDX-License-Identifier: Apache-2.0
// The handles that a rank's program has been given and has not freed yet. Kept if LISLE_CHECK is set, and
// listed by MPI_Finalize. The generated entry points enter them (abi/handle_watch.hpp); the code that frees
// an object knows nothing of this.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

namespace lisle {

/// One handle. Several may have one value: handles of one group, or of sends that were complete at once.
struct open_handle {
    std::uintptr_t value = 0;
    /// The kind of the object ("communicator"), and the call that made it. Both outlive the entry.
    const char *noun = nullptr, *call = nullptr;
    /// Where the program made that call.
    const void *caller = nullptr;
    /// Where the function was called that made it, if both are of one file: it may be one of Lisle's Fortran
    /// procedures, which are linked into the program. Null: not known.
    const void *outer = nullptr;
    /// The place in words, if it is known so; of static duration. Else null.
    const char *words = nullptr;
    /// How many handles the rank had been given before.
    std::size_t number = 0;
};

/// See the file's head. Any thread of the rank may use it.
class open_handles {
  public:
    /// @param all_requests whether those of single messages are listed, too, and not only counted
    explicit open_handles(bool all_requests) noexcept : lists_all_requests_{all_requests} {}
    [[nodiscard]] bool lists_all_requests() const noexcept { return lists_all_requests_; }

    /// Adds a handle, and gives it its number.
    void add(open_handle given);
    /// Forgets the latest handle of this kind and value. False: there is none.
    bool drop(std::uintptr_t value, const char *noun);
    /// The latest handle of this kind and value, if there is one.
    [[nodiscard]] std::optional<open_handle> find(std::uintptr_t value, const char *noun) const;
    /// Notes that the program has so many more requests, or fewer, that are not listed one by one.
    /// @param alone no other thread of the rank does so at the same time
    [[gnu::always_inline]] void count_requests(std::int64_t change, bool alone) noexcept {
        // Relaxed: a number that orders nothing.
        if (alone) {
            counted_requests_.store(counted_requests() + change, std::memory_order_relaxed);
        } else {
            counted_requests_.fetch_add(change, std::memory_order_relaxed);
        }
    }
    [[nodiscard]] std::int64_t counted_requests() const noexcept {
        return counted_requests_.load(std::memory_order_relaxed);
    }
    /// All of them, oldest first, which are then forgotten.
    [[nodiscard]] std::vector<open_handle> take_all();

  private:
    using table = std::unordered_multimap<std::uintptr_t, open_handle>;
    [[nodiscard]] table::const_iterator latest_locked(std::uintptr_t value, const char *noun) const;

    const bool lists_all_requests_;
    mutable std::mutex mutex_; ///< protects the next two
    table open_;
    std::size_t given_ = 0;
    std::atomic<std::int64_t> counted_requests_{0};
};

} // namespace lisle
