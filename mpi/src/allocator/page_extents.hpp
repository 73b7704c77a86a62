// SPDX-License-Identifier: Apache-2.0
// Which pages of a range are taken by blocks and which are free. Free extents that touch are one; they lie in
// lists by size, so that each call takes constant time. What is kept of the pages lies in a table of its own:
// the allocator of a program must neither call another one nor write to pages that nobody uses.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lisle::allocator {

/// Not thread-safe.
class page_extents {
  public:
    using page_number = std::uint32_t;
    static constexpr page_number none = 0;

    /// Of a page. Only the first and the last page of an extent say something.
    struct entry {
        std::uint32_t pages : 30; ///< of the extent, at its first page
        std::uint32_t use : 2;    ///< at its first page
        page_number first;        ///< of the extent, at its last page
        page_number next, before; ///< of its list, at the first page of a free extent
    };
    struct taken {
        page_number first; ///< none: there is no room
        bool zeroed;       ///< nothing has been written there since the system gave the memory
    };
    struct given {
        page_number first; ///< of the free extent that the block has become a part of; none: of none, and it
                           ///< is never taken again
        std::uint32_t pages;
    };

    constexpr page_extents() = default;
    /// Pages from 1 to `end`. @param table zeroed, `end` entries, outlives this
    page_extents(entry *table, page_number end) noexcept : table_{table}, end_{end} {}

    /// An extent of so many pages whose first one is a multiple of `alignment`, a power of two.
    [[nodiscard]] taken take(std::uint32_t pages, std::uint32_t alignment = 1) noexcept;
    /// Gives an extent back.
    given give(page_number first) noexcept;
    /// Makes a taken extent longer where it is. False: something else lies behind it.
    [[nodiscard]] bool lengthen(page_number first, std::uint32_t pages) noexcept;
    /// Gives the end of a taken extent back, of which at least one page stays.
    given cut(page_number first, std::uint32_t pages) noexcept;

    /// True if a taken extent begins there.
    [[nodiscard]] bool is_taken(page_number first) const noexcept {
        return first != none && first < high_ && table_[first].use == used;
    }
    [[nodiscard]] std::uint32_t pages_of(page_number first) const noexcept { return table_[first].pages; }
    /// The first page that has not been taken yet: those above are zeroed.
    [[nodiscard]] page_number high() const noexcept { return high_; }
    /// The first page of those that are taken again when they have been given back.
    [[nodiscard]] page_number low() const noexcept { return low_; }
    /// How many free pages may not be zeroed.
    [[nodiscard]] std::size_t unclean() const noexcept { return unclean_; }
    /// The pages of a free extent have been given back to the system.
    void note_cleaned(page_number first) noexcept;
    /// A free extent that may not be zeroed; none: there is none.
    [[nodiscard]] page_number any_unclean() const noexcept;
    /// Of all pages up to here none is taken again when it is given back.
    void retire() noexcept;

  private:
    enum use_of_extent : std::uint32_t { nothing, used, clean, written };
    static constexpr unsigned lists = 124;

    [[nodiscard]] static unsigned list_of(std::uint32_t pages) noexcept;
    [[nodiscard]] page_number find(std::uint32_t pages) const noexcept;
    void mark(page_number first, std::uint32_t pages, use_of_extent use) noexcept;
    void link(page_number first) noexcept;
    void unlink(page_number first) noexcept;
    /// Makes pages a free extent, together with those that it touches.
    given put_back(page_number first, std::uint32_t pages, use_of_extent use) noexcept;

    entry *table_ = nullptr;
    page_number end_ = 1;
    page_number low_ = 1;
    page_number high_ = 1;
    std::size_t unclean_ = 0;
    page_number heads_[lists] = {};
    std::uint64_t filled_[2] = {}; ///< a bit for each list that is not empty
};

} // namespace lisle::allocator
