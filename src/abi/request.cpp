// SPDX-License-Identifier: Apache-2.0
#include "abi/request.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <vector>

#include "communicator/communicator.hpp"
#include "protocol/engine.hpp"
#include "protocol/generalized_request.hpp"
#include "protocol/operation.hpp"
#include "protocol/point_to_point.hpp"
#include "runtime/error.hpp"
#include "runtime/rank_local.hpp"

namespace lisle::abi {

using protocol::outcome;
using protocol::request;

namespace {

// Keeps the communicator of the latest failed request until its error handler has been called.
struct blamed_communicator {
    communicator_ref comm;
};
const rank_local<blamed_communicator> blamed;

} // namespace

void throw_failure(const outcome &ended, communicator *comm) {
    if (ended.error == MPI_ERR_TRUNCATE) {
        throw mpi_error{ended.error,
                        sentence("the message from rank ", ended.source, " with tag ", ended.tag,
                                 " is longer than the receive buffer, of which it filled ", ended.bytes,
                                 " bytes"),
                        comm};
    }
    throw mpi_error{ended.error, "the operation failed", comm};
}

} // namespace lisle::abi

namespace lisle::api {

using protocol::outcome;
using protocol::request;

namespace {

/// Requests that were freed before their operation was complete, with the communicators that they are about:
/// MPI_Comm_disconnect waits for them.
class freed_requests {
  public:
    void add(request &freed, communicator_ref about) {
        const std::scoped_lock lock{mutex_};
        if (list_.size() >= sweep_at_) {
            sweep();
            sweep_at_ = 2 * list_.size() + 16;
        }
        list_.push_back({&freed, std::move(about)});
    }
    /// True if none is left whose operation is under way.
    bool complete(const communicator &about) {
        const std::scoped_lock lock{mutex_};
        sweep();
        return std::ranges::none_of(list_, [&](const entry &each) { return each.about.get() == &about; });
    }
    ~freed_requests() {
        for (const entry &each : list_) {
            each.freed->free();
        }
    }

  private:
    struct entry {
        request *freed;
        communicator_ref about;
    };
    void sweep() {
        std::erase_if(list_, [](const entry &each) {
            // Acquire: pairs with the release store of whoever completed the operation.
            const bool done = each.freed->complete.load(std::memory_order_acquire);
            if (done) {
                each.freed->free();
            }
            return done;
        });
    }
    std::mutex mutex_; ///< protects the others
    std::vector<entry> list_;
    std::size_t sweep_at_ = 16;
};
const rank_local<freed_requests> freed_early;

request &resolve(MPI_Request handle) {
    auto *const found = object_of<request>(handle);
    if (found == nullptr) [[unlikely]] {
        fail(MPI_ERR_REQUEST, "the handle is not a request, or one that is complete and was freed");
    }
    return *found;
}

/// The request if there is something to wait for: neither null nor an inactive persistent one.
request *active(MPI_Request handle) {
    if (handle == MPI_REQUEST_NULL) {
        return nullptr;
    }
    request &found = resolve(handle);
    return found.active ? &found : nullptr;
}

// Acquire: pairs with the release store of whoever completed the operation.
bool is_complete(const request &request) {
    return request.complete.load(std::memory_order_acquire);
}

/// What completes without an operation: alone among the calls' statuses, its MPI_ERROR is set too. [3.7.3]
void store_empty(MPI_Status *status) {
    outcome{}.store(status);
    if (status != MPI_STATUS_IGNORE) {
        status->MPI_ERROR = MPI_SUCCESS;
    }
}

MPI_Status *at(MPI_Status *statuses, int index) {
    return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : statuses + index;
}

void dispose(request &finished) {
    // Written only if set: the request of all sends that are complete at once is shared by the rank's
    // threads, and never has one.
    communicator *const comm = finished.comm;
    if (comm != nullptr) {
        finished.comm = nullptr;
    }
    finished.free();
    if (comm != nullptr && !comm->predefined()) {
        comm->release();
    }
}

/// Ends a complete request: its outcome goes to the status, the handle becomes null (or the persistent
/// request inactive). @return what it ended with; `about`: the communicator to blame for an error
outcome conclude(request &finished, MPI_Request *handle, MPI_Status *status, communicator *&about) {
    finished.finish();
    const outcome ended = finished.result;
    ended.store(status);
    if (ended.error != MPI_SUCCESS && finished.comm != nullptr) [[unlikely]] {
        abi::blamed->comm = communicator_ref::share(*finished.comm);
        about = finished.comm;
    }
    if (finished.persistent) {
        finished.active = false;
    } else {
        dispose(finished);
        *handle = MPI_REQUEST_NULL;
    }
    return ended;
}

/// The same for a request that is complete without error and needs to be asked nothing. False: it is not one.
bool conclude_quickly(request &finished, MPI_Request *handle, MPI_Status *status) {
    if (finished.ending == protocol::disposal::general || finished.result.error != MPI_SUCCESS) [[unlikely]] {
        return false;
    }
    finished.result.store(status);
    if (finished.ending == protocol::disposal::receive) {
        communicator *const comm = finished.comm;
        delete static_cast<protocol::receive_operation *>(&finished);
        if (comm != nullptr && !comm->predefined()) {
            comm->release();
        }
    }
    *handle = MPI_REQUEST_NULL;
    return true;
}

void conclude_or_throw(request &finished, MPI_Request *handle, MPI_Status *status) {
    if (conclude_quickly(finished, handle, status)) [[likely]] {
        return;
    }
    communicator *about = nullptr;
    const outcome ended = conclude(finished, handle, status, about);
    abi::throw_if_failed(ended, about);
}

/// Several requests that one call completes: if any fails, all statuses say how theirs ended.
class completion_list {
  public:
    explicit completion_list(MPI_Status *statuses) : statuses_{statuses} {}

    void add(request &finished, MPI_Request *handle, int place) {
        MPI_Status *const status = at(statuses_, place);
        if (conclude_quickly(finished, handle, status)) [[likely]] {
            note(status, MPI_SUCCESS);
            return;
        }
        communicator *about = nullptr;
        const outcome ended = conclude(finished, handle, status, about);
        note(status, ended.error);
        if (ended.error != MPI_SUCCESS && ++failed_ == 1) {
            about_ = about;
        }
    }
    void add_empty(int place) { store_empty(at(statuses_, place)); }
    void throw_if_failed() const {
        if (failed_ != 0) [[unlikely]] {
            throw mpi_error{MPI_ERR_IN_STATUS,
                            sentence(failed_, " of the requests failed: see MPI_ERROR in their statuses"),
                            about_};
        }
    }

  private:
    static void note(MPI_Status *status, int error) {
        if (status != MPI_STATUS_IGNORE) {
            status->MPI_ERROR = error;
        }
    }
    MPI_Status *statuses_;
    int failed_ = 0;
    communicator *about_ = nullptr;
};

enum class search_result : unsigned char { found, none_yet, none_active };

/// Looks for a complete request among the active ones.
search_result find_complete(int count, const MPI_Request *requests, int *index) {
    bool any_active = false;
    for (int i = 0; i < count; ++i) {
        if (request *const candidate = active(requests[i])) {
            any_active = true;
            if (is_complete(*candidate)) {
                *index = i;
                return search_result::found;
            }
        }
    }
    return any_active ? search_result::none_yet : search_result::none_active;
}

bool all_complete(int count, const MPI_Request *requests) {
    for (int i = 0; i < count; ++i) {
        request *const candidate = active(requests[i]);
        if (candidate != nullptr && !is_complete(*candidate)) {
            return false;
        }
    }
    return true;
}

/// `look()` now, and once more after a round of progress if it was false.
template <class Look> bool look_twice(Look look) {
    if (look()) {
        return true;
    }
    auto &mine = this_rank().engine();
    mine.progress();
    if (look()) {
        return true;
    }
    mine.found_nothing();
    return false;
}

void conclude_some(int count, MPI_Request *requests, int *outcount, int *indices, MPI_Status *statuses) {
    completion_list list{statuses};
    int done = 0;
    for (int i = 0; i < count; ++i) {
        request *const candidate = active(requests[i]);
        if (candidate != nullptr && is_complete(*candidate)) {
            indices[done] = i;
            list.add(*candidate, &requests[i], done++);
        }
    }
    *outcount = done;
    list.throw_if_failed();
}

void look_at(request &finished, MPI_Status *status) {
    finished.finish();
    finished.result.store(status);
}

} // namespace

void wait(MPI_Request *handle, MPI_Status *status) {
    request *const waited = active(*handle);
    if (waited == nullptr) {
        store_empty(status);
        return;
    }
    protocol::wait(*waited);
    conclude_or_throw(*waited, handle, status);
}

void test(MPI_Request *handle, int *flag, MPI_Status *status) {
    request *const tested = active(*handle);
    *flag = 1;
    if (tested == nullptr) {
        store_empty(status);
    } else if (protocol::test(*tested)) {
        conclude_or_throw(*tested, handle, status);
    } else {
        *flag = 0;
    }
}

void waitall(int count, MPI_Request *requests, MPI_Status *statuses) {
    completion_list list{statuses};
    for (int i = 0; i < count; ++i) {
        if (request *const waited = active(requests[i])) {
            if (!is_complete(*waited)) {
                protocol::wait(*waited);
            }
            list.add(*waited, &requests[i], i);
        } else {
            list.add_empty(i);
        }
    }
    list.throw_if_failed();
}

void testall(int count, MPI_Request *requests, int *flag, MPI_Status *statuses) {
    *flag = look_twice([&] { return all_complete(count, requests); }) ? 1 : 0;
    if (*flag != 0) {
        waitall(count, requests, statuses);
    }
}

void waitany(int count, MPI_Request *requests, int *index, MPI_Status *status) {
    auto found = search_result::none_yet;
    protocol::wait_until(this_rank(), [&] {
        found = find_complete(count, requests, index);
        return found != search_result::none_yet;
    });
    if (found == search_result::none_active) {
        *index = MPI_UNDEFINED;
        store_empty(status);
        return;
    }
    conclude_or_throw(resolve(requests[*index]), &requests[*index], status);
}

void testany(int count, MPI_Request *requests, int *index, int *flag, MPI_Status *status) {
    auto found = search_result::none_yet;
    *flag = look_twice([&] {
        found = find_complete(count, requests, index);
        return found != search_result::none_yet;
    })
                ? 1
                : 0;
    if (found == search_result::found) {
        conclude_or_throw(resolve(requests[*index]), &requests[*index], status);
        return;
    }
    *index = MPI_UNDEFINED;
    if (*flag != 0) {
        store_empty(status);
    }
}

void waitsome(int incount, MPI_Request *requests, int *outcount, int *indices, MPI_Status *statuses) {
    auto found = search_result::none_yet;
    int first = 0;
    protocol::wait_until(this_rank(), [&] {
        found = find_complete(incount, requests, &first);
        return found != search_result::none_yet;
    });
    if (found == search_result::none_active) {
        *outcount = MPI_UNDEFINED;
        return;
    }
    conclude_some(incount, requests, outcount, indices, statuses);
}

void testsome(int incount, MPI_Request *requests, int *outcount, int *indices, MPI_Status *statuses) {
    auto found = search_result::none_yet;
    int first = 0;
    look_twice([&] {
        found = find_complete(incount, requests, &first);
        return found != search_result::none_yet;
    });
    if (found == search_result::none_active) {
        *outcount = MPI_UNDEFINED;
        return;
    }
    conclude_some(incount, requests, outcount, indices, statuses);
}

void request_get_status(MPI_Request handle, int *flag, MPI_Status *status) {
    request *const asked = active(handle);
    *flag = 1;
    if (asked == nullptr) {
        store_empty(status);
    } else if (protocol::test(*asked)) {
        look_at(*asked, status);
    } else {
        *flag = 0;
    }
}

void request_get_status_all(int count, const MPI_Request *requests, int *flag, MPI_Status *statuses) {
    *flag = look_twice([&] { return all_complete(count, requests); }) ? 1 : 0;
    for (int i = 0; *flag != 0 && i < count; ++i) {
        if (request *const asked = active(requests[i])) {
            look_at(*asked, at(statuses, i));
        } else {
            store_empty(at(statuses, i));
        }
    }
}

void request_get_status_any(int count, const MPI_Request *requests, int *index, int *flag,
                            MPI_Status *status) {
    auto found = search_result::none_yet;
    *flag = look_twice([&] {
        found = find_complete(count, requests, index);
        return found != search_result::none_yet;
    })
                ? 1
                : 0;
    if (found == search_result::found) {
        look_at(resolve(requests[*index]), status);
        return;
    }
    *index = MPI_UNDEFINED;
    if (*flag != 0) {
        store_empty(status);
    }
}

void request_get_status_some(int incount, const MPI_Request *requests, int *outcount, int *indices,
                             MPI_Status *statuses) {
    auto found = search_result::none_yet;
    int first = 0;
    look_twice([&] {
        found = find_complete(incount, requests, &first);
        return found != search_result::none_yet;
    });
    *outcount = found == search_result::none_active ? MPI_UNDEFINED : 0;
    for (int i = 0; found == search_result::found && i < incount; ++i) {
        request *const asked = active(requests[i]);
        if (asked != nullptr && is_complete(*asked)) {
            look_at(*asked, at(statuses, *outcount));
            indices[(*outcount)++] = i;
        }
    }
}

void start(MPI_Request *handle) {
    request &started = resolve(*handle);
    if (!started.persistent) {
        fail(MPI_ERR_REQUEST, "the request is not persistent: only those of the _init calls can be started");
    }
    if (started.active) {
        fail(MPI_ERR_REQUEST, "the persistent request has been started already and is not complete");
    }
    started.start();
}

void startall(int count, MPI_Request *requests) {
    for (int i = 0; i < count; ++i) {
        start(&requests[i]);
    }
}

void cancel(MPI_Request *handle) {
    resolve(*handle).cancel();
}

void test_cancelled(const MPI_Status *status, int *flag) {
    *flag = outcome::load(*status).cancelled ? 1 : 0;
}

void request_free(MPI_Request *handle) {
    request &freed = resolve(*handle);
    communicator *const about = freed.comm;
    if (about != nullptr && !about->predefined() && freed.active && !is_complete(freed) &&
        dynamic_cast<protocol::operation *>(&freed) != nullptr) {
        freed.comm = nullptr;
        freed_early->add(freed, communicator_ref::adopt(about));
    } else {
        dispose(freed);
    }
    *handle = MPI_REQUEST_NULL;
}

void grequest_start(MPI_Grequest_query_function *query_fn, MPI_Grequest_free_function *free_fn,
                    MPI_Grequest_cancel_function *cancel_fn, void *extra_state, MPI_Request *handle) {
    *handle = abi::give_request(
        new protocol::generalized_request{this_rank(), query_fn, free_fn, cancel_fn, extra_state}, nullptr);
}

void grequest_complete(MPI_Request handle) {
    request &completed = resolve(handle);
    if (dynamic_cast<protocol::generalized_request *>(&completed) == nullptr) {
        fail(MPI_ERR_REQUEST, "the request was not made by MPI_Grequest_start");
    }
    completed.owner.engine().complete(completed);
}

} // namespace lisle::api

namespace lisle::abi {

void wait_for_freed_requests(const communicator &about) {
    protocol::wait_until(this_rank(), [&about] { return api::freed_early->complete(about); });
}

} // namespace lisle::abi
