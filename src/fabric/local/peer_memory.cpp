// SPDX-License-Identifier: Apache-2.0
#include "fabric/local/peer_memory.hpp"

#include <algorithm>
#include <climits>

namespace lisle::fabric::local {

namespace {

// The kernel may copy less than asked; the rest begins inside some run.
bool read_runs(int pid, std::uint64_t &remote_address, std::span<const iovec> to) noexcept {
    std::size_t skip = 0; // bytes of to.front() that are already there
    while (!to.empty()) {
        iovec batch[64];
        const std::size_t runs = std::min(to.size(), std::size(batch));
        std::copy_n(to.begin(), runs, batch);
        batch[0].iov_base = static_cast<char *>(batch[0].iov_base) + skip;
        batch[0].iov_len -= skip;
        std::size_t wanted = 0;
        for (std::size_t i = 0; i < runs; ++i) {
            wanted += batch[i].iov_len;
        }
        if (wanted != 0) {
            const iovec remote{reinterpret_cast<void *>(remote_address), wanted};
            const ssize_t got = process_vm_readv(pid, batch, runs, &remote, 1, 0);
            if (got <= 0) {
                return false;
            }
            wanted = static_cast<std::size_t>(got);
            remote_address += wanted;
        }
        wanted += skip;
        while (!to.empty() && wanted >= to.front().iov_len) {
            wanted -= to.front().iov_len;
            to = to.subspan(1);
        }
        skip = wanted;
    }
    return true;
}

} // namespace

bool read_peer_memory(int pid, std::uint64_t remote_address, std::span<const iovec> to) noexcept {
    return pid > 0 && read_runs(pid, remote_address, to);
}

} // namespace lisle::fabric::local
