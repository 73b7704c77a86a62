// SPDX-License-Identifier: Apache-2.0
// The pages of a collective area: a ring for each member of what does not fit a slot, in memory of its own
// that is made when it is first needed. A page is its data and, on a line of its own, a word.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "collective/area/rank_areas.hpp"
#include "fabric/shared_memory.hpp"

namespace lisle::collective {

class pages {
  public:
    /// What fits into one.
    static constexpr MPI_Count most = 34816;

    /// @param key of the memory
    pages(fabric::shared_memory &medium, std::uint64_t key, int members) noexcept
        : medium_{medium}, key_{key}, members_{members} {}
    pages(const pages &) = delete;
    pages &operator=(const pages &) = delete;
    ~pages() {
        if (sought_) {
            medium_.leave_block(key_, members_);
        }
    }

    /// True if there are any. All members ask for the first time before the same operation.
    [[nodiscard]] bool open() {
        if (!sought_) [[unlikely]] {
            seek();
        }
        return there();
    }
    /// The same as far as has been asked.
    [[nodiscard]] bool there() const noexcept { return memory_ != nullptr; }
    /// @pre there()
    [[nodiscard]] std::byte *of(int member, std::uint64_t number) const noexcept {
        constexpr std::size_t bytes = static_cast<std::size_t>(most) + 64, depth = rank_areas::page_depth;
        return memory_ + (static_cast<std::size_t>(member) * depth + number % depth) * bytes;
    }
    /// Number plus one of the last operation of which all lies in the page. Released after the rest of the
    /// data, pairs with posts::await_rest().
    [[nodiscard]] static std::atomic<std::uint64_t> &rest_in(std::byte *page) noexcept {
        return *reinterpret_cast<std::atomic<std::uint64_t> *>(page + most);
    }

  private:
    [[gnu::cold]] void seek() {
        constexpr std::size_t of_member = (static_cast<std::size_t>(most) + 64) * rank_areas::page_depth;
        memory_ = medium_.block(key_, static_cast<std::size_t>(members_) * of_member);
        sought_ = true;
    }

    fabric::shared_memory &medium_;
    std::uint64_t key_;
    int members_;
    std::byte *memory_ = nullptr;
    bool sought_ = false;
};

} // namespace lisle::collective
