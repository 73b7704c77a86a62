// SPDX-License-Identifier: Apache-2.0
#include "rma/kernel_copies.hpp"

#include <span>
#include <vector>

#include "rma/window.hpp"

namespace lisle::rma {

namespace {

bool is_possible(window &on, const target_data &target) {
    if (!on.is_near(target.rank) || !on.table().medium->memory_open(on.number_of(target.rank))) {
        return false;
    }
    return !on.dynamic() || find_attached(on, target) == attached_table::answer::attached;
}

typed_buffer at_target(const target_data &target, std::uint64_t address) {
    return {reinterpret_cast<void *>(address), target.count, *target.type};
}

/// Calls `copy(address, here)` for each run of the target's data and the bytes here that belong to it, until
/// one fails.
template <class Copy> bool copy_runs(const target_data &target, std::uint64_t address, std::byte *here,
                                     MPI_Count bytes, Copy copy) {
    bool copied = true;
    for_each_run(at_target(target, address), 0, bytes, [&](std::uint64_t there, std::size_t length) {
        const iovec run{here, length};
        copied = copied && copy(there, std::span<const iovec>{&run, 1});
        here += length;
    });
    return copied;
}

} // namespace

bool write_by_kernel(window &on, const typed_buffer &origin, const target_data &target,
                     std::uint64_t address) {
    if (!is_possible(on, target)) {
        return false;
    }
    std::vector<std::byte> packed;
    auto *from = static_cast<std::byte *>(origin.address);
    if (!origin.type->contiguous()) {
        packed.resize(static_cast<std::size_t>(origin.bytes()));
        pack(origin, 0, packed);
        from = packed.data();
    }
    const int peer = on.number_of(target.rank);
    return copy_runs(target, address, from, origin.bytes(), [&](std::uint64_t there, auto run) {
        return on.table().medium->write(peer, there, run);
    });
}

bool read_by_kernel(window &on, const typed_buffer &origin, const target_data &target,
                    std::uint64_t address) {
    if (!is_possible(on, target)) {
        return false;
    }
    const MPI_Count bytes = target.bytes();
    std::vector<std::byte> packed;
    auto *to = static_cast<std::byte *>(origin.address);
    if (!origin.type->contiguous()) {
        packed.resize(static_cast<std::size_t>(bytes));
        to = packed.data();
    }
    const int peer = on.number_of(target.rank);
    const bool copied = copy_runs(target, address, to, bytes, [&](std::uint64_t there, auto run) {
        return on.table().medium->read(peer, there, run);
    });
    if (copied && !packed.empty()) {
        unpack(origin, 0, packed);
    }
    return copied;
}

} // namespace lisle::rma
