// SPDX-License-Identifier: Apache-2.0
#include "rma/ways/direct_way.hpp"

#include "base/copy_bytes.hpp"
#include "execution/rank.hpp"
#include "rma/state/target_address.hpp"
#include "rma/ways/dense_update.hpp"

namespace lisle::rma {

namespace {

void move(const typed_buffer &from, const typed_buffer &to, MPI_Count bytes) {
    if (from.type->contiguous() && to.type->contiguous()) [[likely]] {
        copy_bytes(to.address, from.address, static_cast<std::size_t>(bytes));
    } else {
        copy(from, to, 0, bytes);
    }
}

} // namespace

typed_buffer direct_way::here(const target_data &target, std::uint64_t address) const noexcept {
    return {direct_address(members_, target, address), target.count, *target.type};
}

update_guard direct_way::guard_of(int target) const noexcept {
    member &of = members_.at(target);
    return {&of.updates, of.facts.copied};
}

update_guard direct_way::guard_of_array(int target) const noexcept {
    const bool alone = access_.excludes_others(target) && known_rank().calls_alone();
    return alone ? update_guard{} : guard_of(target);
}

protocol::request *direct_way::put(const typed_buffer &origin, const target_data &target,
                                   std::uint64_t address) {
    move(origin, here(target, address), origin.bytes());
    return nullptr;
}

protocol::request *direct_way::get(const typed_buffer &origin, const target_data &target,
                                   std::uint64_t address) {
    move(here(target, address), origin, target.bytes());
    return nullptr;
}

protocol::request *direct_way::update(const typed_buffer &origin, MPI_Count bytes, const typed_buffer *result,
                                      const target_data &target, std::uint64_t address,
                                      const element_update &how) {
    const update_guard guard = guard_of_array(target.rank);
    update_dense(origin, bytes, result, here(target, address), how,
                 [&](std::byte *at, const std::byte *operands, std::byte *former, std::size_t elements) {
                     how.apply(at, operands, former, elements, guard);
                 });
    return nullptr;
}

protocol::request *direct_way::fetch(const void *origin, void *result, const target_data &target,
                                     std::uint64_t address, const element_update &how) {
    if (how.element().size() != how.element().extent()) [[unlikely]] {
        return way::fetch(origin, result, target, address, how);
    }
    how.apply(direct_address(members_, target, address), static_cast<const std::byte *>(origin),
              static_cast<std::byte *>(result), 1, guard_of(target.rank));
    return nullptr;
}

protocol::request *direct_way::compare(const void *origin, const void *compare, void *result,
                                       const target_data &target, std::uint64_t address) {
    static_cast<void>(compare_and_swap(
        *target.type, direct_address(members_, target, address), static_cast<const std::byte *>(compare),
        static_cast<const std::byte *>(origin), static_cast<std::byte *>(result), guard_of(target.rank)));
    return nullptr;
}

} // namespace lisle::rma
