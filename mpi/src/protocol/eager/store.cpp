// SPDX-License-Identifier: Apache-2.0
#include "protocol/eager/store.hpp"

#include <algorithm>

#include "base/copy_bytes.hpp"
#include "datatype/copy.hpp"

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

} // namespace lisle::protocol
