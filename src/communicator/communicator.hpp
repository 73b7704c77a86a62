// SPDX-License-Identifier: Apache-2.0
// A communicator as one rank holds it: its groups, its two channels, and what users attach to it.
#pragma once

#include <atomic>
#include <string>

#include "communicator/attributes.hpp"
#include "communicator/errhandler.hpp"
#include "communicator/group.hpp"
#include "protocol/channel.hpp"
#include "runtime/object.hpp"

namespace lisle {

class communicator : public object {
  public:
    static constexpr object_kind kind_of_object = object_kind::communicator;

    /// An intra-communicator (remote null) or an inter-communicator; takes a share of each group.
    /// @param context an even number, agreed by all members; the odd one after it is used as well
    communicator(std::uint64_t context, const group &local, const group *remote);

    /// The calling rank's own rank in the local group.
    [[nodiscard]] int rank() const noexcept { return point_to_point.self; }
    /// Size of the local group.
    [[nodiscard]] int size() const noexcept { return local_->size(); }
    [[nodiscard]] bool inter() const noexcept { return remote_ != nullptr; }
    /// Size of the group that destinations are ranks of.
    [[nodiscard]] int peer_count() const noexcept { return point_to_point.peers->size(); }
    [[nodiscard]] const group &local_group() const noexcept { return *local_; }
    [[nodiscard]] const group &remote_group() const noexcept { return *remote_; }

    /// User messages.
    protocol::channel point_to_point;
    /// Messages of collectives: never seen by the user's wildcards. `peers` as for point_to_point.
    protocol::channel collective;
    /// Messages of collectives within the local group: the same as `collective` for an
    /// intra-communicator, a context of its own for an inter-communicator.
    protocol::channel local_collective;
    errhandler_ref errors;
    attribute_set attributes;
    std::string name;

    /// Shared ownership: the user's handle and every active request hold a share, so that a freed
    /// communicator stays until its operations are complete (MPI_Comm_free).
    void retain() noexcept;
    void release() noexcept;
};

} // namespace lisle
