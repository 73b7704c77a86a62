// SPDX-License-Identifier: Apache-2.0
// From handles to objects. MPI_COMM_WORLD, MPI_COMM_SELF and MPI_INFO_ENV are constants that mean
// something else to each rank: they are looked up in the rank's own state, where the communicators exist
// from MPI_Init to MPI_Finalize. Handles that mean nothing give null.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "communicator/communicator.hpp"
#include "communicator/errhandler.hpp"
#include "communicator/info.hpp"
#include "execution/rank_local.hpp"
#include "world/group.hpp"

namespace lisle {

/// What a rank must know of its job to make MPI_COMM_WORLD.
struct world_description {
    int size = 1;
    int universe_size = 1; ///< value of the attribute MPI_UNIVERSE_SIZE
    /// Value of the attribute MPI_APPNUM: which program of the command line; negative: not set.
    int program_number = 0;
};

/// The predefined objects of one rank; null outside of MPI_Init..MPI_Finalize.
struct predefined_objects {
    communicator *world = nullptr;
    communicator *self = nullptr;
    communicator *parent = nullptr; ///< of a job that has been spawned, until it is freed
};
inline const rank_local<predefined_objects> predefined;

/// MPI_INFO_ENV of one rank, which may be asked for at any time.
struct environment_info : info {
    environment_info();
};
inline const rank_local<environment_info> environment;

/// Makes MPI_COMM_WORLD and MPI_COMM_SELF of the calling rank. Part of MPI_Init.
void create_world(const world_description &description);
/// Deletes the attributes of MPI_COMM_SELF, latest first, then MPI_COMM_WORLD's: the first thing that
/// MPI_Finalize does, while MPI still works. Throws what a callback failed with.
void delete_world_attributes();
/// Takes the predefined objects down. Part of MPI_Finalize.
void destroy_world() noexcept;

/// The calling thread's communicator if the handle is one of threads (thread_communicator.hpp), or null.
[[nodiscard, gnu::cold]] communicator *find_thread_member(MPI_Comm handle) noexcept;

/// The communicator behind a handle, or null.
[[nodiscard]] inline communicator *find_communicator(MPI_Comm handle) {
    if (handle == MPI_COMM_WORLD) [[likely]] {
        return this_rank().world;
    }
    if (handle == MPI_COMM_SELF) {
        return predefined->self;
    }
    auto *const found = object_of<communicator>(handle);
    return found != nullptr ? found : find_thread_member(handle);
}

/// The group behind a handle, or null.
[[nodiscard]] inline const group *find_group(MPI_Group handle) noexcept {
    if (handle == MPI_GROUP_EMPTY) {
        return &empty_group();
    }
    const group *const found = object_of<group>(handle);
    return found != nullptr && found->has_handle() ? found : nullptr;
}

/// The info object behind a handle, or null (MPI_INFO_NULL included).
[[nodiscard]] inline info *find_info(MPI_Info handle) {
    return handle == MPI_INFO_ENV ? &*environment : object_of<info>(handle);
}

/// A handle for the user, who takes over the share; MPI_COMM_NULL for none.
[[nodiscard]] MPI_Comm give_handle(communicator_ref created);
/// A handle for the user, who frees it some day; MPI_GROUP_EMPTY for a group without members.
[[nodiscard]] MPI_Group give_handle(group_ref target) noexcept;

} // namespace lisle
