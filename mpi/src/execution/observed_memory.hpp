// SPDX-License-Identifier: Apache-2.0
// Memory whose loads and stores by the rank's program the library wants to hear of, if the program was built
// with `mpicc --check` and everything is looked for (LISLE_CHECK=2).
#pragma once

#include <atomic>
#include <mutex>
#include <span>

#include "base/access_filter.hpp"
#include "base/range_cover.hpp"
#include "execution/rank_local.hpp"

namespace lisle {

/// Of one rank. Thread-safe.
class observed_memory {
  public:
    observed_memory();
    ~observed_memory();
    observed_memory(const observed_memory &) = delete;
    observed_memory &operator=(const observed_memory &) = delete;

    /// False: no part of the program tells of accesses, and nothing need be added.
    [[nodiscard]] bool told() const noexcept { return told_.load(std::memory_order_relaxed); }
    /// From now on accesses to these are told. Ranges may overlap; each is to be removed as it was added.
    void add(std::span<const access_filter::range> ranges);
    void remove(std::span<const access_filter::range> ranges);

    /// The parts of the program that have none yet tell of their accesses from now on.
    void listen();
    /// The rank whose filter it is.
    [[nodiscard]] static rank &owner_of(const access_filter &filter) noexcept;

  private:
    void publish_locked();

    struct owned_filter : access_filter {
        rank *owner = nullptr;
    };
    owned_filter filter_;
    std::atomic<bool> told_{false}; ///< relaxed: set while the program enters MPI or loads a library
    std::mutex mutex_;              ///< protects ranges_
    range_cover ranges_;
};

inline const rank_local<observed_memory> observed;

} // namespace lisle
