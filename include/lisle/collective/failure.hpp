// SPDX-License-Identifier: Apache-2.0
// Exceptions of one rank inside a collective that the headers make of messages: the others are told instead
// of being given an object, so that no rank waits without end. The rank where it happened throws its own
// exception; those that were told throw an error that names it.
#pragma once

#include <exception>
#include <optional>
#include <utility>

#include "lisle/collective/shadow.hpp"
#include "lisle/point_to_point/point_to_point.hpp"

namespace lisle::detail {

/// The rank that a message with this tag says to have failed; -1 for an object.
constexpr int failed_rank_of(int tag) noexcept {
    return tag - first_failed_tag;
}

/// Throws at a rank that was told.
template <class Call = const char *>
LISLE_NORETURN [[gnu::cold, gnu::noinline]] void raise_told(int rank, Call call) {
    raise(MPI_ERR_OTHER, call, {{"rank", rank}}, "another rank has thrown an exception in this collective");
}

/// Tells a rank, instead of sending it an object.
inline void send_failure(int failed_rank, int dest, MPI_Comm comm) {
    check(MPI_Send(nullptr, 0, MPI_BYTE, dest, first_failed_tag + failed_rank, comm), "MPI_Send",
          named_value{"dest", dest});
}

/// A length that says that a rank has failed, and which; lengths of objects are below all of them.
constexpr unsigned long long failed_size(int rank) noexcept {
    return ~static_cast<unsigned long long>(rank);
}
constexpr bool is_failed_size(unsigned long long size) noexcept {
    return static_cast<long long>(size) < 0;
}
constexpr int failed_rank_in(unsigned long long size) noexcept {
    return static_cast<int>(~size);
}

/// An object on its way through the ranks of a collective; or the failure that stands in its place. Whatever
/// happens, the messages of the collective are sent and received as if nothing had.
template <class T, class Comm> class outcome {
  public:
    outcome(T object, const Comm &comm) : object_{std::move(object)}, comm_{comm} {}
    /// What another rank sends.
    outcome(int source, const Comm &comm) : comm_{comm} {
        message came = comm.mprobe(source);
        failed_rank_ = lisle::detail::failed() ? comm.rank() : failed_rank_of(came.status().tag());
        attempt([&] { object_.emplace(came.template receive<T>()); });
    }

    [[nodiscard]] bool failed() const noexcept { return failed_rank_ >= 0; }
    [[nodiscard]] const T &object() const noexcept { return *object_; }
    /// Lets `body` make or change the object, unless there is none.
    template <class Body> void attempt(Body &&body) {
        if (failed())
            return;
        if (std::exception_ptr thrown = caught(body)) {
            thrown_ = std::move(thrown);
            failed_rank_ = comm_.rank();
        }
    }
    /// Combines it with what a later rank has given.
    template <class Combine> void combine_with(const outcome &later, Combine &&combine) {
        if (!failed() && later.failed())
            fail_as(later);
        attempt([&] { object_.emplace(combine(*object_, *later.object_)); });
    }
    /// Takes the other's object, unless something has gone wrong here.
    void follow(outcome &&other) {
        if (!failed() && other.failed())
            fail_as(other);
        attempt([&] { object_ = std::move(other.object_); });
    }
    void send(int dest) {
        attempt([&] { comm_.send(*object_, dest, object_tag); });
        if (failed())
            send_failure(failed_rank_, dest, comm_.native());
    }
    /// send() that goes on; the object must stay as it is until the future is complete.
    future<> isend(int dest) {
        future<> sending;
        attempt([&] { sending = comm_.isend(borrow(*object_), dest, object_tag); });
        if (failed())
            send_failure(failed_rank_, dest, comm_.native());
        return sending;
    }
    [[nodiscard]] int failed_rank() const noexcept { return failed_rank_; }
    /// Throws what went wrong at this rank.
    void rethrow() const {
        if (thrown_)
            std::rethrow_exception(thrown_);
    }
    /// The object, or what went wrong.
    T result(const char *call) && {
        rethrow();
        if (failed()) {
            raise_told(failed_rank_, call);
            return no_value<T>();
        }
        return std::move(*object_);
    }

  private:
    void fail_as(const outcome &other) {
        failed_rank_ = other.failed_rank_;
        thrown_ = other.thrown_;
    }

    std::optional<T> object_;
    std::exception_ptr thrown_;
    Comm comm_;
    int failed_rank_ = -1;
};

} // namespace lisle::detail
