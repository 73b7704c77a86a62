// SPDX-License-Identifier: Apache-2.0
// Accumulates that the origin makes itself, on elements that lie one after the other.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "datatype/copy.hpp"
#include "rma/elements/element_runs.hpp"
#include "rma/ways/way.hpp"

namespace lisle::rma {

/// The data of a buffer without gaps: the buffer itself, or a copy.
class dense_data {
  public:
    explicit dense_data(const typed_buffer &of) : data_{static_cast<std::byte *>(of.address)} {
        if (!of.type->contiguous()) {
            copy_.resize(static_cast<std::size_t>(of.bytes()));
            data_ = copy_.data();
        }
    }
    [[nodiscard]] std::byte *get() const noexcept { return data_; }
    /// Empty: it is the buffer itself.
    [[nodiscard]] std::span<std::byte> copied() noexcept { return copy_; }

  private:
    std::byte *data_;
    std::vector<std::byte> copy_;
};

/// Calls `apply(address, operands, former, elements)` for each run of the target's elements; `operands` and
/// `former` are the places of their operands and former values, or null.
/// @param there the target's data
template <class Apply> void update_dense(const target_update &of, const typed_buffer &there, Apply apply) {
    const typed_buffer nothing{nullptr, 0, byte_type()};
    dense_data operands{of.how.reads_only() ? nothing : of.origin};
    if (!operands.copied().empty()) {
        pack(of.origin, 0, operands.copied());
    }
    dense_data former{of.result != nullptr ? *of.result : nothing};
    const std::byte *from = operands.get();
    std::byte *to = former.get();
    const auto size = static_cast<std::size_t>(of.how.element().size());
    for_each_element_run(there, of.bytes, of.how.element(), [&](std::byte *at, std::size_t elements) {
        apply(at, from, to, elements);
        from = from != nullptr ? from + elements * size : nullptr;
        to = to != nullptr ? to + elements * size : nullptr;
    });
    if (of.result != nullptr && !former.copied().empty()) {
        unpack(*of.result, 0, former.copied().first(static_cast<std::size_t>(of.bytes)));
    }
}

} // namespace lisle::rma
