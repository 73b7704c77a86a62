// SPDX-License-Identifier: Apache-2.0
#include "fabric/local/peer_memory.hpp"

#include <algorithm>
#include <cerrno>
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

namespace {

/// Repeats `move` (process_vm_readv or its opposite), which may copy less than asked.
template <class Move>
bool copy_run(Move move, int pid, std::byte *here, std::byte *there, std::size_t bytes) noexcept {
    for (std::size_t done = 0; done < bytes;) {
        const iovec own{here + done, bytes - done};
        const iovec remote{there + done, bytes - done};
        const ssize_t moved = move(pid, &own, 1, &remote, 1, 0);
        if (moved <= 0) {
            return false;
        }
        done += static_cast<std::size_t>(moved);
    }
    return true;
}

} // namespace

bool peer_memory_open(int pid) noexcept {
    // Where nothing can be: a kernel that allows it says so by finding nothing there.
    char here = 0;
    const iovec own{&here, 1};
    const iovec remote{nullptr, 1};
    return process_vm_readv(pid, &own, 1, &remote, 1, 0) < 0 && errno == EFAULT;
}

bool read_peer_memory(int pid, const void *from, void *to, std::size_t bytes) noexcept {
    return copy_run(process_vm_readv, pid, static_cast<std::byte *>(to),
                    static_cast<std::byte *>(const_cast<void *>(from)), bytes);
}

bool write_peer_memory(int pid, void *to, const void *from, std::size_t bytes) noexcept {
    return copy_run(process_vm_writev, pid, static_cast<std::byte *>(const_cast<void *>(from)),
                    static_cast<std::byte *>(to), bytes);
}

} // namespace lisle::fabric::local
