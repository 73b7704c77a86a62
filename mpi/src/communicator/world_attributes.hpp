// SPDX-License-Identifier: Apache-2.0
// The attributes that the standard defines: facts about the job, which the program can read but not
// change. Every communicator shows those of its model; they are not entries of its attribute set, so they
// cost nothing to duplicate.
#pragma once

namespace lisle {

struct world_description;

/// Fills in the calling rank's values. Part of create_world().
void set_world_attributes(const world_description &description);

/// True if `key` is one of these attributes.
[[nodiscard]] bool is_world_attribute(int key) noexcept;
/// True if communicators that come from a session have it: what is about the job belongs to the world model
/// [MPI-5.0 10.1.2].
[[nodiscard]] bool is_session_attribute(int key) noexcept;
/// Where the value of one is: valid until the rank ends. Null if the attribute is not set.
[[nodiscard]] const int *world_attribute(int key);

} // namespace lisle
