// SPDX-License-Identifier: Apache-2.0
#include "fabric/local/peer_memory.hpp"

#include <algorithm>
#include <climits>

namespace lisle::fabric::local {

namespace {

// The kernel may copy less than asked; the rest begins inside some run.
bool copy_runs(peer_call call, int pid, std::uint64_t remote_address,
               std::span<const iovec> pieces) noexcept {
    std::size_t skip = 0; // bytes of pieces.front() that have been copied
    while (!pieces.empty()) {
        iovec batch[64];
        const std::size_t runs = std::min(pieces.size(), std::size(batch));
        std::copy_n(pieces.begin(), runs, batch);
        batch[0].iov_base = static_cast<char *>(batch[0].iov_base) + skip;
        batch[0].iov_len -= skip;
        std::size_t wanted = 0;
        for (std::size_t i = 0; i < runs; ++i) {
            wanted += batch[i].iov_len;
        }
        if (wanted != 0) {
            const iovec remote{reinterpret_cast<void *>(remote_address), wanted};
            const ssize_t got = call(pid, batch, runs, &remote, 1, 0);
            if (got <= 0) {
                return false;
            }
            wanted = static_cast<std::size_t>(got);
            remote_address += wanted;
        }
        wanted += skip;
        while (!pieces.empty() && wanted >= pieces.front().iov_len) {
            wanted -= pieces.front().iov_len;
            pieces = pieces.subspan(1);
        }
        skip = wanted;
    }
    return true;
}

} // namespace

bool copy_peer_memory(peer_call call, int pid, std::uint64_t remote_address,
                      std::span<const iovec> pieces) noexcept {
    return pid > 0 && copy_runs(call, pid, remote_address, pieces);
}

} // namespace lisle::fabric::local
