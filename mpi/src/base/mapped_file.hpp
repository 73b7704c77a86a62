// SPDX-License-Identifier: Apache-2.0
// A mapping of a part of a file that has no name, or of memory that is the process's own.
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>

namespace lisle {

/// Rounds up to a multiple of `to`.
[[nodiscard]] constexpr std::size_t align_up(std::size_t value, std::size_t to) noexcept {
    return (value + to - 1) / to * to;
}

/// Where mappings, and parts of files that are mapped, may begin: at a multiple of this.
inline constexpr std::size_t page_bytes = 4096;

/// Owns the mapping and, unless it is the process's own memory, the descriptor.
class mapped_file {
  public:
    /// A new file, which others can map by its descriptor. Throws mpi_error (MPI_ERR_NO_MEM).
    [[nodiscard]] static int make(const char *name);
    /// Makes the file longer, which takes no memory. False: the limit on the size of files forbids it.
    [[nodiscard]] static bool lengthen(int descriptor, std::size_t bytes) noexcept;
    /// Makes the file long enough for this part, really reserves its memory and maps it.
    /// Throws mpi_error (MPI_ERR_NO_MEM) and closes the descriptor if there is no room.
    /// @param offset of the part in the file, a multiple of page_bytes @param what the memory is for, as in
    /// "a job of 4 ranks"
    [[nodiscard]] static mapped_file reserve(int descriptor, std::size_t offset, std::size_t bytes,
                                             std::string_view what);
    /// Zeroed memory of this process alone. Throws mpi_error (MPI_ERR_NO_MEM).
    [[nodiscard]] static mapped_file private_memory(std::size_t bytes, std::string_view what);
    /// Maps a part of a file that is there. Throws mpi_error (MPI_ERR_NO_MEM).
    [[nodiscard]] static mapped_file of(int descriptor, std::size_t offset, std::size_t bytes,
                                        std::string_view what);

    mapped_file(mapped_file &&other) noexcept
        : descriptor_{std::exchange(other.descriptor_, -1)}, base_{std::exchange(other.base_, nullptr)},
          bytes_{std::exchange(other.bytes_, 0)} {}
    mapped_file &operator=(mapped_file &&other) noexcept {
        std::swap(descriptor_, other.descriptor_);
        std::swap(base_, other.base_);
        std::swap(bytes_, other.bytes_);
        return *this;
    }
    ~mapped_file();

    /// -1 for private memory, and after give_descriptor().
    [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
    /// Leaves the descriptor to the caller, who closes it; the mapping stays.
    [[nodiscard]] int give_descriptor() noexcept { return std::exchange(descriptor_, -1); }
    [[nodiscard]] std::byte *base() const noexcept { return base_; }
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

  private:
    mapped_file(int descriptor, void *base, std::size_t bytes) noexcept
        : descriptor_{descriptor}, base_{static_cast<std::byte *>(base)}, bytes_{bytes} {}
    int descriptor_;
    std::byte *base_;
    std::size_t bytes_;
};

} // namespace lisle
