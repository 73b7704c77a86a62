// SPDX-License-Identifier: Apache-2.0
// Where the behaviour tests have their buffers: in the program's own memory, or with CHECK_MEMORY=mpi in what
// MPI_Alloc_mem gives, which other processes may reach.
#pragma once

#include "check.hpp"

#include <array>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <vector>

/// An allocator for containers that live between MPI_Init and MPI_Finalize.
template <class T> class test_memory {
  public:
    using value_type = T;
    test_memory() = default;
    template <class Other> test_memory(const test_memory<Other> &) noexcept {}

    T *allocate(std::size_t count) {
        if (!from_mpi())
            return static_cast<T *>(::operator new(count * sizeof(T)));
        void *memory = nullptr;
        CHECK_MPI(MPI_Alloc_mem(static_cast<MPI_Aint>(count * sizeof(T)), MPI_INFO_NULL, &memory));
        return static_cast<T *>(memory);
    }
    void deallocate(T *memory, std::size_t) noexcept {
        if (from_mpi())
            MPI_Free_mem(memory);
        else
            ::operator delete(memory);
    }
    friend bool operator==(const test_memory &, const test_memory &) noexcept { return true; }

  private:
    static bool from_mpi() {
        static const bool said = [] {
            const char *const set = std::getenv("CHECK_MEMORY");
            return set != nullptr && std::string{set} == "mpi";
        }();
        return said;
    }
};

/// A vector that is sent and received.
template <class T> using buffer_of = std::vector<T, test_memory<T>>;

/// So many bytes that all have one value at first. A vector of bytes sets one after the other, which takes
/// longer than what most tests do with them.
class equal_bytes {
  public:
    equal_bytes() = default;
    equal_bytes(std::size_t bytes, std::byte value)
        : units_((bytes + sizeof(unit) - 1) / sizeof(unit)), size_{bytes} {
        if (!units_.empty())
            std::memset(data(), static_cast<int>(value), units_.size() * sizeof(unit));
    }
    [[nodiscard]] std::byte *data() noexcept { return units_.empty() ? nullptr : units_.front().data(); }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }

  private:
    using unit = std::array<std::byte, 64>;
    buffer_of<unit> units_;
    std::size_t size_ = 0;
};
