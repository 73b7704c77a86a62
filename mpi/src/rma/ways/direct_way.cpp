// SPDX-License-Identifier: Apache-2.0
#include "rma/ways/direct_way.hpp"

#include "base/copy_bytes.hpp"
#include "execution/rank.hpp"
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

update_guard direct_way::guard_of(int target) const noexcept {
    member &of = members_.at(target);
    return {&of.updates, of.facts.copied};
}

update_guard direct_way::guard_of_array(int target) const noexcept {
    const bool alone = access_.excludes_others(target) && known_rank().calls_alone();
    return alone ? update_guard{} : guard_of(target);
}

protocol::request *direct_way::put(const transfer &of) {
    move(of.origin, here(of), of.origin.bytes());
    return nullptr;
}

protocol::request *direct_way::get(const transfer &of) {
    move(here(of), of.origin, of.target.bytes());
    return nullptr;
}

protocol::request *direct_way::update(const target_update &of) {
    const update_guard guard = guard_of_array(of.target.rank);
    update_dense(of, here(of),
                 [&](std::byte *at, const std::byte *operands, std::byte *former, std::size_t elements) {
                     of.how.apply(at, operands, former, elements, guard);
                 });
    return nullptr;
}

protocol::request *direct_way::fetch(const target_update &of) {
    if (of.how.element().size() != of.how.element().extent()) [[unlikely]] {
        return update(of);
    }
    of.how.apply(place_of(of), static_cast<const std::byte *>(of.origin.address),
                 static_cast<std::byte *>(of.result->address), 1, guard_of(of.target.rank));
    return nullptr;
}

protocol::request *direct_way::compare(const target_comparison &of) {
    static_cast<void>(compare_and_swap(*of.target.type, place_of(of),
                                       static_cast<const std::byte *>(of.compare),
                                       static_cast<const std::byte *>(of.origin.address),
                                       static_cast<std::byte *>(of.result), guard_of(of.target.rank)));
    return nullptr;
}

} // namespace lisle::rma
