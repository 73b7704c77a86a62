// SPDX-License-Identifier: Apache-2.0
// The memory that a rank has attached to a dynamic window [MPI-5.0 12.2.4].
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

#include "rma/state/attached_table.hpp"

namespace lisle::rma {

/// Thread-safe: threads of the process that reach the memory ask, too.
class attached_memory {
  public:
    /// Throws MPI_ERR_RMA_ATTACH if the memory overlaps with memory that is attached.
    void add(const void *base, std::size_t bytes);
    /// Throws MPI_ERR_RMA_ATTACH unless memory that begins there is attached.
    void remove(const void *base);
    /// True if all of the bytes are attached.
    [[nodiscard]] bool holds(std::uint64_t address, std::size_t bytes) const;

    /// Has `table` say what is attached from now on; it outlives this.
    void publish_in(attached_table &table) noexcept { table_ = &table; }

  private:
    void publish_locked() const;

    mutable std::mutex mutex_;                     ///< protects regions_
    std::map<std::uint64_t, std::size_t> regions_; ///< address: bytes
    attached_table *table_ = nullptr;
};

} // namespace lisle::rma
