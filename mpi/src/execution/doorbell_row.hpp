// SPDX-License-Identifier: Apache-2.0
// The doorbells of successive ranks of one process. They lie in memory that the node shares, at one distance
// from each other.
#pragma once

#include <cstddef>
#include <cstdint>

#include "execution/doorbell.hpp"

namespace lisle {

/// Refers to bells that somebody else owns.
class doorbell_row {
  public:
    /// @param units_between distance from one bell to the next, in units of doorbell::unit
    doorbell_row(doorbell &first, int count, std::uint32_t units_between) noexcept
        : first_{&first}, count_{count}, units_between_{units_between} {}

    [[nodiscard]] int size() const noexcept { return count_; }
    [[nodiscard]] std::uint32_t units_between() const noexcept { return units_between_; }
    [[nodiscard]] doorbell &operator[](int index) const noexcept {
        auto *const place = reinterpret_cast<std::byte *>(first_) +
                            static_cast<std::size_t>(index) * units_between_ * doorbell::unit;
        return *reinterpret_cast<doorbell *>(place);
    }
    /// The bells of the ranks begin <= index < end.
    [[nodiscard]] doorbell_row part(int begin, int end) const noexcept {
        return {(*this)[begin], end - begin, units_between_};
    }

  private:
    doorbell *first_;
    int count_;
    std::uint32_t units_between_;
};

} // namespace lisle
