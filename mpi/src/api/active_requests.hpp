// SPDX-License-Identifier: Apache-2.0
// What the calls that complete requests and those that only ask about them have in common: from handles to
// requests that there is something to wait for, and looking through arrays of them.
#pragma once

#include <algorithm>

#include "base/error.hpp"
#include "communicator/communicator.hpp"
#include "protocol/engine.hpp"
#include "protocol/message/request.hpp"

namespace lisle::api {

using protocol::outcome;
using protocol::request;

inline request &resolve(MPI_Request handle) {
    auto *const found = object_of<request>(handle);
    if (found == nullptr) [[unlikely]] {
        fail(MPI_ERR_REQUEST, "the handle is not a request, or one that is complete and was freed");
    }
    return *found;
}

/// The request if there is something to wait for: neither null nor an inactive persistent one.
inline request *active(MPI_Request handle) {
    if (handle == MPI_REQUEST_NULL) {
        return nullptr;
    }
    request &found = resolve(handle);
    return found.active ? &found : nullptr;
}

/// What completes without an operation: alone among the calls' statuses, its MPI_ERROR is set too. [3.7.3]
inline void store_empty(MPI_Status *status) {
    outcome{}.store(status);
    if (status != MPI_STATUS_IGNORE) {
        status->MPI_ERROR = MPI_SUCCESS;
    }
}

inline MPI_Status *at(MPI_Status *statuses, int index) {
    return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : statuses + index;
}

/// Gives a request back. Returns the error code of the user's callback that freed its state, if it had one.
inline int dispose(request &finished) {
    // Written only if set: the request of all sends that are complete at once is shared by the rank's
    // threads, and never has one.
    communicator *const comm = finished.comm;
    if (comm != nullptr) {
        finished.comm = nullptr;
    }
    const int result = finished.give_back();
    finished.free();
    if (comm != nullptr && !comm->predefined()) {
        comm->release();
    }
    return result;
}

enum class search_result : unsigned char { found, none_yet, none_active };

/// Looks for a complete request among the active ones.
inline search_result find_complete(int count, const MPI_Request *requests, int *index) {
    bool any_active = false;
    for (int i = 0; i < count; ++i) {
        if (request *const candidate = active(requests[i])) {
            any_active = true;
            if (candidate->is_complete()) {
                *index = i;
                return search_result::found;
            }
        }
    }
    return any_active ? search_result::none_yet : search_result::none_active;
}

inline bool is_any_active(int count, const MPI_Request *requests) {
    return std::any_of(requests, requests + count, [](MPI_Request each) { return active(each) != nullptr; });
}

inline bool all_complete(int count, const MPI_Request *requests) {
    for (int i = 0; i < count; ++i) {
        request *const candidate = active(requests[i]);
        if (candidate != nullptr && !candidate->is_complete()) {
            return false;
        }
    }
    return true;
}

/// What several requests wait for, of which all or any have to be complete.
class awaited_requests final : public protocol::awaited {
  public:
    awaited_requests(int count, const MPI_Request *requests, bool any) noexcept
        : count_{count}, any_{any}, requests_{requests} {}
    void describe(wait_note &note) const override {
        note.any = any_ ? 1 : 0;
        for (int i = 0; i < count_; ++i) {
            const request *const each = active(requests_[i]);
            if (each != nullptr && !each->is_complete()) {
                each->describe(note);
            }
        }
    }

  private:
    const int count_;
    const bool any_;
    const MPI_Request *const requests_;
};

/// The engine of the first active request, where all will look most often: mostly all have the same.
inline protocol::engine &home_of(int count, const MPI_Request *requests) {
    for (int i = 0; i < count; ++i) {
        if (request *const candidate = active(requests[i])) {
            return *candidate->home;
        }
    }
    return this_rank().engine();
}

/// `look()` at these requests now, and once more after a round of progress if it was false.
template <class Look> bool look_twice(int count, const MPI_Request *requests, Look look) {
    if (look()) {
        return true;
    }
    auto &home = home_of(count, requests);
    home.progress();
    if (look()) {
        return true;
    }
    home.found_nothing();
    return false;
}

/// find_complete(), and once more after a round of progress if there is none yet.
inline search_result look_for_complete(int count, const MPI_Request *requests, int *index) {
    auto found = search_result::none_yet;
    look_twice(count, requests, [&] {
        found = find_complete(count, requests, index);
        return found != search_result::none_yet;
    });
    return found;
}

} // namespace lisle::api
