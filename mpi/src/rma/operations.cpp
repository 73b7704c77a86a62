// SPDX-License-Identifier: Apache-2.0
#include "rma/operations.hpp"

#include "base/error.hpp"
#include "rma/state/order_by_peers.hpp"
#include "rma/state/store_order.hpp"
#include "rma/state/target_address.hpp"
#include "rma/state/window_orders.hpp"

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
    note_order_by_peers(on.members);
}

/// @param from,to bytes on the two sides of the transfer @param side which one `to` is
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

/// @param brings what the target had: so this rank hears of those who have updated that memory before
template <class Update>
protocol::request *in_order(window &on, int target, bool brings, const Update &update) {
    const window_orders orders{on.members};
    orders.updates(target);
    protocol::request *const started = update();
    if (brings) {
        orders.updated(target);
    }
    return started;
}

} // namespace

protocol::request *put(window &on, const typed_buffer &origin, const target_data &target) {
    check_epoch(on, target.rank);
    store_order::note();
    const MPI_Count bytes = origin.bytes();
    check_fits(bytes, target.bytes(), "target");
    window_orders{on.members}.puts(target.rank);
    const std::uint64_t address = address_of(on.members, target);
    return bytes == 0 ? nullptr : on.ways.to(target.rank).put({origin, target, address});
}

protocol::request *get(window &on, const typed_buffer &origin, const target_data &target) {
    check_epoch(on, target.rank);
    store_order::before_read();
    const MPI_Count bytes = target.bytes();
    check_fits(bytes, origin.bytes(), "origin");
    const std::uint64_t address = address_of(on.members, target);
    return bytes == 0 ? nullptr : on.ways.to(target.rank).get({origin, target, address});
}

protocol::request *accumulate(window &on, const typed_buffer &origin, const typed_buffer *result,
                              const target_data &target, const op &operation) {
    check_epoch(on, target.rank);
    store_order::before_read();
    store_order::note();
    if (origin.count == 0 && target.count == 0) {
        return nullptr; // even if the operation takes no elements of the type
    }
    const element_update update{operation, *target.type};
    const MPI_Count bytes = update.reads_only() ? target.bytes() : origin.bytes();
    check_fits(bytes, target.bytes(), "target");
    check_whole_elements(bytes, update.element());
    if (result != nullptr) {
        check_fits(bytes, result->bytes(), "result");
    }
    const std::uint64_t address = address_of(on.members, target);
    return bytes == 0 ? nullptr : in_order(on, target.rank, result != nullptr, [&] {
        return on.ways.to(target.rank).update({{origin, target, address}, bytes, result, update});
    });
}

protocol::request *fetch_and_op(window &on, const void *origin, void *result, const target_data &target,
                                const op &operation) {
    check_epoch(on, target.rank);
    store_order::before_read();
    store_order::note();
    const element_update update{operation, *target.type};
    const std::uint64_t address = address_of(on.members, target);
    const typed_buffer into{result, 1, *target.type};
    return in_order(on, target.rank, true, [&] {
        return on.ways.to(target.rank)
            .fetch({{{origin, 1, *target.type}, target, address}, target.bytes(), &into, update});
    });
}

protocol::request *compare_and_swap(window &on, const void *origin, const void *compare, void *result,
                                    const target_data &target) {
    check_epoch(on, target.rank);
    store_order::before_read();
    store_order::note();
    check_compare_type(*target.type);
    const std::uint64_t address = address_of(on.members, target);
    return in_order(on, target.rank, true, [&] {
        return on.ways.to(target.rank)
            .compare({{{origin, 1, *target.type}, target, address}, compare, result});
    });
}

} // namespace lisle::rma
