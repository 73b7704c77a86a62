// SPDX-License-Identifier: Apache-2.0
// Waiting for several operations at once: lists of futures of any types, and a pool that owns a changing
// number.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "lisle/request/request.hpp"

namespace lisle {

/// What the functions below need to know of requests. Not for programs.
class request_access {
  public:
    static bool prepare(request &r, bool wait) {
        return r.operation_ == nullptr || r.complete_ || r.operation_->prepare(r.handle_, wait);
    }
    static MPI_Request &handle(request &r) noexcept { return r.handle_; }
    static bool ready(request &r) { return r.ready(); }
    static bool complete(const request &r) noexcept { return r.complete_; }
    static void finish(request &r, MPI_Request handle, const MPI_Status &ended, int code) {
        r.handle_ = handle;
        r.status_ = status{ended};
        r.note(code);
    }
};

namespace detail {

/// Waits for (or, if `wait` is false, looks for) one request that is not complete yet, and completes it.
template <class Requests> std::optional<std::size_t> complete_any(Requests &requests, bool wait) {
    std::vector<later<MPI_Request, Requests>> handles(requests.size(), MPI_REQUEST_NULL);
    for (;;) {
        bool any = false;
        bool all_started = true;
        for (std::size_t i = 0; i < requests.size(); ++i) {
            if (request_access::complete(*requests[i]))
                continue;
            any = true;
            if (!request_access::prepare(*requests[i], false)) {
                all_started = false;
                continue;
            }
            handles[i] = request_access::handle(*requests[i]);
            if (handles[i] == MPI_REQUEST_NULL && request_access::ready(*requests[i]))
                return i; // made of several requests of MPI's, which are all complete
        }
        if (!any)
            return std::nullopt;
        int index = MPI_UNDEFINED;
        int flag = 1;
        MPI_Status ended;
        const int count = static_cast<int>(handles.size());
        const int code = wait && all_started && !receives_unposted()
                             ? MPI_Waitany(count, handles.data(), &index, &ended)
                             : MPI_Testany(count, handles.data(), &index, &flag, &ended);
        if (flag != 0 && index != MPI_UNDEFINED) {
            const auto found = static_cast<std::size_t>(index);
            request_access::finish(*requests[found], handles[found], ended, code);
            return found;
        }
        check(code, "MPI_Waitany");
        if (!wait)
            return std::nullopt;
    }
}

} // namespace detail

/// A future of any type, or a request.
template <class F>
concept any_future = std::derived_from<std::remove_cvref_t<F>, request>;

/// A container of futures, which may be of one type only: `std::vector<lisle::future<int>>`.
template <class R>
concept range_of_futures = std::ranges::forward_range<R> && any_future<std::ranges::range_reference_t<R>>;

namespace detail {
template <range_of_futures R> auto pointers_to(R &futures) {
    std::vector<later<request *, R>> list;
    for (auto &each : futures)
        list.push_back(&each);
    return list;
}
} // namespace detail

/// Waits for all of them. Take the results with take() or wait(), which do not wait any more.
///
///     lisle::wait_all(left, right);
///     use(left.take(), right.take());
template <any_future... Futures> void wait_all(Futures &...futures) {
    (futures.wait_complete(), ...);
}
/// True if all are complete. Never waits.
template <any_future... Futures> bool test_all(Futures &...futures) {
    return (static_cast<int>(futures.ready()) & ...) != 0;
}
/// Waits for one that is not complete yet, and says which; nothing if all are.
template <any_future... Futures> std::optional<std::size_t> wait_any(Futures &...futures) {
    const std::array<request *, sizeof...(Futures)> list{&futures...};
    return detail::complete_any(list, true);
}
/// The same without waiting.
template <any_future... Futures> std::optional<std::size_t> test_any(Futures &...futures) {
    const std::array<request *, sizeof...(Futures)> list{&futures...};
    return detail::complete_any(list, false);
}

/// Waits for all futures of a container and returns their results in its order; nothing if they give none.
///
///     std::vector<lisle::future<std::string>> answers;
///     for (int other = 0; other < size; ++other)
///         answers.push_back(world.ireceive<std::string>(other));
///     std::vector<std::string> texts = lisle::wait_all(answers);
template <range_of_futures R> auto wait_all(R &&futures) {
    for (auto &each : futures)
        each.wait_complete();
    if constexpr (!std::is_void_v<decltype(futures.begin()->take())>) {
        std::vector<decltype(futures.begin()->take())> results;
        for (auto &each : futures)
            results.push_back(each.take());
        return results;
    }
}
/// True if all futures of a container are complete. Never waits.
template <range_of_futures R> bool test_all(R &futures) {
    bool all = true;
    for (auto &each : futures)
        all = each.ready() && all;
    return all;
}
/// Waits for one future of a container that is not complete yet, and says which; nothing if all are.
template <range_of_futures R> std::optional<std::size_t> wait_any(R &futures) {
    const auto list = detail::pointers_to(futures);
    return detail::complete_any(list, true);
}
/// The same without waiting.
template <range_of_futures R> std::optional<std::size_t> test_any(R &futures) {
    const auto list = detail::pointers_to(futures);
    return detail::complete_any(list, false);
}

/// Owns operations under way whose results matter less than their end: sends, receives into lent memory. A
/// template only so that programs without one are compiled faster: write `request_pool`.
///
///     lisle::request_pool pool;
///     for (int other = 0; other < size; ++other)
///         pool.add(world.isend(lisle::borrow(values), other));
///     pool.wait_all();
template <class Request = request> class basic_request_pool {
  public:
    /// Takes a future; the number is how wait_any() and wait_some() call it.
    std::size_t add(Request &&under_way) {
        requests_.push_back(std::move(under_way));
        return requests_.size() - 1;
    }
    /// How many operations are in the pool, complete ones among them.
    [[nodiscard]] std::size_t size() const noexcept { return requests_.size(); }
    /// True if nothing is in the pool.
    [[nodiscard]] bool empty() const noexcept { return requests_.empty(); }
    /// What a complete operation says of its message. `number` is what add() has returned.
    [[nodiscard]] const status &status_of(std::size_t number) const { return requests_.at(number).status(); }
    /// Waits for all and empties the pool.
    void wait_all() {
        for (Request &each : requests_)
            each.wait_complete();
        requests_.clear();
    }
    /// True if all are complete; the pool is empty then.
    bool test_all() {
        bool all = true;
        for (Request &each : requests_)
            all = each.ready() && all;
        if (all)
            requests_.clear();
        return all;
    }
    /// Waits for one more to complete; nothing if all are.
    std::optional<std::size_t> wait_any() {
        const auto list = pointers();
        return detail::complete_any(list, true);
    }
    /// The number of one that is complete, if there is one. Never waits.
    std::optional<std::size_t> test_any() {
        const auto list = pointers();
        return detail::complete_any(list, false);
    }
    /// Waits for one more to complete, and takes all others that have.
    std::vector<std::size_t> wait_some() {
        const auto list = pointers();
        std::vector<detail::later<std::size_t, Request>> done;
        for (bool wait = true; const auto found = detail::complete_any(list, wait); wait = false)
            done.push_back(*found);
        return done;
    }
    /// Cancels all that have not been matched yet.
    void cancel_all() {
        for (Request &each : requests_)
            each.cancel();
    }

  private:
    [[nodiscard]] std::vector<Request *> pointers() {
        std::vector<Request *> list;
        list.reserve(requests_.size());
        for (Request &each : requests_)
            list.push_back(&each);
        return list;
    }
    std::vector<Request> requests_;
};
/// The pool that programs name: see basic_request_pool.
using request_pool = basic_request_pool<>;

} // namespace lisle
