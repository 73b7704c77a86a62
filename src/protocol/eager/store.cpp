// SPDX-License-Identifier: Apache-2.0
#include "protocol/eager/store.hpp"

#include <algorithm>

#include "base/copy_bytes.hpp"
#include "datatype/copy.hpp"
#include "datatype/predefined.hpp"

namespace lisle::protocol {

void store_long_data(receive_operation &receive, std::span<const std::byte> data) {
    const std::size_t stored = std::min(static_cast<std::size_t>(receive.buffer.bytes()), data.size());
    if (receive.buffer.type->contiguous()) [[likely]] {
        copy_bytes(receive.buffer.address, data.data(), stored);
    } else {
        unpack(receive.buffer, 0, data.first(stored));
    }
    receive.result.bytes = static_cast<MPI_Count>(stored);
    receive.result.error = stored < data.size() ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
}

void compare_types(receive_operation &receive, std::uint8_t elements) noexcept {
    const bool fit = fit_together(static_cast<basic_type>(elements), receive.buffer.type->basic());
    if (!fit && receive.result.bytes != 0 && receive.result.error == MPI_SUCCESS) {
        receive.result.error = MPI_ERR_TYPE;
    }
}

} // namespace lisle::protocol
