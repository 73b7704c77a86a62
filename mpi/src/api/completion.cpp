// SPDX-License-Identifier: Apache-2.0
// The calls that complete requests, MPI_Wait to MPI_Testsome [MPI-5.0 3.7.3 to 3.7.5].
#include "abi/mistakes.hpp"
#include "abi/told_orders.hpp"
#include "api/active_requests.hpp"
#include "api/explored.hpp"
#include "api/mixed_sessions.hpp"
#include "api/pending_buffers.hpp"
#include "api/request.hpp"
#include "api/waits_alone.hpp"
#include "base/error_texts.hpp"
#include "base/open_handles.hpp"
#include "execution/rank_local.hpp"
#include "protocol/checking/type_notes.hpp"
#include "protocol/message/operation.hpp"
#include "protocol/point_to_point.hpp"
#include "protocol/wait.hpp"

namespace lisle::abi {

using protocol::outcome;
using protocol::request;

namespace {

// The latest failed request's communicator, kept until its error handler has been called, and what it has
// said.
struct latest_failure {
    communicator_ref comm;
    std::string sentence;
};
const rank_local<latest_failure> latest;

} // namespace

/// A message whose elements the receive does not take (LISLE_CHECK=1). @param receive the call that began it,
/// with its place; empty: not known
std::string sentence_about_types(const outcome &ended, const std::string &receive) {
    const std::string more = protocol::rank_type_notes->take_finding(ended.source, ended.tag);
    return sentence("the message from rank ", ended.source, " with tag ", ended.tag,
                    " has elements of another type than the receive of rank ", this_rank().number(),
                    " in MPI_COMM_WORLD", more.empty() ? "" : ": ", more,
                    receive.empty() ? "" : " (" + receive + ")");
}

void throw_failure(const outcome &ended, communicator *comm) {
    const bool is_of_message = ended.tag >= 0 || latest->sentence.empty(); // not of a collective
    if (ended.error == MPI_ERR_TRUNCATE && is_of_message) {
        throw mpi_error{ended.error,
                        sentence("the message from rank ", ended.source, " with tag ", ended.tag,
                                 " is longer than the receive buffer, of which it filled ", ended.bytes,
                                 " bytes"),
                        comm};
    }
    if (ended.error == MPI_ERR_TYPE) {
        const bool everywhere = pending_buffers::watched();
        throw mpi_error{ended.error,
                        sentence_about_types(ended, everywhere ? in_words(current_call()) : std::string{}),
                        comm};
    }
    if (comm != nullptr && !latest->sentence.empty()) {
        throw mpi_error{ended.error, latest->sentence, comm};
    }
    const std::string_view text = error_text(ended.error);
    throw mpi_error{ended.error, text.empty() ? "the operation failed" : std::string{text}, comm};
}

} // namespace lisle::abi

namespace lisle::api {

namespace {

/// @param about as in conclude()
void note_failure(const request &failed, communicator *&about) {
    std::string text = failed.failure();
    if (text.empty() && failed.result.error == MPI_ERR_TYPE) {
        text = abi::sentence_about_types(failed.result, abi::pending->call_of(failed));
    } else if (!text.empty() && abi::pending_buffers::watched()) {
        const std::string begun = abi::pending->call_of(failed);
        text += begun.empty() ? begun : " (" + begun + ")";
    }
    abi::latest->sentence = std::move(text);
    if (failed.comm != nullptr) {
        abi::latest->comm = communicator_ref::share(*failed.comm);
        about = failed.comm;
    }
}

/// Ends a complete request: its outcome goes to the status, the handle becomes null (or the persistent
/// request inactive). @return what it ended with; `about`: the communicator to blame for an error
outcome conclude(request &finished, MPI_Request *handle, MPI_Status *status, communicator *&about) {
    finished.finish();
    abi::hear_request(finished, true);
    if (finished.result.error != MPI_SUCCESS) [[unlikely]] {
        note_failure(finished, about);
    }
    if (abi::pending_buffers::watched()) [[unlikely]] {
        abi::pending->end(finished);
    }
    outcome ended = finished.result;
    ended.store(status);
    if (finished.persistent) {
        finished.active = false;
    } else {
        if (rank &self = known_rank(); self.open != nullptr) [[unlikely]] {
            if (!self.open->drop(handle_value(*handle), "request")) {
                self.open->count_requests(-1, self.calls_alone());
            }
        }
        const int error = dispose(finished);
        ended.error = ended.error != MPI_SUCCESS ? ended.error : error;
        *handle = MPI_REQUEST_NULL;
    }
    return ended;
}

/// The same for a request that is complete without error and needs to be asked nothing. False: it is not one.
[[gnu::always_inline]] inline bool conclude_quickly(request &finished, MPI_Request *handle,
                                                    MPI_Status *status) {
    if (finished.ending == protocol::disposal::general || !finished.result.plain()) [[unlikely]] {
        return false;
    }
    finished.result.store(status);
    if (finished.ending == protocol::disposal::receive) {
        communicator *const comm = finished.comm;
        protocol::receive_operation::dispose(static_cast<protocol::receive_operation *>(&finished));
        if (comm != nullptr && !comm->predefined()) {
            comm->release();
        }
    }
    *handle = MPI_REQUEST_NULL;
    return true;
}

/// True if all open requests of the rank are listed: then each has to be taken off the list.
bool lists_all(const rank &self) noexcept {
    return self.open != nullptr && self.open->lists_all_requests();
}

void conclude_or_throw(request &finished, MPI_Request *handle, MPI_Status *status) {
    rank &self = known_rank();
    if (!lists_all(self) && conclude_quickly(finished, handle, status)) [[likely]] {
        if (self.open != nullptr) [[unlikely]] {
            self.open->count_requests(-1, self.calls_alone());
        }
        return;
    }
    communicator *about = nullptr;
    const outcome ended = conclude(finished, handle, status, about);
    if (ended.error == MPI_ERR_TYPE && !abi::latest->sentence.empty()) [[unlikely]] {
        throw mpi_error{ended.error, abi::latest->sentence, about};
    }
    abi::throw_if_failed(ended, about);
}

/// Several requests that one call completes: if any fails, all statuses say how theirs ended.
/// @param Checked the rank counts or lists its open requests
template <bool Checked> class completion_list {
  public:
    explicit completion_list(MPI_Status *statuses)
        : statuses_{statuses}, one_by_one_{Checked && lists_all(known_rank())} {}
    completion_list(const completion_list &) = delete;
    completion_list &operator=(const completion_list &) = delete;
    ~completion_list() {
        if constexpr (Checked) {
            rank &self = known_rank();
            self.open->count_requests(-counted_, self.calls_alone());
        }
    }

    [[gnu::always_inline]] void add(request &finished, MPI_Request *handle, int place) {
        MPI_Status *const status = at(statuses_, place);
        if ((!Checked || !one_by_one_) && conclude_quickly(finished, handle, status)) [[likely]] {
            note(status, MPI_SUCCESS);
            counted_ += Checked ? 1 : 0;
            return;
        }
        add_slowly(finished, handle, status);
    }
    void add_empty(int place) { store_empty(at(statuses_, place)); }
    void throw_if_failed() const {
        if (failed_ != 0) [[unlikely]] {
            throw mpi_error{MPI_ERR_IN_STATUS,
                            sentence(failed_, " of the requests failed: see MPI_ERROR in their statuses",
                                     first_.empty() ? "" : "; the first: ", first_),
                            about_};
        }
    }

  private:
    [[gnu::noinline]] void add_slowly(request &finished, MPI_Request *handle, MPI_Status *status) {
        communicator *about = nullptr;
        const outcome ended = conclude(finished, handle, status, about);
        note(status, ended.error);
        if (ended.error != MPI_SUCCESS && ++failed_ == 1) {
            about_ = about;
            first_ = about != nullptr || ended.error == MPI_ERR_TYPE ? abi::latest->sentence : std::string{};
        }
    }
    static void note(MPI_Status *status, int error) {
        if (status != MPI_STATUS_IGNORE) {
            status->MPI_ERROR = error;
        }
    }
    MPI_Status *statuses_;
    bool one_by_one_;
    int counted_ = 0; ///< that are complete and were counted when they were made
    int failed_ = 0;
    std::string first_; ///< what the first of them says
    communicator *about_ = nullptr;
};

/// Waits for one of several requests that are all awaited.
void wait_among(request &waited, int count, const MPI_Request *requests) {
    if (!waited.is_complete() && !waited.home->look_for(waited)) {
        protocol::wait(waited, awaited_requests{count, requests, false});
    }
}

template <bool Checked>
void conclude_some(int count, MPI_Request *requests, int *outcount, int *indices, MPI_Status *statuses) {
    completion_list<Checked> list{statuses};
    int done = 0;
    for (int i = 0; i < count; ++i) {
        request *const candidate = active(requests[i]);
        if (candidate != nullptr && candidate->is_complete()) {
            indices[done] = i;
            list.add(*candidate, &requests[i], done++);
        }
    }
    *outcount = done;
    list.throw_if_failed();
}

void conclude_those_complete(int count, MPI_Request *requests, int *outcount, int *indices,
                             MPI_Status *statuses) {
    const auto conclude_them = known_rank().open == nullptr ? conclude_some<false> : conclude_some<true>;
    conclude_them(count, requests, outcount, indices, statuses);
}

// ---- where choices are left open ----

[[gnu::cold]] search_result look_as_told(int count, const MPI_Request *requests, int *index) {
    if (!is_any_active(count, requests)) {
        return search_result::none_active;
    }
    *index = explored_place(count, requests, completes::one, false);
    return *index == choice::nothing ? search_result::none_yet : search_result::found;
}

/// What MPI_Waitsome and MPI_Testsome complete: one request, or all that are complete.
[[gnu::cold]] void conclude_as_told(int count, MPI_Request *requests, int *outcount, int *indices,
                                    MPI_Status *statuses, bool waits) {
    const int place = explored_place(count, requests, completes::some, waits);
    *outcount = 0;
    if (place == count) {
        conclude_those_complete(count, requests, outcount, indices, statuses);
    } else if (place != choice::nothing) {
        int only = 0;
        indices[0] = place;
        conclude_those_complete(1, requests + place, outcount, &only, statuses);
    }
}

template <bool Checked>
[[gnu::always_inline]] inline void wait_for_all(int count, MPI_Request *requests, MPI_Status *statuses) {
    // The last one first: until it is complete most of the others will be, in one go.
    if (request *const last = count > 1 ? active(requests[count - 1]) : nullptr) {
        wait_among(*last, count, requests);
    }
    completion_list<Checked> list{statuses};
    for (int i = 0; i < count; ++i) {
        if (request *const waited = active(requests[i])) {
            if (!waited->is_complete()) {
                wait_among(*waited, count, requests);
            }
            list.add(*waited, &requests[i], i);
        } else {
            list.add_empty(i);
        }
    }
    list.throw_if_failed();
}

[[gnu::noinline]] void wait_checked(request &waited, MPI_Request *handle, MPI_Status *status) {
    const abi::waits_alone alone{{handle, 1}};
    protocol::wait(waited);
    conclude_or_throw(waited, handle, status);
}

[[gnu::noinline]] void wait_for_all_checked(int count, MPI_Request *requests, MPI_Status *statuses) {
    const std::span<const MPI_Request> all{requests, static_cast<std::size_t>(count)};
    abi::look_at_sessions(all);
    const abi::waits_alone alone{all};
    wait_for_all<true>(count, requests, statuses);
}

} // namespace

void wait(MPI_Request *handle, MPI_Status *status) {
    request *const waited = active(*handle);
    if (waited == nullptr) {
        store_empty(status);
        return;
    }
    if (known_rank().open != nullptr) [[unlikely]] {
        wait_checked(*waited, handle, status);
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
    } else if (explored() != nullptr && explored_place(1, handle, completes::one, false) == choice::nothing)
        [[unlikely]] {
        *flag = 0;
    } else if (protocol::test(*tested)) {
        conclude_or_throw(*tested, handle, status);
    } else {
        *flag = 0;
    }
}

void waitall(int count, MPI_Request *requests, MPI_Status *statuses) {
    if (known_rank().open != nullptr) [[unlikely]] {
        wait_for_all_checked(count, requests, statuses);
    } else {
        wait_for_all<false>(count, requests, statuses);
    }
}

void testall(int count, MPI_Request *requests, int *flag, MPI_Status *statuses) {
    if (explored() != nullptr && is_any_active(count, requests) &&
        explored_place(count, requests, completes::all, false) == choice::nothing) [[unlikely]] {
        *flag = 0;
        return;
    }
    *flag = look_twice(count, requests, [&] { return all_complete(count, requests); }) ? 1 : 0;
    if (*flag != 0) {
        waitall(count, requests, statuses);
    }
}

void waitany(int count, MPI_Request *requests, int *index, MPI_Status *status) {
    if (explored() != nullptr && is_any_active(count, requests)) [[unlikely]] {
        *index = explored_place(count, requests, completes::one, true);
        conclude_or_throw(resolve(requests[*index]), &requests[*index], status);
        return;
    }
    auto found = search_result::none_yet;
    const awaited_requests wanted{count, requests, true};
    protocol::wait_until(
        home_of(count, requests),
        [&] {
            found = find_complete(count, requests, index);
            return found != search_result::none_yet;
        },
        &wanted);
    if (found == search_result::none_active) {
        *index = MPI_UNDEFINED;
        store_empty(status);
        return;
    }
    conclude_or_throw(resolve(requests[*index]), &requests[*index], status);
}

void testany(int count, MPI_Request *requests, int *index, int *flag, MPI_Status *status) {
    const auto found = explored() != nullptr ? look_as_told(count, requests, index)
                                             : look_for_complete(count, requests, index);
    *flag = found != search_result::none_yet ? 1 : 0;
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
    if (explored() != nullptr && is_any_active(incount, requests)) [[unlikely]] {
        conclude_as_told(incount, requests, outcount, indices, statuses, true);
        return;
    }
    auto found = search_result::none_yet;
    int first = 0;
    const awaited_requests wanted{incount, requests, true};
    protocol::wait_until(
        home_of(incount, requests),
        [&] {
            found = find_complete(incount, requests, &first);
            return found != search_result::none_yet;
        },
        &wanted);
    if (found == search_result::none_active) {
        *outcount = MPI_UNDEFINED;
        return;
    }
    conclude_those_complete(incount, requests, outcount, indices, statuses);
}

void testsome(int incount, MPI_Request *requests, int *outcount, int *indices, MPI_Status *statuses) {
    if (explored() != nullptr && is_any_active(incount, requests)) [[unlikely]] {
        conclude_as_told(incount, requests, outcount, indices, statuses, false);
        return;
    }
    int first = 0;
    const auto found = look_for_complete(incount, requests, &first);
    if (found == search_result::none_active) {
        *outcount = MPI_UNDEFINED;
        return;
    }
    conclude_those_complete(incount, requests, outcount, indices, statuses);
}

} // namespace lisle::api
