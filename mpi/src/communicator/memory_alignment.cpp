// SPDX-License-Identifier: Apache-2.0
#include "communicator/memory_alignment.hpp"

#include <algorithm>
#include <bit>
#include <charconv>

#include "base/error.hpp"
#include "communicator/info.hpp"

namespace lisle {

namespace {
constexpr std::size_t cache_line = 64;
constexpr std::size_t page = 4096;
} // namespace

std::size_t memory_alignment(const info *hints) {
    const auto wish = hints != nullptr ? hints->get("mpi_minimum_memory_alignment") : std::nullopt;
    if (!wish) {
        return cache_line;
    }
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(wish->data(), wish->data() + wish->size(), value);
    if (error != std::errc{} || end != wish->data() + wish->size() || !std::has_single_bit(value) ||
        value > page) {
        fail(MPI_ERR_INFO_VALUE, "mpi_minimum_memory_alignment is \"", *wish,
             "\"; it must be a power of two up to ", page);
    }
    return std::max(value, cache_line);
}

} // namespace lisle
