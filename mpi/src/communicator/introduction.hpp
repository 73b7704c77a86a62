// SPDX-License-Identifier: Apache-2.0
// How two groups of ranks that may belong to several jobs get to know each other: all of a group tell its
// leader who they are, the leaders tell each other, and then each process knows where the others can be
// reached. [MPI-5.0 7.6.2, 11.8, 11.9]
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/shared_secret.hpp"
#include "communicator/communicator.hpp"

namespace lisle {

/// By which the leaders of two groups tell each other something.
class leaders_link {
  public:
    virtual ~leaders_link() = default;
    /// Sends bytes, and returns what the other leader sends. Throws mpi_error if it is gone.
    /// @param most a length that its bytes cannot exceed
    [[nodiscard]] virtual std::vector<std::byte> exchange(std::span<const std::byte> mine,
                                                          std::size_t most) = 0;
    /// What only the two leaders know, so that no secret of theirs need be said; nothing: there is none.
    [[nodiscard]] virtual std::optional<shared_secret> secret() const { return std::nullopt; }
};

/// Makes an inter-communicator of the caller's group and one that the leader has a link to. Collective over
/// both groups. @param local an intra-communicator @param leader its rank
/// @param meet called at the leader only; if it throws, so does the call at all of the leader's group
[[nodiscard]] communicator_ref introduce(communicator &local, int leader,
                                         const std::function<std::unique_ptr<leaders_link>()> &meet);

/// The names of a group's members as words, for other processes.
[[nodiscard]] std::vector<std::uint64_t> names_of(const group &members);

} // namespace lisle
