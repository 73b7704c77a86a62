// SPDX-License-Identifier: Apache-2.0
// Copies between this process's memory and that of peers over the network, and what follows when an operation
// of the provider has ended.
#include <algorithm>
#include <mutex>
#include <new>

#include "fabric/ofi/network_fabric.hpp"

namespace lisle::fabric::ofi {

namespace {

// Where the provider counts remote addresses from the beginning of the registered memory, and takes keys that
// we choose, the key says where that memory begins: 47 bits of address, 17 that tell registrations apart.
constexpr unsigned address_bits = 47;
constexpr std::uint64_t address_mask = (std::uint64_t{1} << address_bits) - 1;

memory_key make_key(const void *begin, std::uint64_t number) noexcept {
    return (reinterpret_cast<std::uint64_t>(begin) & address_mask) | (number << address_bits);
}

} // namespace

/// A copy that the provider has under way.
struct network_fabric::copy final : operation {
    copy(int starter, int process, copy_completion &end) noexcept
        : operation{kind::copy}, starter{starter}, process{process}, end{end} {}
    int starter; ///< rank whose poll tells the end
    int process; ///< of the peer
    copy_completion &end;
};

remote_memory *network_fabric::memory(int) noexcept {
    const bool keys_are_ours =
        !device_.makes_keys() && device_.info().domain_attr->mr_key_size >= sizeof(memory_key);
    return device_.most_pieces() != 0 && (device_.uses_addresses() || keys_are_ours) ? this : nullptr;
}

std::optional<memory_key> network_fabric::expose(const void *memory, std::size_t bytes) noexcept {
    const std::scoped_lock guard{lock_};
    const memory_key wanted = make_key(memory, next_key_++);
    owned<fid_mr> made{device_.register_for_peers(memory, bytes, wanted)};
    if (made == nullptr) {
        return std::nullopt;
    }
    const memory_key key = fi_mr_key(made.get());
    try {
        exposed_.emplace_back(key, std::move(made));
    } catch (const std::bad_alloc &) {
        return std::nullopt;
    }
    return key;
}

void network_fabric::withdraw(memory_key key) noexcept {
    const std::scoped_lock guard{lock_};
    const auto found =
        std::find_if(exposed_.begin(), exposed_.end(), [key](const auto &each) { return each.first == key; });
    if (found != exposed_.end()) {
        std::swap(*found, exposed_.back());
        exposed_.pop_back();
    }
}

copy_start network_fabric::start_copy(int self, const remote_place &place, std::span<const iovec> pieces,
                                      bool read, copy_completion &end) noexcept {
    const int process = job_.process_of(place.peer);
    const std::scoped_lock guard{lock_};
    const peer_process &peer = peers_[static_cast<std::size_t>(process)];
    if (peer.failed || peer.at == FI_ADDR_NOTAVAIL || pieces.size() > device_.most_pieces()) {
        return copy_start::refused;
    }
    const std::uint64_t address = device_.uses_addresses()
                                      ? place.address
                                      : (place.address - (place.key & address_mask)) & address_mask;
    std::unique_ptr<copy> started{new (std::nothrow) copy{self, process, end}};
    if (started == nullptr) {
        return copy_start::full;
    }
    const attempt result = read ? device_.read(pieces, peer.at, address, place.key, *started)
                                : device_.write(pieces, peer.at, address, place.key, *started);
    switch (result) {
    case attempt::done:
        static_cast<void>(started.release()); // ended_locked() deletes it
        return copy_start::under_way;
    case attempt::full:
        return copy_start::full;
    case attempt::refused:
        break;
    }
    return copy_start::refused;
}

copy_start network_fabric::start_read(int self, const remote_place &from, std::span<const iovec> to,
                                      copy_completion &end) noexcept {
    return start_copy(self, from, to, true, end);
}

copy_start network_fabric::start_write(int self, const remote_place &to, std::span<const iovec> from,
                                       copy_completion &end) noexcept {
    return start_copy(self, to, from, false, end);
}

void network_fabric::ended_locked(const completion &end) {
    switch (end.of->what) {
    case operation::kind::receive: {
        auto &in = static_cast<buffer &>(*end.of);
        if (end.failed) {
            receive_again_locked(in); // a peer ended in the middle of a frame; its failure shows elsewhere
        } else {
            arrived_locked(in, end.bytes);
        }
        return;
    }
    case operation::kind::send: {
        ended_send_locked(static_cast<buffer &>(*end.of), end.failed);
        return;
    }
    case operation::kind::copy: {
        const std::unique_ptr<copy> ended{static_cast<copy *>(end.of)};
        inbox_of(ended->starter).copies.push_back({&ended->end, !end.failed});
        wake_if_armed(ended->starter);
        if (end.failed) {
            failed_locked(ended->process);
        }
        return;
    }
    }
}

} // namespace lisle::fabric::ofi
