// SPDX-License-Identifier: Apache-2.0
// Containers in memory from MPI [MPI-5.0 9.2], which Lisle's processes reach by address: a message from there
// is copied once, without the kernel. Threads reach all memory of each other in this way.
#pragma once

#include <cstddef>
#include <limits>
#include <new>
#include <vector>

#include "lisle/detail/attempt.hpp"

namespace lisle {

/// An allocator whose memory comes from MPI_Alloc_mem. Its containers live between the beginning and the end
/// of MPI. Thread-safe if MPI is.
///
///     lisle::open_vector<double> field(1 << 20);
///     world.send(field, next);
template <class T> class allocator {
    static_assert(alignof(T) <= alignof(std::max_align_t),
                  "lisle::allocator: MPI aligns for ordinary types only");

  public:
    using value_type = T;

    allocator() = default;
    template <class Other> allocator(const allocator<Other> &) noexcept {}

    /// Throws std::bad_alloc if there is no room.
    [[nodiscard]] T *allocate(std::size_t count) {
        constexpr auto most = static_cast<std::size_t>(std::numeric_limits<MPI_Aint>::max());
        void *memory = nullptr;
        if (count > most / sizeof(T) || MPI_Alloc_mem(static_cast<MPI_Aint>(count * sizeof(T)), MPI_INFO_NULL,
                                                      static_cast<void *>(&memory)) != MPI_SUCCESS)
            detail::out_of_memory();
        return static_cast<T *>(memory);
    }
    /// Gives memory of allocate() back: MPI_Free_mem.
    void deallocate(T *memory, std::size_t) noexcept { MPI_Free_mem(memory); }

    friend bool operator==(const allocator &, const allocator &) noexcept { return true; }
};

/// A vector in memory from MPI, for data that is sent again and again.
template <class T> using open_vector = std::vector<T, allocator<T>>;

} // namespace lisle
