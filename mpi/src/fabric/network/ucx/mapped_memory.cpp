// SPDX-License-Identifier: Apache-2.0
#include "fabric/network/ucx/mapped_memory.hpp"

#include <new>

namespace lisle::fabric::network {

std::optional<std::uint64_t> mapped_memory::add(const void *memory, std::size_t bytes) noexcept {
    const ucx &library = ucx::instance();
    ucp_mem_map_params_t wanted{};
    wanted.field_mask = UCP_MEM_MAP_PARAM_FIELD_ADDRESS | UCP_MEM_MAP_PARAM_FIELD_LENGTH;
    wanted.address = const_cast<void *>(memory);
    wanted.length = bytes;
    entry made{};
    if (library.mem_map(context_, &wanted, &made.mapped) != UCS_OK) {
        return std::nullopt;
    }
    if (library.rkey_pack(context_, made.mapped, &made.packed, &made.bytes) != UCS_OK) {
        library.mem_unmap(context_, made.mapped);
        return std::nullopt;
    }
    try {
        all_.emplace(next_, made);
    } catch (const std::bad_alloc &) {
        release(made);
        return std::nullopt;
    }
    return next_++;
}

void mapped_memory::release(const entry &gone) noexcept {
    const ucx &library = ucx::instance();
    library.rkey_buffer_release(gone.packed);
    library.mem_unmap(context_, gone.mapped);
}

void mapped_memory::withdraw(std::uint64_t number) noexcept {
    if (const auto found = all_.find(number); found != all_.end()) {
        release(found->second);
        all_.erase(found);
    }
}

void mapped_memory::withdraw_all() noexcept {
    for (const auto &each : all_) {
        release(each.second);
    }
    all_.clear();
}

std::span<const std::byte> mapped_memory::packed(std::uint64_t number) const noexcept {
    const auto found = all_.find(number);
    if (found == all_.end()) {
        return {};
    }
    return {static_cast<const std::byte *>(found->second.packed), found->second.bytes};
}

} // namespace lisle::fabric::network
