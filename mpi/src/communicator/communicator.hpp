// SPDX-License-Identifier: Apache-2.0
// A communicator as one rank holds it: its groups, its message spaces, and what users attach to it. Each
// rank has its own object for each communicator; the groups may be shared with other ranks of the
// process. Groups and contexts never change after construction.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/object.hpp"
#include "communicator/attributes.hpp"
#include "communicator/context.hpp"
#include "communicator/errhandler.hpp"
#include "communicator/hints.hpp"
#include "communicator/topology.hpp"
#include "protocol/message/channel.hpp"
#include "world/group.hpp"

namespace lisle {

/// See the file's head. Any thread of the rank may use one at any time.
class communicator : public object {
  public:
    static constexpr object_kind kind_of_object = object_kind::communicator;

    /// An intra-communicator (remote null) or an inter-communicator; takes a share of each group.
    /// @param context a base context, agreed by all members
    /// @param self the calling rank's own rank in `local`
    communicator(std::uint64_t context, const group &local, const group *remote, int self);

    /// For each rank of a communicator of threads the distance of its context from that of rank 0, see
    /// channel::lanes.
    using lane_list = std::shared_ptr<const std::vector<std::uint64_t>>;
    /// Makes this a thread's communicator among others of its process. @pre nobody knows the communicator yet
    void use_lanes(lane_list lanes) noexcept;
    /// Null unless of_threads().
    [[nodiscard]] const lane_list &lanes() const noexcept { return lanes_; }
    [[nodiscard]] bool of_threads() const noexcept { return point_to_point.lanes != nullptr; }

    /// The calling rank's own rank in the local group.
    [[nodiscard]] int rank() const noexcept { return point_to_point.self; }
    /// Size of the local group.
    [[nodiscard]] int size() const noexcept { return local_->size(); }
    [[nodiscard]] bool inter() const noexcept { return static_cast<bool>(remote_); }
    /// Size of the group that destinations are ranks of.
    [[nodiscard]] int peer_count() const noexcept { return point_to_point.peers->size(); }
    [[nodiscard]] const group &local_group() const noexcept { return *local_; }
    /// @pre inter()
    [[nodiscard]] const group &remote_group() const noexcept { return *remote_; }
    /// The base context: equal for all members, unique in the job.
    [[nodiscard]] std::uint64_t context() const noexcept { return point_to_point.context; }

    /// User messages.
    protocol::channel point_to_point;
    /// Messages of collectives: never seen by the user's wildcards. `peers` as for point_to_point.
    protocol::channel collective;
    /// Messages of collectives within the local group: the same as `collective` for an
    /// intra-communicator, a context of its own for an inter-communicator.
    protocol::channel local_collective;
    /// Another message space of this communicator, see context.hpp; the local group's where that says so.
    [[nodiscard]] protocol::channel channel(message_space space) const noexcept;

    /// How many collectives (blocking or not; persistent ones) the rank has begun here: what tells their
    /// messages apart, see collective/selection/launch.cpp. Atomic for threads that take turns; orders
    /// nothing.
    std::atomic<std::uint32_t> collectives{0};
    std::atomic<std::uint32_t> persistent_collectives{0};
    /// Counts a collective. The user orders those of a communicator, so no two threads are here at once.
    static void count_one(std::atomic<std::uint32_t> &of) noexcept {
        of.store(of.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }
    /// The tag for the next operation that creates a communicator from this one. All members make these
    /// calls in one order, so they agree on the tags, and the messages of two such operations that are
    /// under way at once do not meet.
    [[nodiscard]] int next_agreement_tag() noexcept;

    errhandler_slot errors;
    attribute_set attributes;
    communicator_hints hints;
    /// The virtual topology, or null. Set before the user gets the communicator, and never changed.
    std::shared_ptr<const topology> shape;
    /// The session that it comes from (session.hpp), 0: none. Atomic for threads that look what the rank has
    /// while another one makes it; orders nothing.
    std::atomic<std::uint64_t> session = 0;
    /// The user's name for it, empty if there is none.
    [[nodiscard]] std::string name() const;
    void set_name(std::string name);
    /// How sentences call it: its name, or "the communicator".
    [[nodiscard]] std::string label() const;

    /// The user's handle: a constant for the predefined ones, that of the whole for a thread's part of a
    /// communicator of threads.
    [[nodiscard]] MPI_Comm handle() noexcept;
    [[nodiscard]] bool predefined() const noexcept { return predefined_; }
    /// Sets the context of a communicator that was made with context 0, before one was agreed. Waits where
    /// there is no memory. @pre nobody has used the communicator yet
    void settle_context(std::uint64_t context);
    /// Whether it is made in the background: until that has ended the user must not use it, and is refused.
    void be_unfinished(bool now) noexcept {
        revive(now ? object_kind::unfinished_communicator : object_kind::communicator);
    }
    /// Makes this MPI_COMM_WORLD or MPI_COMM_SELF. @pre nobody knows the communicator yet
    void become_predefined(MPI_Comm constant, std::string name);
    /// The user knows this one by another handle. @pre nobody knows the communicator yet
    void stand_behind(MPI_Comm handle) noexcept { known_as_ = handle; }

    /// Shared ownership: the user's handle and every active request hold a share, so that a freed
    /// communicator stays until its operations are complete (MPI_Comm_free).
    void retain() noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
    void release() noexcept;

    // For communicator_local only.
    using local_slot = std::atomic<void *>;
    /// What a slot holds before its module's first request.
    [[nodiscard]] static void *not_sought() noexcept { return &slot_mark; }
    /// @param destroy ends what the slot holds
    static std::size_t allot_slot(void (*destroy)(void *));
    [[nodiscard]] local_slot &local(std::size_t index) const noexcept { return slots_[index]; }
    static constexpr std::size_t most_slots = 8;

  private:
    static std::byte slot_mark;

    ~communicator();
    /// @param home the engine for this context
    void use_context(std::uint64_t context, protocol::engine &home) noexcept;
    /// Hears of the members' failures from now on.
    void watch_members();
    /// Nobody finds the communicator by its context from now on.
    void give_up_context() noexcept;
    /// Of both groups, as numbers in the job.
    [[nodiscard]] std::vector<int> members() const;

    const group_ref local_;
    const group_ref remote_;
    MPI_Comm known_as_ = MPI_COMM_NULL; ///< a handle that is not this object's own
    bool predefined_ = false;
    lane_list lanes_;
    // Counts; what else must be ordered is ordered by the order of the calls.
    std::atomic<unsigned> agreements_{0};
    mutable std::mutex name_mutex_; ///< protects name_
    std::string name_;
    // The last decrement acquires what all others released.
    std::atomic<int> references_{1};
    // A module publishes here what it has made; see communicator_local.
    mutable std::array<local_slot, most_slots> slots_;
};

using communicator_ref = ref<communicator>;

} // namespace lisle
