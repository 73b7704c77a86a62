// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "rma/elements/target_data.hpp"

namespace lisle::rma {

/// Calls `use(address, elements)` for runs of elements of a predefined type that follow each other.
/// @param length bytes of the data, from the first on
template <class Use>
void for_each_element_run(const typed_buffer &data, MPI_Count length, const datatype &element, Use use) {
    const auto size = static_cast<std::size_t>(element.size());
    if (element.size() == element.extent()) {
        for_each_run(data, 0, length, [&](std::uint64_t address, std::size_t bytes) {
            use(reinterpret_cast<std::byte *>(address), bytes / size);
        });
        return;
    }
    // An element with a gap may lie in several runs: it begins where the first byte of its data is.
    std::size_t begun = 0;
    for_each_run(data, 0, length, [&](std::uint64_t address, std::size_t bytes) {
        while (bytes != 0) {
            if (begun == 0) {
                use(reinterpret_cast<std::byte *>(address), std::size_t{1});
            }
            const std::size_t some = std::min(bytes, size - begun);
            begun = (begun + some) % size;
            address += some;
            bytes -= some;
        }
    });
}

} // namespace lisle::rma
