// SPDX-License-Identifier: Apache-2.0
#include "rma/operations.hpp"

#include <vector>

#include "base/copy_bytes.hpp"
#include "base/error.hpp"
#include "execution/rank.hpp"
#include "rma/element_runs.hpp"
#include "rma/kernel_copies.hpp"
#include "rma/kernel_updates.hpp"
#include "rma/order_by_peers.hpp"

namespace lisle::rma {

namespace {

[[noreturn, gnu::cold, gnu::noinline]] void fail_outside_epoch(int target) {
    fail(MPI_ERR_RMA_SYNC, "target ", target,
         " is accessed outside of an epoch: call MPI_Win_fence, MPI_Win_start, MPI_Win_lock or "
         "MPI_Win_lock_all first");
}

void check_epoch(window &on, int target) {
    if (!on.access.allows(target)) [[unlikely]] {
        fail_outside_epoch(target);
    }
    note_order_by_peers(on);
}

/// @param from,to which side of the transfer each is
void check_fits(MPI_Count from, MPI_Count to, const char *side) {
    if (from > to) [[unlikely]] {
        fail(MPI_ERR_TRUNCATE, "there are ", from, " bytes of data, but the buffer at the ", side, " takes ",
             to);
    }
}

void check_whole_elements(MPI_Count bytes, const datatype &element) {
    if (element.size() == 0 || bytes % element.size() != 0) [[unlikely]] {
        fail(MPI_ERR_TYPE, bytes,
             " bytes of operands are no whole number of elements of the target's type, which have ",
             element.size());
    }
}

void move(const typed_buffer &from, const typed_buffer &to, MPI_Count bytes) {
    if (from.type->contiguous() && to.type->contiguous()) [[likely]] {
        copy_bytes(to.address, from.address, static_cast<std::size_t>(bytes));
    } else if (bytes != 0) {
        copy(from, to, 0, bytes);
    }
}

/// How elements of the target are changed by those that have an address for them.
update_guard guard_of(window &on, int target) noexcept {
    member &of = on.at(target);
    return {&of.updates, of.facts.copied};
}
/// The same for an array, which is faster where nobody else changes it meanwhile.
update_guard guard_of_array(window &on, int target) noexcept {
    const bool alone = on.access.excludes_others(target) && known_rank().calls_alone();
    return alone ? update_guard{} : guard_of(on, target);
}

/// The data of a buffer without gaps: the buffer itself, or a copy.
class dense_data {
  public:
    explicit dense_data(const typed_buffer &of) : data_{static_cast<std::byte *>(of.address)} {
        if (!of.type->contiguous()) {
            copy_.resize(static_cast<std::size_t>(of.bytes()));
            data_ = copy_.data();
        }
    }
    [[nodiscard]] std::byte *get() const noexcept { return data_; }
    [[nodiscard]] std::span<std::byte> copied() noexcept { return copy_; }

  private:
    std::byte *data_;
    std::vector<std::byte> copy_;
};

} // namespace

protocol::request *put(window &on, const typed_buffer &origin, const target_data &target) {
    check_epoch(on, target.rank);
    store_order::note();
    const MPI_Count bytes = origin.bytes();
    check_fits(bytes, target.bytes(), "target");
    const std::uint64_t address = address_of(on, target);
    if (std::byte *const there = direct_address(on, target, address); there != nullptr) [[likely]] {
        move(origin, {there, target.count, *target.type}, bytes);
        return nullptr;
    }
    if (bytes == 0 || write_by_kernel(on, origin, target, address)) {
        return nullptr;
    }
    protocol::request *const started = on.copies.put(origin, target, address);
    if (started == nullptr) {
        on.origin.put(origin, target, address);
    }
    return started;
}

protocol::request *get(window &on, const typed_buffer &origin, const target_data &target) {
    check_epoch(on, target.rank);
    store_order::before_read();
    const MPI_Count bytes = target.bytes();
    check_fits(bytes, origin.bytes(), "origin");
    const std::uint64_t address = address_of(on, target);
    if (const std::byte *const there = direct_address(on, target, address); there != nullptr) [[likely]] {
        move({there, target.count, *target.type}, origin, bytes);
        return nullptr;
    }
    if (bytes == 0 || read_by_kernel(on, origin, target, address)) {
        return nullptr;
    }
    protocol::request *const started = on.copies.get(origin, target, address);
    return started != nullptr ? started : on.origin.get(origin, target, address);
}

protocol::request *accumulate(window &on, const typed_buffer &origin, const typed_buffer *result,
                              const target_data &target, const op &operation) {
    check_epoch(on, target.rank);
    store_order::before_read();
    store_order::note();
    if (origin.count == 0 && target.count == 0) {
        return nullptr; // whether the operation takes elements of the type is no question
    }
    const element_update update{operation, *target.type};
    const MPI_Count bytes = update.reads_only() ? target.bytes() : origin.bytes();
    check_fits(bytes, target.bytes(), "target");
    check_whole_elements(bytes, update.element());
    if (result != nullptr) {
        check_fits(bytes, result->bytes(), "result");
    }
    const std::uint64_t address = address_of(on, target);
    std::byte *there = direct_address(on, target, address);
    const bool by_kernel = there == nullptr && updates_by_kernel(on, target);
    if (there == nullptr && !by_kernel) {
        return bytes == 0 ? nullptr : on.origin.update(origin, bytes, result, target, address, update);
    }
    if (by_kernel) {
        there = reinterpret_cast<std::byte *>(address); // in the target's terms
    }
    dense_data operands = update.reads_only() ? dense_data{{nullptr, 0, byte_type()}} : dense_data{origin};
    if (!operands.copied().empty()) {
        pack(origin, 0, operands.copied());
    }
    dense_data former = result != nullptr ? dense_data{*result} : dense_data{{nullptr, 0, byte_type()}};
    const std::byte *from = operands.get();
    std::byte *to = former.get();
    const update_guard guard = guard_of_array(on, target.rank);
    const auto element_size = static_cast<std::size_t>(update.element().size());
    for_each_element_run({there, target.count, *target.type}, bytes, update.element(),
                         [&](std::byte *at, std::size_t elements) {
                             if (by_kernel) {
                                 update_by_kernel(on, target.rank, reinterpret_cast<std::uint64_t>(at),
                                                  update, from, to, elements);
                             } else {
                                 update.apply(at, from, to, elements, guard);
                             }
                             from = from != nullptr ? from + elements * element_size : nullptr;
                             to = to != nullptr ? to + elements * element_size : nullptr;
                         });
    if (result != nullptr && !former.copied().empty()) {
        unpack(*result, 0, former.copied().first(static_cast<std::size_t>(bytes)));
    }
    return nullptr;
}

protocol::request *fetch_and_op(window &on, const void *origin, void *result, const target_data &target,
                                const op &operation) {
    check_epoch(on, target.rank);
    store_order::before_read();
    store_order::note();
    const element_update update{operation, *target.type};
    const std::uint64_t address = address_of(on, target);
    std::byte *const there = direct_address(on, target, address);
    if (there != nullptr && update.element().size() == update.element().extent()) [[likely]] {
        update.apply(there, static_cast<const std::byte *>(origin), static_cast<std::byte *>(result), 1,
                     guard_of(on, target.rank));
        return nullptr;
    }
    const typed_buffer into{result, 1, *target.type};
    return accumulate(on, {origin, 1, *target.type}, &into, target, operation);
}

protocol::request *compare_and_swap(window &on, const void *origin, const void *compare, void *result,
                                    const target_data &target) {
    check_epoch(on, target.rank);
    store_order::before_read();
    store_order::note();
    check_compare_type(*target.type);
    const std::uint64_t address = address_of(on, target);
    std::byte *const there = direct_address(on, target, address);
    const auto *const expected = static_cast<const std::byte *>(compare);
    const auto *const wanted = static_cast<const std::byte *>(origin);
    auto *const former = static_cast<std::byte *>(result);
    if (there != nullptr) [[likely]] {
        static_cast<void>(
            compare_and_swap(*target.type, there, expected, wanted, former, guard_of(on, target.rank)));
        return nullptr;
    }
    if (updates_by_kernel(on, target)) {
        compare_by_kernel(on, target.rank, address, *target.type, expected, wanted, former);
        return nullptr;
    }
    return on.origin.compare(origin, compare, result, target, address);
}

} // namespace lisle::rma
