// SPDX-License-Identifier: Apache-2.0
// Agreement among the ranks of a file on results of the system that only one of them has.
#pragma once

#include <cstddef>
#include <optional>
#include <type_traits>
#include <vector>

#include "base/error.hpp"
#include "communicator/communicator.hpp"

namespace lisle::file {

/// The result of a rank's part of a collective call.
using failure = std::optional<mpi_error>;

/// Does something that may fail.
template <class Action> [[nodiscard]] failure attempt(Action action) {
    try {
        action();
        return std::nullopt;
    } catch (const std::exception &caught) {
        return error_of(caught);
    }
}

/// Returns when all ranks have called it. If any has failed, all throw: those that have, their own error, and
/// the others that of the first one.
void agree(communicator &members, const failure &own);

void broadcast_bytes(communicator &members, void *bytes, std::size_t size);
/// The first rank's value, for all.
template <class T> void agree_on(communicator &members, T &value) {
    static_assert(std::is_trivially_copyable_v<T>);
    broadcast_bytes(members, &value, sizeof value);
}

/// The sentence of ranks that have not failed themselves.
[[nodiscard]] mpi_error error_of_other(int rank, int code);

void allgather_bytes(communicator &members, const void *own, std::size_t size, void *all);
/// The values of all ranks, by rank.
template <class T> [[nodiscard]] std::vector<T> gather(communicator &members, const T &own) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<T> all(static_cast<std::size_t>(members.size()));
    allgather_bytes(members, &own, sizeof own, all.data());
    return all;
}

} // namespace lisle::file
