// SPDX-License-Identifier: Apache-2.0
// The shared-memory collective area of a communicator: memory through which its ranks of one node pass the
// data of collectives. Each rank alone writes its rank area: a ring of slots, one for each operation under
// way, a ring of small slots, and the number of operations that it has finished. Data that do not fit a slot
// lie in a page of a second ring, made when it is first needed; for longer data ranks post buffer
// descriptors.
//
// A rank enters the next operation when it has finished the one before. All ranks enter the operations in the
// same order, so no wait is circular, and a post for operation k says that its rank has finished all before
// k. A few bytes that go one way only lie in a small slot: several share a cache line, so a rank that posts
// faster than others read hands over one line for several posts.
// Invariant: slot k % depth of a rank area is written for operation k only after all members have finished
// operation k - depth; the same holds for pages and small slots and their depths.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "collective/area/members.hpp"
#include "collective/area/pages.hpp"
#include "collective/area/posts.hpp"
#include "collective/area/rank_areas.hpp"
#include "collective/area/turns.hpp"
#include "collective/places.hpp"
#include "communicator/communicator_local.hpp"
#include "fabric/shared_memory.hpp"

namespace lisle::collective {

class collective_area {
  public:
    using place = post_place;
    /// @param bytes the most that a rank posts @param one_way no rank waits for one that waits for it
    [[nodiscard]] static constexpr place place_of(MPI_Count bytes, bool one_way) noexcept {
        return bytes > rank_areas::most_in_slot                     ? place::page
               : one_way && bytes <= rank_areas::most_in_small_slot ? place::small_slot
                                                                    : place::slot;
    }

    /// The area of an intra-communicator, made at the first call; null if its ranks share no memory.
    /// Every member has called this, or none.
    [[nodiscard]] static collective_area *of(const communicator &comm);
    /// The same once it has been looked for, for any thread of the rank.
    [[nodiscard]] static collective_area *found(const communicator &comm) noexcept;

    /// The area of those ranks of a communicator that are on the calling rank's node, which are several;
    /// null: they share no memory. The same for all of them.
    /// @param members the ranks, in their order, which outlives the area @param node their node's number
    [[nodiscard]] static std::unique_ptr<collective_area> make(const communicator &comm, const group &members,
                                                               int self, const area_keys &keys);

    /// @param memory of rank_areas::bytes(members.size()), zero before its first use, common to all members
    /// @param keys of that memory and of the pages' @param members outlive the area, as their fabric does
    /// @param home the calling rank's engine @param self the calling rank among the members
    collective_area(fabric::shared_memory &medium, std::byte *memory, const area_keys &keys,
                    protocol::engine &home, const group &members, int self, bool one_process)
        : medium_{medium}, home_{home}, context_{keys.area}, members_{medium, members, self, one_process},
          pages_{medium, keys.pages, members.size()}, posts_{rank_areas{memory}, pages_, members_},
          turns_{rank_areas{memory}, members_} {}
    collective_area(const collective_area &) = delete;
    collective_area &operator=(const collective_area &) = delete;
    ~collective_area() { medium_.leave_block(context_, members_.count()); }

    /// True if a rank may post so much. All members ask alike, before the operation that they ask for.
    [[nodiscard]] bool takes(MPI_Count bytes) {
        return bytes <= rank_areas::most_in_slot || (bytes <= pages::most && pages_.open());
    }
    /// True if ranks that do not know each other's sizes may post more than fits a slot. As takes().
    [[nodiscard]] bool uses_pages() {
        constexpr int most_near = 64; // pages for more ranks of one process would take too much memory
        return (!members_.one_process() || members_.count() <= most_near) && pages_.open();
    }

    /// A context of the communicator.
    [[nodiscard]] std::uint64_t context() const noexcept { return context_; }
    /// The engine of the communicator.
    [[nodiscard]] protocol::engine &home() const noexcept { return home_; }
    [[nodiscard]] area_members &members() noexcept { return members_; }
    [[nodiscard]] const area_members &members() const noexcept { return members_; }
    [[nodiscard]] collective::posts &posts() noexcept { return posts_; }
    [[nodiscard]] const collective::posts &posts() const noexcept { return posts_; }
    [[nodiscard]] collective::turns &turns() noexcept { return turns_; }
    [[nodiscard]] const collective::turns &turns() const noexcept { return turns_; }

  private:
    fabric::shared_memory &medium_;
    protocol::engine &home_;
    std::uint64_t context_; ///< also the key of the memory
    area_members members_;
    pages pages_;
    collective::posts posts_;
    collective::turns turns_;
};

inline const communicator_local<collective_area> areas{[](const communicator &comm) {
    return collective_area::make(comm, comm.local_group(), comm.rank(), keys_of(comm.context()));
}};

inline collective_area *collective_area::of(const communicator &comm) {
    return areas.of(comm);
}
inline collective_area *collective_area::found(const communicator &comm) noexcept {
    return areas.found(comm);
}

} // namespace lisle::collective
