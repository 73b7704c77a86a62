// SPDX-License-Identifier: Apache-2.0
#include "api/request.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "abi/handle_watch.hpp"
#include "abi/mistakes.hpp"
#include "abi/told_orders.hpp"
#include "api/active_requests.hpp"
#include "api/pending_buffers.hpp"
#include "base/open_handles.hpp"
#include "base/thread_order.hpp"
#include "execution/rank_local.hpp"
#include "protocol/generalized_request.hpp"
#include "protocol/point_to_point.hpp"
#include "protocol/wait.hpp"

namespace lisle::api {

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
            // Acquire: pairs with the release store of the thread that completed the operation.
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

/// A program that asks whether requests are complete knows that of those that it frees.
struct questions {
    std::atomic<bool> asked{false}; // orders nothing: the rank's own threads order what they do to a request
};
const rank_local<questions> asked_about;

/// Names a request that is freed though the program does not know that it is complete.
void report_early_free(const request &freed) {
    const bool others_end_it = dynamic_cast<const protocol::generalized_request *>(&freed) != nullptr;
    if (!freed.active || others_end_it || asked_about->asked.load(std::memory_order_relaxed)) {
        return;
    }
    const auto made = this_rank().open->find(reinterpret_cast<std::uintptr_t>(&freed), "request");
    const std::string which =
        made ? sentence("the request of ", made->call, " at ", abi::where_made(*made)) : "a request";
    abi::report_mistake(sentence(abi::in_words(abi::current_call()), " frees ", which,
                                 " before the program knows that it is complete"));
}

void look_at(request &finished, MPI_Status *status) {
    asked_about->asked.store(true, std::memory_order_relaxed);
    finished.finish();
    abi::hear_request(finished, false);
    if (abi::pending_buffers::watched()) [[unlikely]] {
        abi::pending->end(finished);
    }
    finished.result.store(status);
}

} // namespace

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
    *flag = look_twice(count, requests, [&] { return all_complete(count, requests); }) ? 1 : 0;
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
    const auto found = look_for_complete(count, requests, index);
    *flag = found != search_result::none_yet ? 1 : 0;
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
    int first = 0;
    const auto found = look_for_complete(incount, requests, &first);
    *outcount = found == search_result::none_active ? MPI_UNDEFINED : 0;
    for (int i = 0; found == search_result::found && i < incount; ++i) {
        request *const asked = active(requests[i]);
        if (asked != nullptr && asked->is_complete()) {
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
    if (abi::pending_buffers::watched()) [[unlikely]] {
        abi::pending->start(started);
    }
    abi::tell_start(started);
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
    if (checks(check_level::cheap)) [[unlikely]] {
        report_early_free(freed);
    }
    freed.give_up();
    if (abi::pending_buffers::watched() && abi::pending->adopt(freed)) [[unlikely]] {
        *handle = MPI_REQUEST_NULL;
        return;
    }
    communicator *const about = freed.comm;
    if (about != nullptr && !about->predefined() && freed.active && !freed.is_complete()) {
        freed.comm = nullptr;
        freed_early->add(freed, communicator_ref::adopt(about));
    } else if (const int error = dispose(freed); error != MPI_SUCCESS) {
        *handle = MPI_REQUEST_NULL;
        fail(error, "the request's free_fn failed");
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
    if (thread_order::told()) {
        thread_order::place{thread_order::maker::request, &completed}.release();
    }
    completed.home->complete(completed);
}

} // namespace lisle::api

namespace lisle::abi {

void wait_for_freed_requests(const communicator &about) {
    protocol::wait_until(this_rank(), [&about] {
        return api::freed_early->complete(about) &&
               (!pending_buffers::watched() || pending->adopted_complete(about));
    });
}

} // namespace lisle::abi
