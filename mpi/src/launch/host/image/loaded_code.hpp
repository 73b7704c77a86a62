// SPDX-License-Identifier: Apache-2.0
// The code and data that a rank has for itself.
#pragma once

#include "launch/host/image/image.hpp"
#include "launch/host/image/opened_libraries.hpp"
#include "launch/host/rank/hosted_rank.hpp"

#include <optional>

namespace lisle::host {

struct loaded_code {
    std::optional<image> program; ///< with its own libraries; loaded before the rank runs
    opened_libraries opened;      ///< what it opens besides

    /// Whether this is code or data of the rank's own copies.
    [[nodiscard]] bool owns(const void *address) const {
        return program->contains(address) || opened.owner_of(address) != nullptr;
    }
};

inline const rank_slot<loaded_code> rank_code;

/// The rank's image of the program. @pre it is loaded
[[nodiscard]] inline const image &image_of(const hosted_rank &rank) {
    return *rank_code.of(rank).program;
}

} // namespace lisle::host
