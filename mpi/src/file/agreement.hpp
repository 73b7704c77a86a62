// SPDX-License-Identifier: Apache-2.0
// Agreement among the ranks of a file on results of the system that only one of them has.
#pragma once

#include <optional>
#include <vector>

#include "base/error.hpp"
#include "communicator/agreement.hpp"
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

/// Those of the file, for their next agreement.
[[nodiscard]] party all_of(communicator &members);
/// The first rank's value, for all.
template <class T> void agree_on(communicator &members, T &value) {
    all_of(members).broadcast(value);
}

/// The sentence of ranks that have not failed themselves.
[[nodiscard]] mpi_error error_of_other(int rank, int code);

/// The values of all ranks, by rank. Throws at all of them if one has no memory for them.
template <class T> [[nodiscard]] std::vector<T> gather(communicator &members, const T &own) {
    return all_of(members).allgather(own);
}

} // namespace lisle::file
