// SPDX-License-Identifier: Apache-2.0
// Memory that an operation under way uses, watched for a program that touches it meanwhile (LISLE_CHECK=2).
// Of memory that is read, a checksum tells whether it has changed. Memory that is written the operation does
// not get: it works on a copy, and at its end the data go to where they belong. So whatever has changed there
// meanwhile, the program has changed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/access_filter.hpp"
#include "base/ref.hpp"
#include "datatype/typed_buffer.hpp"

namespace lisle {

/// See the file's head. Keeps the types of its buffers.
class watched_memory {
  public:
    enum class use : unsigned char { reads, writes };

    /// @param buffers what the operation uses
    /// @param apart it is to work on a copy of what it writes
    watched_memory(use how, std::vector<typed_buffer> buffers, bool apart);

    /// What the operation is to be given instead of an address in one of the buffers.
    [[nodiscard]] void *instead_of(const void *address) const noexcept;

    [[nodiscard]] use how() const noexcept { return how_; }
    /// As they were given.
    [[nodiscard]] std::span<const typed_buffer> buffers() const noexcept { return buffers_; }
    /// Where it begins; nothing: it is empty.
    [[nodiscard]] std::optional<std::uintptr_t> address() const noexcept {
        return ranges_.empty() ? std::nullopt : std::optional{ranges_.front().begin};
    }
    /// False if part of it has been given back to the system.
    [[nodiscard]] bool exists() const;
    /// Where it lies: sorted, with gaps between them.
    [[nodiscard]] std::span<const access_filter::range> ranges() const noexcept { return ranges_; }
    /// True if it names some bytes more than once.
    [[nodiscard]] bool repeats_bytes() const noexcept { return repeats_bytes_; }
    /// True if an access to some bytes, which may write them, and the operation must not come together.
    [[nodiscard]] bool meets(access_filter::range bytes, bool writes) const noexcept;
    /// The operation begins.
    void begin();
    /// The operation has begun, and what it writes is there already.
    void begin_with_result();
    /// True if the program has changed the memory since.
    [[nodiscard]] bool changed() const;
    /// The operation has ended: data that it has written go to where they belong.
    /// @param bytes of each buffer at most
    void end(MPI_Count bytes);

    /// The first byte that both use, if one of them writes it. Not looked at: buffers of very many pieces,
    /// beyond the first ones.
    [[nodiscard]] std::optional<std::uintptr_t> collides_with(const watched_memory &other) const;

  private:
    using range = access_filter::range;
    [[nodiscard]] std::uint64_t checksum() const;
    [[nodiscard]] typed_buffer copy_of(const typed_buffer &buffer) const;
    void merge_ranges();
    void make_copy(range span);

    use how_;
    std::vector<typed_buffer> buffers_;
    std::vector<ref<const datatype>> types_;
    std::vector<range> ranges_;
    bool repeats_bytes_ = false;
    bool result_is_there_ = false;
    std::uint64_t before_ = 0; ///< checksum when the operation began
    std::unique_ptr<std::byte[]> copy_;
    std::uintptr_t displacement_ = 0; ///< from the buffers to the copy, modulo the size of addresses
};

/// All memory that one operation uses.
class watched_list {
  public:
    /// @param apart see watched_memory
    explicit watched_list(bool apart = true) noexcept : apart_{apart} {}
    /// Adds a buffer that is read; returns what the operation is to be given.
    typed_buffer reads(const typed_buffer &buffer);
    /// The same for one that is written, or read and written.
    typed_buffer writes(const typed_buffer &buffer);
    /// Adds several buffers at once.
    const watched_memory &add(watched_memory::use how, std::vector<typed_buffer> buffers);

    [[nodiscard]] std::span<watched_memory> all() noexcept { return list_; }
    [[nodiscard]] std::span<const watched_memory> all() const noexcept { return list_; }

  private:
    std::vector<watched_memory> list_;
    bool apart_;
};

} // namespace lisle
