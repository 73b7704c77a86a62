// SPDX-License-Identifier: Apache-2.0
// The data at the target of an operation: what the caller names, and the pieces of memory that it is made of.
#pragma once

#include <algorithm>
#include <vector>

#include "datatype/copy.hpp"
#include "datatype/typed_buffer.hpp"

namespace lisle::rma {

/// What an operation names.
struct target_data {
    int rank;
    MPI_Aint disp;
    MPI_Count count;
    const datatype *type;
    [[nodiscard]] MPI_Count bytes() const noexcept { return count * type->size(); }
};

/// Where an array of elements begins and ends, counted from its address.
struct reach_of_data {
    MPI_Count first, last;
    [[nodiscard]] static reach_of_data of(MPI_Count count, const datatype &type) noexcept {
        if (count == 0) {
            return {0, 0};
        }
        const MPI_Count to_last = (count - 1) * type.extent();
        return {type.true_lower_bound() + std::min<MPI_Count>(0, to_last),
                type.true_lower_bound() + type.true_extent() + std::max<MPI_Count>(0, to_last)};
    }
};

/// Calls `use(address, bytes)` for each run of memory that holds bytes [offset, offset + length) of the data.
template <class Use>
void for_each_run(const typed_buffer &data, MPI_Count offset, MPI_Count length, Use use) {
    constexpr std::size_t most = 64;
    std::vector<iovec> some;
    some.reserve(most); // before anything is used
    while (length > 0) {
        some.clear();
        const MPI_Count covered = runs(data, offset, length, most, some);
        for (const iovec &run : some) {
            use(reinterpret_cast<std::uint64_t>(run.iov_base), run.iov_len);
        }
        offset += covered;
        length -= covered;
    }
}

} // namespace lisle::rma
