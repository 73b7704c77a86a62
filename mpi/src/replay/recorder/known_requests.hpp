// SPDX-License-Identifier: Apache-2.0
// What a request stands for. Several may have one handle: sends that are over when they have begun.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <unordered_map>

#include "mpi.h"
#include "replay/recorder/known_handles.hpp"

namespace lisle::replay {

struct known_request {
    std::uint32_t place = 0;
    /// Where the record has a source or a tag that a receive has left open, which is known when it is over.
    std::optional<std::size_t> source_at = {}, tag_at = {};
    [[nodiscard]] bool is_open() const noexcept { return source_at || tag_at; }
};

class known_requests {
  public:
    const known_request &note(MPI_Request made) {
        return by_handle_[made].emplace_back(known_request{free_.take()});
    }
    /// The latest with this handle is a receive that has left its source or tag open.
    /// @param arguments where in the record those of its call begin @param source @param tag where among them
    void leave_open(MPI_Request made, std::size_t arguments, std::optional<std::size_t> source,
                    std::optional<std::size_t> tag) {
        known_request &receive = by_handle_[made].back();
        receive.source_at = source ? std::optional{arguments + *source} : std::nullopt;
        receive.tag_at = tag ? std::optional{arguments + *tag} : std::nullopt;
    }
    /// @param nth of those that have this handle, the oldest first; null: there are not so many
    [[nodiscard]] const known_request *find(MPI_Request handle, std::size_t nth = 0) const {
        const auto found = by_handle_.find(handle);
        return found == by_handle_.end() || nth >= found->second.size() ? nullptr : &found->second[nth];
    }
    void forget(MPI_Request handle, std::uint32_t place) {
        const auto found = by_handle_.find(handle);
        if (found == by_handle_.end()) {
            return;
        }
        std::erase_if(found->second, [&](const known_request &each) { return each.place == place; });
        free_.give_back(place);
        if (found->second.empty()) {
            by_handle_.erase(found);
        }
    }

  private:
    std::unordered_map<MPI_Request, std::deque<known_request>> by_handle_;
    free_places free_;
};

} // namespace lisle::replay
