// SPDX-License-Identifier: Apache-2.0
// The handles that a rank's program has been given and has not freed yet, kept if LISLE_CHECK is set: what
// MPI_Finalize then lists. The generated entry points enter them (abi/handle_watch.hpp); the code that frees
// an object knows nothing of this.
#pragma once

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
    /// What it is the handle of ("communicator"), and the call that made it. Both outlive the entry.
    const char *noun = nullptr, *call = nullptr;
    /// Where the program made that call.
    const void *caller = nullptr;
    /// How many handles the rank had been given before.
    std::size_t number = 0;
};

/// See the file's head. Any thread of the rank may use it.
class open_handles {
  public:
    void add(std::uintptr_t value, const char *noun, const char *call, const void *caller);
    /// Forgets the latest handle of this sort and value; nothing if there is none.
    void drop(std::uintptr_t value, const char *noun);
    /// The latest handle of this sort and value, if there is one.
    [[nodiscard]] std::optional<open_handle> find(std::uintptr_t value, const char *noun) const;
    /// All of them, oldest first, which are then forgotten.
    [[nodiscard]] std::vector<open_handle> take_all();

  private:
    using table = std::unordered_multimap<std::uintptr_t, open_handle>;
    [[nodiscard]] table::const_iterator latest_locked(std::uintptr_t value, const char *noun) const;

    mutable std::mutex mutex_; ///< protects the others
    table open_;
    std::size_t given_ = 0;
};

} // namespace lisle
