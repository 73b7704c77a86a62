// SPDX-License-Identifier: Apache-2.0
// Non-blocking collectives that MPI does not have, made of messages: of serialised objects, of ranges without
// counts, and those that combine whole objects. Such a collective starts all its messages at once and none of
// them waits for another, so it needs no help to go on; the price is one message for each pair of ranks that
// have data for each other. They travel on the communicator's shadow, and match because all ranks start
// collectives in one order.
#pragma once

#include <exception>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "lisle/collective/shadow.hpp"
#include "lisle/collective/sized.hpp"
#include "lisle/point_to_point/point_to_point.hpp"

namespace lisle::detail {

/// An object, and the bytes of it if it is serialised: written once, however many ranks it goes to.
template <class T> struct outgoing {
    explicit outgoing(T own) : object{std::move(own)} {
        if constexpr (serialized<T>)
            failure = caught([this] { bytes = to_bytes(object); });
    }
    [[nodiscard]] const auto &travelling() const noexcept {
        if constexpr (serialized<T>)
            return bytes;
        else
            return object;
    }
    T object;
    byte_buffer bytes;          ///< empty if the object could not be written, which no receiver can read
    std::exception_ptr failure; ///< in this case
};
template <class Kept> std::exception_ptr failure_of(const Kept &) noexcept {
    return nullptr;
}
template <class T> std::exception_ptr failure_of(const outgoing<T> &kept) noexcept {
    return kept.failure;
}

/// The messages of one collective. When all have arrived, `finish` makes the result of the kept objects and
/// of the received pieces, in the order of their receives.
template <class Piece, class Kept, class Finish> class message_collective final
    : public result_of<std::invoke_result_t<Finish &, Kept &, std::vector<Piece> &&>> {
    using result = std::invoke_result_t<Finish &, Kept &, std::vector<Piece> &&>;

  public:
    message_collective(MPI_Comm comm, Kept &&kept_for_sends, Finish finish)
        : kept{std::move(kept_for_sends)}, shadow_{shadow::of(comm).comm}, finish_{std::move(finish)} {}

    /// What is sent is kept here, or has been written already.
    template <class T> void send(const T &object, int dest, int tag = collective_tag) {
        if (std::exception_ptr thrown =
                caught([&] { sends_.push_back(shadow_.isend(borrow(object), dest, tag)); })) {
            failure_ = std::move(thrown);
            send_nothing(dest, tag);
        }
    }
    /// What no receiver can read as an object of several bytes, for one that waits for an object.
    void send_nothing(int dest, int tag = collective_tag) {
        if constexpr (serialized<Piece>)
            check(MPI_Send(nullptr, 0, MPI_BYTE, dest, tag, shadow_.native()), "MPI_Send");
        else
            check(MPI_Send("", 1, MPI_BYTE, dest, tag, shadow_.native()), "MPI_Send");
    }
    /// What is kept must be one object for each rank: otherwise the others are sent nothing, and this rank's
    /// future throws.
    void require_one_for_each(const char *call) {
        const auto check_kept = [this, call] {
            if (kept.size() != static_cast<std::size_t>(size()))
                raise_final(MPI_ERR_COUNT, call,
                            {{"objects", static_cast<long long>(kept.size())}, {"ranks", size()}},
                            "there must be one object for each rank");
        };
        failure_ = caught(check_kept);
    }
    /// Sends a rank its object of those that are kept, unless there is none.
    void send_own(int dest) {
        if (failure_)
            send_nothing(dest);
        else
            send(kept[static_cast<std::size_t>(dest)], dest);
    }
    void receive(int source, int tag = collective_tag) {
        pieces_.push_back(shadow_.ireceive<Piece>(source, tag));
    }
    [[nodiscard]] int rank() const { return shadow_.rank(); }
    [[nodiscard]] int size() const { return shadow_.size(); }

    bool prepare(MPI_Request &, bool wait) override {
        if (!finished_ && !(complete(pieces_, wait, seen_pieces_) && complete(sends_, wait, seen_sends_)))
            return false;
        if (!std::exchange(finished_, true)) {
            rethrow_first(failure_, failure_of(kept));
            std::vector<Piece> pieces;
            pieces.reserve(pieces_.size());
            for (future<Piece> &each : pieces_)
                pieces.push_back(each.take());
            if constexpr (std::is_void_v<result>)
                finish_(kept, std::move(pieces));
            else
                result_.emplace(finish_(kept, std::move(pieces)));
        }
        return true;
    }
    /// During an exception the futures cancel messages that may never arrive.
    bool withdraw() override { return std::uncaught_exceptions() > 0; }
    result take(const status &) override {
        if constexpr (!std::is_void_v<result>)
            return std::move(result_).value(); // none if finish() has thrown
    }

    Kept kept;

  private:
    struct nothing {};

    template <class Requests> static bool complete(Requests &requests, bool wait, std::size_t &seen) {
        for (; seen < requests.size(); ++seen) {
            if (wait)
                requests[seen].wait_complete();
            else if (!requests[seen].ready())
                return false;
        }
        return true;
    }

    point_to_point shadow_;
    Finish finish_;
    std::exception_ptr failure_; ///< of this rank, which the others are not to wait for
    std::vector<future<Piece>> pieces_;
    std::vector<future<>> sends_;
    std::size_t seen_pieces_ = 0; ///< complete ones at the beginning
    std::size_t seen_sends_ = 0;
    bool finished_ = false;
    std::optional<std::conditional_t<std::is_void_v<result>, nothing, result>> result_;
};

/// Begins a collective: `start` adds its messages.
template <class Piece, class Kept, class Start, class Finish>
auto begin_messages(MPI_Comm comm, Kept kept, Start start, Finish finish) {
    using messages = message_collective<Piece, Kept, Finish>;
    auto made = std::make_unique<messages>(comm, std::move(kept), std::move(finish));
    start(*made);
    return future<std::invoke_result_t<Finish &, Kept &, std::vector<Piece> &&>>{MPI_REQUEST_NULL,
                                                                                 std::move(made)};
}

// ---- which rank sends to which ----

/// Every rank sends to the ranks that have a result: the root, or all.
template <class Operation> auto to_result(int root) {
    return [root](auto &messages) {
        const int rank = messages.rank();
        for (int other = 0; other < messages.size(); ++other) {
            if (other == rank)
                continue;
            if (!Operation::rooted || rank == root)
                messages.receive(other);
            if (!Operation::rooted || other == root)
                messages.send(messages.kept.travelling(), other);
        }
    };
}
/// Every rank sends to the higher ranks.
inline auto to_later_ranks() {
    return [](auto &messages) {
        for (int other = 0; other < messages.rank(); ++other)
            messages.receive(other);
        for (int other = messages.rank() + 1; other < messages.size(); ++other)
            messages.send(messages.kept.travelling(), other);
    };
}
/// Every rank sends one object to each rank.
inline auto to_each(const char *call) {
    return [call](auto &messages) {
        messages.require_one_for_each(call);
        for (int other = 0; other < messages.size(); ++other)
            if (other != messages.rank()) {
                messages.receive(other);
                messages.send_own(other);
            }
    };
}

// ---- results of the received pieces ----

/// All objects in the order of ranks, the caller's own among them.
template <class T> std::vector<T> with_own(T &&own, std::vector<T> &&others, int rank) {
    others.insert(others.begin() + rank, std::move(own));
    return std::move(others);
}

template <class T, class F> T combine_all(std::vector<T> &&objects, F &function) {
    T result = std::move(objects.front());
    for (std::size_t i = 1; i < objects.size(); ++i)
        result = function(std::as_const(result), std::as_const(objects[i]));
    return result;
}

/// What one rank has, as a vector that it might have received.
template <class R> vector_of<R> as_piece(const R &range) {
    return {std::ranges::begin(range), std::ranges::end(range)};
}

} // namespace lisle::detail
