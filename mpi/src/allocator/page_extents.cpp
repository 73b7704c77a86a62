// SPDX-License-Identifier: Apache-2.0
#include "allocator/page_extents.hpp"

#include <bit>

namespace lisle::allocator {

// Four lists for each power of two.
unsigned page_extents::list_of(std::uint32_t pages) noexcept {
    if (pages < 4) {
        return pages;
    }
    const auto power = static_cast<unsigned>(std::bit_width(pages)) - 1;
    return power * 4 + ((pages >> (power - 2)) & 3) - 4;
}

void page_extents::mark(page_number first, std::uint32_t pages, use_of_extent use) noexcept {
    table_[first].pages = pages & 0x3fffffff;
    table_[first].use = use & 3;
    table_[first + pages - 1].first = first;
}

void page_extents::link(page_number first) noexcept {
    const std::uint32_t pages = table_[first].pages;
    const unsigned list = list_of(pages);
    table_[first].before = none;
    table_[first].next = heads_[list];
    if (heads_[list] != none) {
        table_[heads_[list]].before = first;
    }
    heads_[list] = first;
    filled_[list / 64] |= std::uint64_t{1} << list % 64;
    unclean_ += table_[first].use == written ? pages : 0;
}

void page_extents::unlink(page_number first) noexcept {
    const entry &gone = table_[first];
    const unsigned list = list_of(gone.pages);
    (gone.before != none ? table_[gone.before].next : heads_[list]) = gone.next;
    if (gone.next != none) {
        table_[gone.next].before = gone.before;
    }
    if (heads_[list] == none) {
        filled_[list / 64] &= ~(std::uint64_t{1} << list % 64);
    }
    unclean_ -= gone.use == written ? gone.pages : 0;
}

// A look at a few of those that may be too short, then any of the next longer ones.
page_extents::page_number page_extents::find(std::uint32_t pages) const noexcept {
    const unsigned list = list_of(pages);
    page_number each = heads_[list];
    for (int looks = 0; each != none && looks < 8; ++looks, each = table_[each].next) {
        if (table_[each].pages >= pages) {
            return each;
        }
    }
    for (unsigned word = (list + 1) / 64; word < 2; ++word) {
        const unsigned from = word == (list + 1) / 64 ? (list + 1) % 64 : 0;
        if (const std::uint64_t longer = filled_[word] >> from << from; longer != 0) {
            return heads_[word * 64 + static_cast<unsigned>(std::countr_zero(longer))];
        }
    }
    return none;
}

page_extents::taken page_extents::take(std::uint32_t pages, std::uint32_t alignment) noexcept {
    const std::uint32_t room = pages + alignment - 1;
    if (pages == 0 || room < pages) {
        return {none, false};
    }
    page_number first = find(room);
    std::uint32_t found = room;
    use_of_extent was = clean;
    if (first != none) {
        was = static_cast<use_of_extent>(table_[first].use);
        found = table_[first].pages;
        unlink(first);
    } else if (room <= end_ - high_) {
        first = high_;
        high_ += room;
    } else {
        return {none, false};
    }
    const page_number aligned = (first + alignment - 1) & ~(alignment - 1);
    const page_number behind = aligned + pages;
    mark(aligned, pages, used);
    if (aligned != first) {
        put_back(first, aligned - first, was);
    }
    if (behind != first + found) {
        put_back(behind, first + found - behind, was);
    }
    return {aligned, was == clean};
}

page_extents::given page_extents::put_back(page_number first, std::uint32_t pages,
                                           use_of_extent use) noexcept {
    const page_number behind = first + pages;
    if (behind < high_ && (table_[behind].use == clean || table_[behind].use == written)) {
        unlink(behind);
        pages += table_[behind].pages;
        use = table_[behind].use == written ? written : use;
        table_[behind].use = nothing;
    }
    if (first > low_) {
        const page_number before = table_[first - 1].first;
        if (table_[before].use == clean || table_[before].use == written) {
            unlink(before);
            table_[first].use = nothing;
            pages += first - before;
            first = before;
            use = table_[before].use == written ? written : use;
        }
    }
    if (use == clean && first + pages == high_) {
        table_[first].use = nothing;
        high_ = first;
        return {first, pages};
    }
    mark(first, pages, use);
    link(first);
    return {first, pages};
}

page_extents::given page_extents::give(page_number first) noexcept {
    const std::uint32_t pages = table_[first].pages;
    if (first < low_) {
        table_[first].use = nothing;
        return {none, pages};
    }
    return put_back(first, pages, written);
}

bool page_extents::lengthen(page_number first, std::uint32_t pages) noexcept {
    const std::uint32_t had = table_[first].pages;
    const page_number behind = first + had;
    const std::uint32_t more = pages - had;
    if (first < low_) {
        return false;
    }
    if (behind == high_) {
        if (more > end_ - high_) {
            return false;
        }
        high_ += more;
    } else {
        const entry next = table_[behind];
        // What has never been taken follows the last extent.
        const std::uint32_t fresh = behind + next.pages == high_ ? end_ - high_ : 0;
        if ((next.use != clean && next.use != written) || next.pages + fresh < more) {
            return false;
        }
        unlink(behind);
        table_[behind].use = nothing;
        if (next.pages < more) {
            high_ = behind + more;
        } else if (next.pages != more) {
            mark(behind + more, next.pages - more, static_cast<use_of_extent>(next.use));
            link(behind + more);
        }
    }
    mark(first, pages, used);
    return true;
}

page_extents::given page_extents::cut(page_number first, std::uint32_t pages) noexcept {
    const std::uint32_t rest = table_[first].pages - pages;
    mark(first, pages, used);
    if (first < low_) {
        return {none, rest};
    }
    return put_back(first + pages, rest, written);
}

void page_extents::note_cleaned(page_number first) noexcept {
    unlink(first);
    const std::uint32_t pages = table_[first].pages;
    table_[first].use = nothing;
    put_back(first, pages, clean);
}

page_extents::page_number page_extents::any_unclean() const noexcept {
    for (unsigned list = 0; unclean_ != 0 && list != lists; ++list) {
        for (page_number each = heads_[list]; each != none; each = table_[each].next) {
            if (table_[each].use == written) {
                return each;
            }
        }
    }
    return none;
}

void page_extents::retire() noexcept {
    for (page_number &each : heads_) {
        each = none;
    }
    filled_[0] = filled_[1] = 0;
    unclean_ = 0;
    low_ = high_;
}

} // namespace lisle::allocator
