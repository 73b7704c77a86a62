// SPDX-License-Identifier: Apache-2.0
#include "base/open_handles.hpp"

#include <algorithm>
#include <new>
#include <string_view>

namespace lisle {

void open_handles::add(open_handle given) {
    const std::scoped_lock lock{mutex_};
    // MPI_Comm_get_parent gives the same one again, which is freed once.
    if (std::string_view{given.noun} == "communicator" && open_.contains(given.value)) {
        return;
    }
    try {
        given.number = given_++;
        open_.emplace(given.value, given);
    } catch (const std::bad_alloc &) { // the call has succeeded: a handle is not listed, a request is counted
        if (std::string_view{given.noun} == "request") {
            count_requests(1, false);
        }
    }
}

bool open_handles::drop(std::uintptr_t value, const char *noun) {
    const std::scoped_lock lock{mutex_};
    const auto latest = latest_locked(value, noun);
    if (latest == open_.end()) {
        return false;
    }
    open_.erase(latest);
    return true;
}

std::optional<open_handle> open_handles::find(std::uintptr_t value, const char *noun) const {
    const std::scoped_lock lock{mutex_};
    const auto latest = latest_locked(value, noun);
    return latest != open_.end() ? std::optional{latest->second} : std::nullopt;
}

open_handles::table::const_iterator open_handles::latest_locked(std::uintptr_t value,
                                                                const char *noun) const {
    auto latest = open_.end();
    for (auto [at, end] = open_.equal_range(value); at != end; ++at) {
        const bool later = latest == open_.end() || at->second.number > latest->second.number;
        if (later && std::string_view{at->second.noun} == noun) {
            latest = at;
        }
    }
    return latest;
}

std::vector<open_handle> open_handles::take_all() {
    std::vector<open_handle> all;
    {
        const std::scoped_lock lock{mutex_};
        all.reserve(open_.size());
        for (const auto &[value, entry] : open_) {
            all.push_back(entry);
        }
        open_.clear();
    }
    std::ranges::sort(all, {}, &open_handle::number);
    return all;
}

} // namespace lisle
