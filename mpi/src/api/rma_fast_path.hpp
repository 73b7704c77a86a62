// SPDX-License-Identifier: Apache-2.0
// Accesses to memory for which the caller has an address, and flushes that have nothing to wait for, straight
// from the arguments of the entry points: see fast_path.hpp. One element of a predefined type is accessed
// here; other data in one piece are copied a call further. That the rank is in MPI is not asked: only then it
// has a window with an epoch, which is what each of these asks first.
#pragma once

#include "abi/check.hpp"
#include "base/copy_bytes.hpp"
#include "rma/elements/element_update.hpp"
#include "rma/state/order_by_peers.hpp"
#include "rma/window.hpp"

namespace lisle::api {

[[nodiscard]] inline bool try_put(const void *origin_addr, MPI_Count origin_count,
                                  MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
                                  MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win win) noexcept;
[[nodiscard]] inline bool try_get(void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                                  int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                                  MPI_Datatype target_datatype, MPI_Win win) noexcept;
[[nodiscard]] inline bool try_accumulate(const void *origin_addr, MPI_Count origin_count,
                                         MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
                                         MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op,
                                         MPI_Win win) noexcept;
[[nodiscard]] inline bool try_get_accumulate(const void *origin_addr, MPI_Count origin_count,
                                             MPI_Datatype origin_datatype, void *result_addr,
                                             MPI_Count result_count, MPI_Datatype result_datatype,
                                             int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                                             MPI_Datatype target_datatype, MPI_Op op, MPI_Win win) noexcept;
[[nodiscard]] inline bool try_fetch_and_op(const void *origin_addr, void *result_addr, MPI_Datatype datatype,
                                           int target_rank, MPI_Aint target_disp, MPI_Op op,
                                           MPI_Win win) noexcept;
[[nodiscard]] inline bool try_compare_and_swap(const void *origin_addr, const void *compare_addr,
                                               void *result_addr, MPI_Datatype datatype, int target_rank,
                                               MPI_Aint target_disp, MPI_Win win) noexcept;
[[nodiscard]] inline bool try_win_flush(int rank, MPI_Win win) noexcept;
[[nodiscard]] inline bool try_win_flush_local(int rank, MPI_Win win) noexcept;

// Of other data than one number, before the arguments are checked one by one.
[[nodiscard]] inline bool try_plain_put(const void *origin_addr, MPI_Count origin_count,
                                        MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
                                        MPI_Count target_count, MPI_Datatype target_datatype,
                                        MPI_Win win) noexcept;
[[nodiscard]] inline bool try_plain_get(void *origin_addr, MPI_Count origin_count,
                                        MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
                                        MPI_Count target_count, MPI_Datatype target_datatype,
                                        MPI_Win win) noexcept;

namespace detail {

/// What the processor moves by one instruction.
using number = std::uint64_t;

/// Finds the number in the target's memory that a put or get accesses. False: it is not one number, or to be
/// looked at further.
[[gnu::always_inline]] inline bool find_number(const void *origin, MPI_Count count, MPI_Datatype datatype,
                                               int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                                               MPI_Datatype target_datatype, const rma::window *on,
                                               std::byte *&found) noexcept {
    MPI_Count bytes = 0;
    if (datatype != target_datatype || count != target_count || on == nullptr || origin == nullptr ||
        __builtin_mul_overflow(count, MPI_Count{rma::traits_of(datatype).plain_size}, &bytes) ||
        bytes != sizeof(number)) {
        return false;
    }
    rma::note_order_by_peers(on->members);
    return on->reach_at_once(target_rank, target_disp, sizeof(number), found);
}

/// What is moved between a buffer of the caller's and the target.
struct plain_transfer {
    std::byte *target = nullptr;
    std::size_t bytes = 0;
};

/// False: it is no such transfer, or to be looked at further.
[[gnu::always_inline]] inline bool find_plain_transfer(const void *origin, MPI_Count count,
                                                       MPI_Datatype datatype, int target_rank,
                                                       MPI_Aint target_disp, MPI_Count target_count,
                                                       MPI_Datatype target_datatype, const rma::window *on,
                                                       plain_transfer &found) noexcept {
    if (datatype != target_datatype || count != target_count) {
        return false;
    }
    constexpr MPI_Count most = 1 << 20; // so that no product is too large
    const lisle::datatype *const type = find_datatype(datatype);
    if (on == nullptr || type == nullptr || !type->plain() || type->size() > most || count <= 0 ||
        count > most || origin == nullptr) [[unlikely]] {
        return false;
    }
    found.bytes = static_cast<std::size_t>(count * type->size());
    rma::note_order_by_peers(on->members);
    return on->reach_at_once(target_rank, target_disp, found.bytes, found.target);
}

template <class Value> [[gnu::always_inline]] inline Value load(const void *from) noexcept {
    Value value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

/// Calls `use` with the word in the target's memory. False: it is none that may be changed at once, or `use`
/// says so.
template <class Use> [[gnu::always_inline]] inline bool
on_word(rma::element_traits type, int target_rank, MPI_Aint target_disp, MPI_Win win, Use use) noexcept {
    const rma::window *const on = rma::find_window(win);
    if (on == nullptr ||
        (type.word_size != sizeof(std::uint64_t) && type.word_size != sizeof(std::uint32_t))) {
        return false;
    }
    std::byte *word = nullptr;
    if (!on->reach_word_at_once(target_rank, target_disp, type.word_size, word)) [[unlikely]] {
        return false;
    }
    rma::note_order_by_peers(on->members);
    return type.word_size == sizeof(std::uint64_t) ? use(rma::word_at<std::uint64_t>(word))
                                                   : use(rma::word_at<std::uint32_t>(word));
}

/// @param fetched is given what stood there before
template <class Fetched>
[[gnu::always_inline]] inline bool change_at_once(const void *operand, MPI_Datatype datatype, int target_rank,
                                                  MPI_Aint target_disp, MPI_Op op, MPI_Win win,
                                                  Fetched fetched) noexcept {
    const rma::element_traits type = rma::traits_of(datatype);
    if (op == MPI_SUM ? !type.adds : op != MPI_REPLACE && op != MPI_NO_OP) {
        return false;
    }
    if (operand == nullptr && op != MPI_NO_OP) [[unlikely]] {
        return false;
    }
    return on_word(
        type, target_rank, target_disp, win, [=](auto word) __attribute__((always_inline)) {
            using value = decltype(word.load());
            if (op == MPI_SUM) {
                fetched(word.fetch_add(load<value>(operand)));
            } else if (op == MPI_REPLACE) {
                fetched(word.exchange(load<value>(operand)));
            } else {
                rma::store_order::before_read();
                fetched(word.load());
            }
            return true;
        });
}

} // namespace detail

[[gnu::always_inline]] inline bool try_put(const void *origin_addr, MPI_Count origin_count,
                                           MPI_Datatype origin_datatype, int target_rank,
                                           MPI_Aint target_disp, MPI_Count target_count,
                                           MPI_Datatype target_datatype, MPI_Win win) noexcept {
    const rma::window *const on = rma::find_window(win);
    std::byte *target = nullptr;
    if (detail::find_number(origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                            target_count, target_datatype, on, target)) [[likely]] {
        std::memcpy(target, origin_addr, sizeof(detail::number));
        rma::store_order::note();
        return true;
    }
    return false;
}

[[gnu::always_inline]] inline bool try_get(void *origin_addr, MPI_Count origin_count,
                                           MPI_Datatype origin_datatype, int target_rank,
                                           MPI_Aint target_disp, MPI_Count target_count,
                                           MPI_Datatype target_datatype, MPI_Win win) noexcept {
    const rma::window *const on = rma::find_window(win);
    std::byte *target = nullptr;
    if (detail::find_number(origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                            target_count, target_datatype, on, target)) [[likely]] {
        rma::store_order::before_read();
        std::memcpy(origin_addr, target, sizeof(detail::number));
        return true;
    }
    return false;
}

inline bool try_plain_put(const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                          int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                          MPI_Datatype target_datatype, MPI_Win win) noexcept {
    const rma::window *const on = rma::find_window(win);
    detail::plain_transfer transfer;
    if (!detail::find_plain_transfer(origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                                     target_count, target_datatype, on, transfer)) {
        return false;
    }
    copy_bytes(transfer.target, origin_addr, transfer.bytes);
    rma::store_order::note();
    return true;
}

inline bool try_plain_get(void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                          int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                          MPI_Datatype target_datatype, MPI_Win win) noexcept {
    const rma::window *const on = rma::find_window(win);
    detail::plain_transfer transfer;
    if (!detail::find_plain_transfer(origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                                     target_count, target_datatype, on, transfer)) {
        return false;
    }
    rma::store_order::before_read();
    copy_bytes(origin_addr, transfer.target, transfer.bytes);
    return true;
}

/// Accumulates of one element.
[[gnu::always_inline]] inline bool try_accumulate(const void *origin_addr, MPI_Count origin_count,
                                                  MPI_Datatype origin_datatype, int target_rank,
                                                  MPI_Aint target_disp, MPI_Count target_count,
                                                  MPI_Datatype target_datatype, MPI_Op op,
                                                  MPI_Win win) noexcept {
    return origin_count == 1 && target_count == 1 && origin_datatype == target_datatype && op != MPI_NO_OP &&
           detail::change_at_once(origin_addr, origin_datatype, target_rank, target_disp, op, win,
                                  [](auto) {});
}

[[gnu::always_inline]] inline bool try_fetch_and_op(const void *origin_addr, void *result_addr,
                                                    MPI_Datatype datatype, int target_rank,
                                                    MPI_Aint target_disp, MPI_Op op, MPI_Win win) noexcept {
    return result_addr != nullptr && detail::change_at_once(
                                         origin_addr, datatype, target_rank, target_disp, op,
                                         win, [=](auto former) __attribute__((always_inline)) {
                                             std::memcpy(result_addr, &former, sizeof former);
                                         });
}

/// The same of one element; with MPI_NO_OP the origin means nothing.
[[gnu::always_inline]] inline bool try_get_accumulate(const void *origin_addr, MPI_Count origin_count,
                                                      MPI_Datatype origin_datatype, void *result_addr,
                                                      MPI_Count result_count, MPI_Datatype result_datatype,
                                                      int target_rank, MPI_Aint target_disp,
                                                      MPI_Count target_count, MPI_Datatype target_datatype,
                                                      MPI_Op op, MPI_Win win) noexcept {
    return result_count == 1 && target_count == 1 && result_datatype == target_datatype &&
           (op == MPI_NO_OP || (origin_count == 1 && origin_datatype == target_datatype)) &&
           try_fetch_and_op(origin_addr, result_addr, target_datatype, target_rank, target_disp, op, win);
}

[[gnu::always_inline]] inline bool try_compare_and_swap(const void *origin_addr, const void *compare_addr,
                                                        void *result_addr, MPI_Datatype datatype,
                                                        int target_rank, MPI_Aint target_disp,
                                                        MPI_Win win) noexcept {
    const rma::element_traits type = rma::traits_of(datatype);
    return type.compares && result_addr != nullptr && origin_addr != nullptr && compare_addr != nullptr &&
           detail::on_word(
               type, target_rank, target_disp, win, [=](auto word) __attribute__((always_inline)) {
                   rma::store_order::before_read(); // it may find another value, and write nothing
                   auto expected = detail::load<decltype(word.load())>(compare_addr);
                   word.compare_exchange_strong(expected, detail::load<decltype(expected)>(origin_addr));
                   std::memcpy(result_addr, &expected, sizeof expected);
                   return true;
               });
}

[[gnu::always_inline]] inline bool try_win_flush(int rank, MPI_Win win) noexcept {
    rma::window *const on = rma::find_window(win);
    return on != nullptr && on->flush_at_once(rank);
}

/// What is complete at the target is complete here.
[[gnu::always_inline]] inline bool try_win_flush_local(int rank, MPI_Win win) noexcept {
    return try_win_flush(rank, win);
}

} // namespace lisle::api
