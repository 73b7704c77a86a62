// SPDX-License-Identifier: Apache-2.0
// What a program's accesses to memory take: each rank has a cache, and what that does not hold comes from
// DRAM by a channel, which serves all its ranks, one after the other. An access takes as long as the channel
// needs for its lines, and at least dram_cycles for each dram_misses lines that are fetched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "execution/memory_times.hpp"
#include "tile/memory/cache.hpp"

namespace lisle::tile {

/// Throws std::invalid_argument with a sentence if the cache is not a number of whole sets.
void check_memory(const parameters &built);

/// Not thread-safe.
class memory {
  public:
    /// @param places by rank: the tile, or the host that several ranks share. @pre check_memory() accepts the
    /// machine
    memory(const parameters &built, const std::vector<int> &places);

    /// What lies on one page of the program's memory lies on one page of the model's, which are given to each
    /// rank in the order of its first accesses: so a program takes as long in every run, wherever the system
    /// puts its memory.
    static constexpr std::size_t page = memory_times::page;

    /// A rank reads bytes on one page, or writes to them. @return the cycles that it waits
    [[nodiscard]] cycle access(int rank, std::uintptr_t from, std::size_t bytes, bool writes, cycle now);

    /// A line for the end of a run of so many cycles; empty: there were no accesses.
    [[nodiscard]] std::string summary(cycle cycles) const;

  private:
    struct core {
        cache held;
        std::unordered_map<std::uintptr_t, std::uint64_t> pages; ///< of the model, by the program's
    };
    struct channel {
        cycle until = 0; ///< it is at work
        cycle worked = 0;
    };
    [[nodiscard]] core &core_of(int rank);

    const parameters &built_;
    std::vector<std::size_t> channel_of_rank_;
    std::vector<std::unique_ptr<core>> cores_; ///< by rank; null before its first access
    std::vector<channel> channels_;
    std::int64_t lines_ = 0, fetched_ = 0, written_back_ = 0;
};

} // namespace lisle::tile
