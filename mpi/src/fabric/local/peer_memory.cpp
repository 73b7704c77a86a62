// SPDX-License-Identifier: Apache-2.0
#include "fabric/local/peer_memory.hpp"

#include <algorithm>
#include <cerrno>
#include <memory>
#include <new>
#include <numeric>
#include <sys/prctl.h>

#include "base/copy_bytes.hpp"
#include "fabric/local/memory_domain.hpp"

namespace lisle::fabric::local {

namespace {

using call = decltype(process_vm_readv);

// The kernel may copy less than asked; the rest begins inside some run.
bool copy_runs(call &copy, int pid, std::uint64_t remote_address, std::span<const iovec> pieces) noexcept {
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
            const ssize_t got = copy(pid, batch, runs, &remote, 1, 0);
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

/// Memory that lies to an address of the peer's so that the kernel copies fast between the two. False: it is
/// not wanted, or there is none.
class stopover {
  public:
    static constexpr std::size_t bytes = 32768;
    stopover(std::uint64_t remote_address, bool wanted) noexcept
        : room_{wanted ? new (std::nothrow) std::byte[bytes + page] : nullptr},
          start_{room_ ? room_.get() + (remote_address - reinterpret_cast<std::uintptr_t>(room_.get())) % page
                       : nullptr} {}
    explicit operator bool() const noexcept { return room_ != nullptr; }
    [[nodiscard]] iovec first(std::size_t length) const noexcept { return {start_, length}; }

  private:
    static constexpr std::size_t page = 4096;
    std::unique_ptr<std::byte[]> room_;
    std::byte *start_;
};

bool is_slow(std::span<const iovec> pieces, std::uint64_t remote_address, bool reading) noexcept {
    if (pieces.size() != 1) {
        return false;
    }
    const auto local = reinterpret_cast<std::uintptr_t>(pieces[0].iov_base);
    return reading ? copies_slowly(local, remote_address) : copies_slowly(remote_address, local);
}

bool read_by_kernel(int pid, std::uint64_t remote_address, std::span<const iovec> pieces) noexcept {
    const stopover between{remote_address, is_slow(pieces, remote_address, true)};
    if (!between) {
        return pid > 0 && copy_runs(process_vm_readv, pid, remote_address, pieces);
    }
    auto *const to = static_cast<std::byte *>(pieces[0].iov_base);
    for (std::size_t done = 0, some = 0; done < pieces[0].iov_len; done += some) {
        some = std::min(stopover::bytes, pieces[0].iov_len - done);
        const iovec part = between.first(some);
        if (pid <= 0 || !copy_runs(process_vm_readv, pid, remote_address + done, {&part, 1})) {
            return false;
        }
        copy_bytes(to + done, part.iov_base, some);
    }
    return true;
}

bool write_by_kernel(int pid, std::uint64_t remote_address, std::span<const iovec> pieces) noexcept {
    const stopover between{remote_address, is_slow(pieces, remote_address, false)};
    if (!between) {
        return pid > 0 && copy_runs(process_vm_writev, pid, remote_address, pieces);
    }
    const auto *const from = static_cast<const std::byte *>(pieces[0].iov_base);
    for (std::size_t done = 0, some = 0; done < pieces[0].iov_len; done += some) {
        some = std::min(stopover::bytes, pieces[0].iov_len - done);
        const iovec part = between.first(some);
        copy_bytes(part.iov_base, from + done, some);
        if (pid <= 0 || !copy_runs(process_vm_writev, pid, remote_address + done, {&part, 1})) {
            return false;
        }
    }
    return true;
}

std::size_t bytes_of(std::span<const iovec> pieces) noexcept {
    return std::accumulate(pieces.begin(), pieces.end(), std::size_t{0},
                           [](std::size_t sum, const iovec &piece) { return sum + piece.iov_len; });
}

} // namespace

void open_own_memory() noexcept {
    // Yama's ptrace_scope 1 lets only ancestors read a process's memory unless it allows others.
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
}

bool peer_memory_open(int pid) noexcept {
    // Where nothing can be: a kernel that allows it says so by finding nothing there.
    char here = 0;
    const iovec own{&here, 1};
    const iovec remote{nullptr, 1};
    return process_vm_readv(pid, &own, 1, &remote, 1, 0) < 0 && errno == EFAULT;
}

std::byte *peer_memory::reach(int peer, std::uint64_t address, std::size_t bytes) const noexcept {
    const locality &places = domain_.places();
    return heap_ != nullptr
               ? heap_->find(places.process_index_on_node(places.process_of(peer)), address, bytes)
               : nullptr;
}

pinned_memory peer_memory::pin(int peer, std::uint64_t address, std::size_t bytes) const noexcept {
    if (std::byte *const there = reach(peer, address, bytes); there != nullptr || blocks_ == nullptr) {
        return pinned_memory{there};
    }
    const locality &places = domain_.places();
    return blocks_->pin(places.process_index_on_node(places.process_of(peer)), domain_.pid_of_rank(peer),
                        address, bytes);
}

bool peer_memory::read(int peer, std::uint64_t address, std::span<const iovec> to) noexcept {
    const pinned_memory pinned = pin(peer, address, bytes_of(to));
    const std::byte *from = pinned.address();
    if (from == nullptr) {
        return by_kernel() && end(read_by_kernel(domain_.pid_of_rank(peer), address, to));
    }
    for (const iovec &piece : to) {
        copy_bytes(piece.iov_base, from, piece.iov_len);
        from += piece.iov_len;
    }
    return true;
}

bool peer_memory::write(int peer, std::uint64_t address, std::span<const iovec> from) noexcept {
    const pinned_memory pinned = pin(peer, address, bytes_of(from));
    std::byte *to = pinned.address();
    if (to == nullptr) {
        return by_kernel() && end(write_by_kernel(domain_.pid_of_rank(peer), address, from));
    }
    for (const iovec &piece : from) {
        copy_bytes(to, piece.iov_base, piece.iov_len);
        to += piece.iov_len;
    }
    return true;
}

bool peer_memory::end(bool copied) noexcept {
    if (!copied && errno != ESRCH) { // a process that has ended says nothing about the others
        by_kernel_.store(false, std::memory_order_relaxed);
    }
    return copied;
}

} // namespace lisle::fabric::local
