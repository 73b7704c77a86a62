// SPDX-License-Identifier: Apache-2.0
// Exceptions inside a collective that is made of messages. A rank that throws sends the others a notice of
// failure in place of its object, so that no rank waits forever. It throws its own exception; the ranks that
// receive the notice throw an error that names it.
#pragma once

#include <exception>
#include <optional>
#include <utility>

#include "lisle/collective/shadow.hpp"
#include "lisle/point_to_point/point_to_point.hpp"

namespace lisle::detail {

/// The rank that has failed, by the tag of a notice; negative for an object's tag.
constexpr int failed_rank_of(int tag) noexcept {
    return tag - first_failed_tag;
}

/// Throws at a rank that has received a notice.
template <class Call = const char *>
LISLE_NORETURN [[gnu::cold, gnu::noinline]] void raise_remote_failure(int rank, Call call) {
    raise(MPI_ERR_OTHER, call, {{"rank", rank}}, "another rank has thrown an exception in this collective");
}

/// Sends a notice in place of an object.
inline void send_failure(int failed_rank, int dest, MPI_Comm comm) {
    check(MPI_Send(nullptr, 0, MPI_BYTE, dest, first_failed_tag + failed_rank, comm), "MPI_Send",
          named_value{"dest", dest});
}

/// A notice in place of a length: above the lengths of all objects.
constexpr unsigned long long failed_size(int rank) noexcept {
    return ~static_cast<unsigned long long>(rank);
}
constexpr bool is_failed_size(unsigned long long size) noexcept {
    return static_cast<long long>(size) < 0;
}
constexpr int failed_rank_in(unsigned long long size) noexcept {
    return static_cast<int>(~size);
}

/// An object that passes through the ranks of a collective, or a failure in its place. After a failure the
/// same messages are sent and received as without one.
template <class T, class Comm> class outcome {
  public:
    outcome(T object, const Comm &comm) : object_{std::move(object)}, comm_{comm} {}
    /// Receives what another rank sends.
    outcome(int source, const Comm &comm) : comm_{comm} {
        message came = comm.mprobe(source);
        failed_rank_ = lisle::detail::failed() ? comm.rank() : failed_rank_of(came.status().tag());
        attempt([&] { object_.emplace(came.template receive<T>()); });
    }

    [[nodiscard]] bool failed() const noexcept { return failed_rank_ >= 0; }
    [[nodiscard]] const T &object() const noexcept { return *object_; }
    /// Calls `body`, which makes or changes the object, unless something has failed. Its exception is kept.
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
    /// Takes the other's object, unless something has failed here.
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
    /// Non-blocking send(): the object must not change until the future is complete.
    future<> isend(int dest) {
        future<> sending;
        attempt([&] { sending = comm_.isend(borrow(*object_), dest, object_tag); });
        if (failed())
            send_failure(failed_rank_, dest, comm_.native());
        return sending;
    }
    [[nodiscard]] int failed_rank() const noexcept { return failed_rank_; }
    /// Throws this rank's own exception, if there is one.
    void rethrow() const {
        if (thrown_)
            std::rethrow_exception(thrown_);
    }
    /// The object. Throws if something has failed.
    T result(const char *call) && {
        rethrow();
        if (failed()) {
            raise_remote_failure(failed_rank_, call);
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
