// SPDX-License-Identifier: Apache-2.0
// Puts and gets of data in one piece where the caller has an address for the target's memory, straight from
// the arguments of the entry points: see fast_path.hpp.
#pragma once

#include "abi/check.hpp"
#include "base/copy_bytes.hpp"
#include "rma/order_by_peers.hpp"
#include "rma/window.hpp"

namespace lisle::api {

[[nodiscard]] inline bool try_put(const void *origin_addr, MPI_Count origin_count,
                                  MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
                                  MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win win) noexcept;
[[nodiscard]] inline bool try_get(void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                                  int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                                  MPI_Datatype target_datatype, MPI_Win win) noexcept;

namespace detail {

/// What is moved between a buffer of the caller's and the target.
struct plain_transfer {
    std::byte *target = nullptr; ///< null: it is no such transfer
    std::size_t bytes = 0;
};

[[gnu::always_inline]] inline plain_transfer find_plain_transfer(const void *origin, MPI_Count count,
                                                                 MPI_Datatype datatype, int target_rank,
                                                                 MPI_Aint target_disp, MPI_Count target_count,
                                                                 MPI_Datatype target_datatype,
                                                                 MPI_Win win) noexcept {
    if (datatype != target_datatype || count != target_count) {
        return {};
    }
    constexpr MPI_Count most = 1 << 20; // so that no product is too large
    const rank *const self = rank_at_once();
    const rma::window *const on = rma::find_window(win);
    const lisle::datatype *const type = find_datatype(datatype);
    if (self == nullptr || self->models_in_use.load(std::memory_order_relaxed) == 0 || on == nullptr ||
        type == nullptr || !type->plain() || type->size() > most || count <= 0 || count > most ||
        origin == nullptr) [[unlikely]] {
        return {};
    }
    const auto bytes = static_cast<std::size_t>(count * type->size());
    rma::note_order_by_peers(*on);
    return {on->reach_at_once(target_rank, target_disp, bytes), bytes};
}

} // namespace detail

[[gnu::always_inline]] inline bool try_put(const void *origin_addr, MPI_Count origin_count,
                                           MPI_Datatype origin_datatype, int target_rank,
                                           MPI_Aint target_disp, MPI_Count target_count,
                                           MPI_Datatype target_datatype, MPI_Win win) noexcept {
    const auto [target, bytes] =
        detail::find_plain_transfer(origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                                    target_count, target_datatype, win);
    if (target == nullptr) {
        return false;
    }
    copy_bytes(target, origin_addr, bytes);
    return true;
}

[[gnu::always_inline]] inline bool try_get(void *origin_addr, MPI_Count origin_count,
                                           MPI_Datatype origin_datatype, int target_rank,
                                           MPI_Aint target_disp, MPI_Count target_count,
                                           MPI_Datatype target_datatype, MPI_Win win) noexcept {
    const auto [target, bytes] =
        detail::find_plain_transfer(origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                                    target_count, target_datatype, win);
    if (target == nullptr) {
        return false;
    }
    copy_bytes(origin_addr, target, bytes);
    return true;
}

} // namespace lisle::api
