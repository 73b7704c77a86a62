// SPDX-License-Identifier: Apache-2.0
#include "replay/player/memory.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <sys/mman.h>

#include "replay/trace/bytes.hpp"

namespace lisle::replay {

namespace {

constexpr std::int64_t most_bytes = std::int64_t{1} << 40;

[[noreturn]] void refuse() {
    throw trace_error{"a buffer is longer than " + std::to_string(most_bytes) +
                      " bytes, the most that a replay has memory for"};
}

std::int64_t product(std::int64_t first, std::int64_t second) {
    std::int64_t result = 0;
    if (__builtin_mul_overflow(first, second, &result)) {
        refuse();
    }
    return result;
}

std::int64_t sum(std::int64_t first, std::int64_t second) {
    std::int64_t result = 0;
    if (__builtin_add_overflow(first, second, &result)) {
        refuse();
    }
    return result;
}

std::int64_t extent_of(MPI_Datatype type) {
    MPI_Count begin = 0, extent = 0;
    PMPI_Type_get_extent_c(type, &begin, &extent);
    return extent;
}

data_range joined(data_range first, data_range second) {
    if (first.begin == first.end) {
        return second;
    }
    return second.begin == second.end
               ? first
               : data_range{std::min(first.begin, second.begin), std::max(first.end, second.end)};
}

data_range moved(data_range data, std::int64_t by) {
    return {sum(data.begin, by), sum(data.end, by)};
}

} // namespace

data_range data_of(MPI_Count count, MPI_Datatype type, MPI_Count blocks) {
    if (count <= 0 || blocks <= 0 || type == MPI_DATATYPE_NULL) {
        return {};
    }
    MPI_Count begin = 0, bytes = 0;
    PMPI_Type_get_true_extent_c(type, &begin, &bytes);
    const std::int64_t last = product(product(count, blocks) - 1, extent_of(type));
    return {sum(begin, std::min<std::int64_t>(last, 0)),
            sum(sum(begin, bytes), std::max<std::int64_t>(last, 0))};
}

MPI_Count bytes_of(MPI_Count place, MPI_Datatype type) {
    return type == MPI_DATATYPE_NULL ? 0 : product(place, extent_of(type));
}

data_range data_of(std::span<const block_of_data> blocks) {
    data_range all;
    for (const block_of_data &each : blocks) {
        all = joined(all, moved(data_of(each.count, each.type), each.begin));
    }
    return all;
}

char *reserve(std::int64_t bytes) {
    if (bytes < 0 || bytes > most_bytes) {
        refuse();
    }
    void *const made = mmap(nullptr, static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1)),
                            PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (made == MAP_FAILED) {
        throw trace_error{"there are no " + std::to_string(bytes) +
                          " bytes of memory for a buffer: " + std::strerror(errno)};
    }
    return static_cast<char *>(made);
}

void *shared_memory_area::at(data_range data) {
    constexpr std::int64_t least = std::int64_t{1} << 16;
    std::int64_t bytes = 0;
    if (__builtin_sub_overflow(data.end, data.begin, &bytes)) {
        refuse();
    }
    if (bytes > bytes_ || begin_ == nullptr) {
        // What calls under way use stays.
        const std::int64_t longer = std::max({bytes, 2 * bytes_, least});
        begin_ = reserve(longer > most_bytes ? bytes : longer);
        bytes_ = longer > most_bytes ? bytes : longer;
    }
    // As a number: the buffer's address may lie outside of the memory, its data do not.
    return reinterpret_cast<void *>(reinterpret_cast<std::uintptr_t>(begin_) -
                                    static_cast<std::uintptr_t>(data.begin));
}

} // namespace lisle::replay
