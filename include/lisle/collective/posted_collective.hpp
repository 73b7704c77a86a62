// SPDX-License-Identifier: Apache-2.0
// Non-blocking collectives whose sizes MPI does not know: serialised objects, ranges without counts, objects
// that are combined as wholes. Each begins all its messages at once and none of them waits for another, so
// it goes on without anybody's help; the price is a message for each pair of ranks that has to do with each
// other. They travel on the communicator's shadow, and match since all ranks begin collectives in one order.
#pragma once

#include <exception>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "lisle/collective/collective_details.hpp"
#include "lisle/collective/shadow.hpp"
#include "lisle/point_to_point/point_to_point.hpp"

namespace lisle::detail {

/// An object, and what of it travels to others: made once, however many they are.
template <class T> struct posted {
    explicit posted(T own) : object{std::move(own)} {
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
template <class T> std::exception_ptr failure_of(const posted<T> &kept) noexcept {
    return kept.failure;
}

/// The messages of one collective. Once they are all there `finish` makes the result of what was kept and
/// of the pieces that came, in the order in which they were asked for.
template <class Piece, class Kept, class Finish> class collected final
    : public result_of<std::invoke_result_t<Finish &, Kept &, std::vector<Piece> &&>> {
    using result = std::invoke_result_t<Finish &, Kept &, std::vector<Piece> &&>;

  public:
    collected(MPI_Comm comm, Kept &&kept_for_sends, Finish finish)
        : kept{std::move(kept_for_sends)}, own_{shadow::of(comm).comm}, finish_{std::move(finish)} {}

    /// What is sent is kept here, or has been written already.
    template <class T> void send(const T &object, int dest, int tag = posted_tag) {
        if (std::exception_ptr thrown =
                caught([&] { sends_.push_back(own_.isend(borrow(object), dest, tag)); })) {
            failure_ = std::move(thrown);
            send_nothing(dest, tag);
        }
    }
    /// What no receiver can read as an object of several bytes, for one that waits for an object.
    void send_nothing(int dest, int tag = posted_tag) {
        if constexpr (serialized<Piece>)
            check(MPI_Send(nullptr, 0, MPI_BYTE, dest, tag, own_.native()), "MPI_Send");
        else
            check(MPI_Send("", 1, MPI_BYTE, dest, tag, own_.native()), "MPI_Send");
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
    void receive(int source, int tag = posted_tag) { pieces_.push_back(own_.ireceive<Piece>(source, tag)); }
    [[nodiscard]] int rank() const { return own_.rank(); }
    [[nodiscard]] int size() const { return own_.size(); }

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
    /// While an exception passes, messages that may never come are given up by their own futures.
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

    point_to_point own_;
    Finish finish_;
    std::exception_ptr failure_; ///< of this rank, which the others are not to wait for
    std::vector<future<Piece>> pieces_;
    std::vector<future<>> sends_;
    std::size_t seen_pieces_ = 0; ///< complete ones at the beginning
    std::size_t seen_sends_ = 0;
    bool finished_ = false;
    std::optional<std::conditional_t<std::is_void_v<result>, nothing, result>> result_;
};

/// Begins a collective: `start` is given its messages to be.
template <class Piece, class Kept, class Start, class Finish>
auto begin_collected(MPI_Comm comm, Kept kept, Start start, Finish finish) {
    using messages = collected<Piece, Kept, Finish>;
    auto made = std::make_unique<messages>(comm, std::move(kept), std::move(finish));
    start(*made);
    return future<std::invoke_result_t<Finish &, Kept &, std::vector<Piece> &&>>{MPI_REQUEST_NULL,
                                                                                 std::move(made)};
}

// ---- who sends to whom ----

/// Everybody to the root.
inline auto to_root(int root) {
    return [root](auto &messages) {
        if (messages.rank() != root)
            return messages.send(messages.kept.travelling(), root);
        for (int from = 0; from < messages.size(); ++from)
            if (from != root)
                messages.receive(from);
    };
}
/// Everybody to everybody.
inline auto to_all() {
    return [](auto &messages) {
        for (int other = 0; other < messages.size(); ++other)
            if (other != messages.rank()) {
                messages.receive(other);
                messages.send(messages.kept.travelling(), other);
            }
    };
}
/// Everybody to those behind.
inline auto to_later_ranks() {
    return [](auto &messages) {
        for (int other = 0; other < messages.rank(); ++other)
            messages.receive(other);
        for (int other = messages.rank() + 1; other < messages.size(); ++other)
            messages.send(messages.kept.travelling(), other);
    };
}

// ---- what becomes of what came ----

/// All objects in the order of ranks: the others', and the caller's own.
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

// ---- the collectives ----

/// The object is lent at all ranks; those that are not the root get theirs before the future is complete.
template <class T> future<> ibroadcast_object(MPI_Comm comm, T &object, int root) {
    const auto start = [root, &object](auto &messages) {
        if (messages.rank() != root)
            return messages.receive(root);
        const auto send_to_all = [&](const auto &what) {
            for (int other = 0; other < messages.size(); ++other)
                if (other != root)
                    messages.send(what, other);
        };
        if constexpr (serialized<T>)
            send_to_all(messages.kept = to_bytes(object));
        else
            send_to_all(object);
    };
    return begin_collected<T>(comm, byte_buffer{}, start, [&object](byte_buffer &, std::vector<T> &&came) {
        if (!came.empty())
            object = std::move(came.front());
    });
}

template <class T> future<std::vector<T>> igather_objects(MPI_Comm comm, T own, int root, int rank) {
    return begin_collected<T>(comm, posted<T>{std::move(own)}, to_root(root),
                              [here = rank == root, rank](posted<T> &kept, std::vector<T> &&came) {
                                  return here ? with_own(std::move(kept.object), std::move(came), rank)
                                              : std::vector<T>{};
                              });
}

template <class T> future<std::vector<T>> iallgather_objects(MPI_Comm comm, T own, int rank) {
    return begin_collected<T>(comm, posted<T>{std::move(own)}, to_all(),
                              [rank](posted<T> &kept, std::vector<T> &&came) {
                                  return with_own(std::move(kept.object), std::move(came), rank);
                              });
}

/// One object for each rank; `all` means nothing but at the root.
template <class T> future<T> iscatter_objects(MPI_Comm comm, std::vector<T> all, int root) {
    const auto start = [root](auto &messages) {
        if (messages.rank() != root)
            return messages.receive(root);
        messages.require_one_for_each("lisle::iscatter");
        for (int other = 0; other < messages.size(); ++other)
            if (other != root)
                messages.send_own(other);
    };
    return begin_collected<T>(
        comm, std::move(all), start, [root](std::vector<T> &kept, std::vector<T> &&came) {
            return came.empty() ? std::move(kept[static_cast<std::size_t>(root)]) : std::move(came.front());
        });
}

/// One object from each rank to each rank.
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
template <class T> future<std::vector<T>> ialltoall_objects(MPI_Comm comm, std::vector<T> all, int rank) {
    return begin_collected<T>(comm, std::move(all), to_each("lisle::ialltoallv"),
                              [rank](std::vector<T> &kept, std::vector<T> &&came) {
                                  return with_own(std::move(kept[static_cast<std::size_t>(rank)]),
                                                  std::move(came), rank);
                              });
}
/// The caller's part of all ranks' objects combined.
template <class T, class F> future<std::vector<T>>
ireduce_scatter_objects(MPI_Comm comm, std::vector<std::vector<T>> parts, F function, int rank) {
    using part = std::vector<T>;
    constexpr auto call = "lisle::ireduce_scatter";
    return begin_collected<part>(
        comm, std::move(parts), to_each(call),
        [function = std::move(function), rank](std::vector<part> &kept, std::vector<part> &&came) mutable {
            return combine_parts(
                with_own(std::move(kept[static_cast<std::size_t>(rank)]), std::move(came), rank), function,
                call);
        });
}

/// At the root the objects combined in the order of ranks, elsewhere the caller's own.
template <class T, class F> future<T> ireduce_objects(MPI_Comm comm, T own, F function, int root, int rank) {
    return begin_collected<T>(
        comm, posted<T>{std::move(own)}, to_root(root),
        [function = std::move(function), here = rank == root, rank](posted<T> &kept,
                                                                    std::vector<T> &&came) mutable {
            return here ? combine_all(with_own(std::move(kept.object), std::move(came), rank), function)
                        : std::move(kept.object);
        });
}
template <class T, class F> future<T> iallreduce_objects(MPI_Comm comm, T own, F function, int rank) {
    return begin_collected<T>(
        comm, posted<T>{std::move(own)}, to_all(),
        [function = std::move(function), rank](posted<T> &kept, std::vector<T> &&came) mutable {
            return combine_all(with_own(std::move(kept.object), std::move(came), rank), function);
        });
}
template <class T, class F> future<T> iscan_objects(MPI_Comm comm, T own, F function) {
    return begin_collected<T>(
        comm, posted<T>{std::move(own)}, to_later_ranks(),
        [function = std::move(function)](posted<T> &kept, std::vector<T> &&came) mutable {
            came.push_back(std::move(kept.object));
            return combine_all(std::move(came), function);
        });
}
/// Rank 0 gets `first`.
template <class T, class F> future<T> iexscan_objects(MPI_Comm comm, T own, F function, T first) {
    return begin_collected<T>(comm, posted<T>{std::move(own)}, to_later_ranks(),
                              [function = std::move(function),
                               first = std::move(first)](posted<T> &, std::vector<T> &&came) mutable {
                                  return came.empty() ? std::move(first)
                                                      : combine_all(std::move(came), function);
                              });
}

/// A range of objects as what travels whole.
template <class R> auto as_elements(R &&range) {
    using piece = std::vector<element_of<R &>>;
    if constexpr (std::is_same_v<R, piece>)
        return std::move(range);
    else
        return piece(std::ranges::begin(range), std::ranges::end(range));
}

/// What one rank has, as a piece that it might have received.
template <class R> std::vector<element_of<const R &>> as_piece(const R &range) {
    return {std::ranges::begin(range), std::ranges::end(range)};
}
template <class R> using piece_of = std::vector<element_of<const R &>>;

/// Ranges of which nobody knows how much the others have, joined.
template <class R> auto igather_ranges(MPI_Comm comm, R own, int root, int rank) {
    using piece = piece_of<R>;
    return begin_collected<piece>(comm, posted<R>{std::move(own)}, to_root(root),
                                  [here = rank == root, rank](posted<R> &kept, std::vector<piece> &&came) {
                                      if (!here)
                                          return decltype(join(std::move(came))){};
                                      return join(with_own(as_piece(kept.object), std::move(came), rank));
                                  });
}
template <class R> auto iallgather_ranges(MPI_Comm comm, R own, int rank) {
    using piece = piece_of<R>;
    return begin_collected<piece>(comm, posted<R>{std::move(own)}, to_all(),
                                  [rank](posted<R> &kept, std::vector<piece> &&came) {
                                      return join(with_own(as_piece(kept.object), std::move(came), rank));
                                  });
}

/// Parts of a range, whose sizes only the sender knows: `counts[i]` objects go to rank i.
template <class R> auto ialltoall_ranges(MPI_Comm comm, R all, counts_view counts, int rank) {
    using piece = piece_of<R>;
    const block_list<element_of<const R &>> parts{counts};
    if (parts.total > std::ranges::size(all))
        raise_final(MPI_ERR_COUNT, "lisle::ialltoallv",
                    {{"objects", static_cast<long long>(std::ranges::size(all))},
                     {"sum of counts", static_cast<long long>(parts.total)}},
                    "the counts say more objects than there are");
    std::size_t begin = 0; // of the caller's own part
    for (int other = 0; other < rank; ++other)
        begin += static_cast<std::size_t>(counts[static_cast<std::size_t>(other)]);
    const auto length = static_cast<std::size_t>(counts[static_cast<std::size_t>(rank)]);
    const auto start = [counts](auto &messages) {
        const auto *next = std::ranges::data(messages.kept);
        for (int other = 0; other < messages.size(); ++other) {
            const std::span part{next, static_cast<std::size_t>(counts[static_cast<std::size_t>(other)])};
            next += part.size();
            if (other == messages.rank())
                continue;
            messages.receive(other);
            messages.send(part, other);
        }
    };
    return begin_collected<piece>(
        comm, std::move(all), start, [begin, length, rank](R &kept, std::vector<piece> &&came) {
            const std::span own{std::ranges::data(std::as_const(kept)) + begin, length};
            return join(with_own(as_piece(own), std::move(came), rank));
        });
}

} // namespace lisle::detail
