// SPDX-License-Identifier: Apache-2.0
#include "tile/memory/memory.hpp"

#include <algorithm>
#include <cstdio>
#include <stdexcept>

namespace lisle::tile {

void check_memory(const parameters &built) {
    const std::int64_t set = built.cache_line * built.cache_ways;
    if (static_cast<std::int64_t>(memory::page) % built.cache_line != 0) {
        throw std::invalid_argument("cache_line = " + std::to_string(built.cache_line) +
                                    " is not a power of two up to " + std::to_string(memory::page));
    }
    if (built.cache_bytes % set != 0) {
        throw std::invalid_argument("cache_bytes = " + std::to_string(built.cache_bytes) +
                                    " is not a multiple of cache_line * cache_ways = " + std::to_string(set));
    }
}

// Tiles take the channels in turn. A host has channels of its own, which its ranks take in turn.
memory::memory(const parameters &built, const std::vector<int> &places)
    : built_{built}, channel_of_rank_(places.size()), cores_(places.size()) {
    const auto channels = static_cast<std::size_t>(built.dram_channels);
    std::vector<std::size_t> ranks_at(static_cast<std::size_t>(built.tiles()));
    for (std::size_t rank = 0; rank < places.size(); ++rank) {
        const auto place = static_cast<std::size_t>(places[rank]);
        channel_of_rank_[rank] =
            built.flows() ? place * channels + ranks_at[place]++ % channels : place % channels;
    }
    channels_.resize(1 + *std::max_element(channel_of_rank_.begin(), channel_of_rank_.end()));
}

memory::core &memory::core_of(int rank) {
    std::unique_ptr<core> &own = cores_[static_cast<std::size_t>(rank)];
    if (own == nullptr) {
        own = std::make_unique<core>(core{cache{built_}, {}});
    }
    return *own;
}

cycle memory::access(int rank, std::uintptr_t from, std::size_t bytes, bool writes, cycle now) {
    if (bytes == 0) {
        return 0;
    }
    core &own = core_of(rank);
    const std::uint64_t own_page = own.pages.try_emplace(from / page, own.pages.size()).first->second;
    const auto line_bytes = static_cast<std::size_t>(built_.cache_line);
    const std::uint64_t first_of_page = own_page * (page / line_bytes);
    const std::size_t first = from % page / line_bytes;
    const std::size_t last = (from % page + bytes - 1) / line_bytes;
    std::int64_t fetched = 0;
    std::int64_t written_back = 0;
    for (std::size_t line = first; line <= last; ++line) {
        const cache::effect done = own.held.access(first_of_page + line, writes);
        fetched += done.fetches ? 1 : 0;
        written_back += done.writes_back ? 1 : 0;
    }
    lines_ += static_cast<std::int64_t>(last - first) + 1;
    fetched_ += fetched;
    written_back_ += written_back;
    if (fetched + written_back == 0) {
        return 0;
    }
    channel &used = channels_[channel_of_rank_[static_cast<std::size_t>(rank)]];
    const cycle moving = (fetched + written_back) * built_.dram_line_cycles;
    used.until = std::max(used.until, now) + moving;
    used.worked += moving;
    const cycle latency = (fetched + built_.dram_misses - 1) / built_.dram_misses * built_.dram_cycles;
    return std::max(used.until - now, latency);
}

std::string memory::summary(cycle cycles) const {
    if (lines_ == 0) {
        return {};
    }
    const auto busiest = std::ranges::max_element(channels_, {}, &channel::worked);
    char text[200];
    std::snprintf(
        text, sizeof text,
        "tiles: memory: %lld lines used, %.1f%% of them fetched, %lld written back; the busiest channel "
        "worked in %.1f%% of the cycles\n",
        static_cast<long long>(lines_), 100 * static_cast<double>(fetched_) / static_cast<double>(lines_),
        static_cast<long long>(written_back_),
        100 * static_cast<double>(busiest->worked) / static_cast<double>(std::max<cycle>(1, cycles)));
    return text;
}

} // namespace lisle::tile
