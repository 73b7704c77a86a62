// SPDX-License-Identifier: Apache-2.0
// Collectives that are prepared once and started many times, all ranks preparing them in one order. A layer
// of communicator. They borrow what they read and what they write; objects that MPI does not know are
// serialised anew in each round, and wait() puts the round's result where it belongs.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "lisle/nonblocking_collective.hpp"
#include "lisle/persistent.hpp"

namespace lisle {

namespace detail {

/// The callable of a persistent reduction, and its operation.
template <class T, class F> class lasting_reduction final : public persistent_owner {
    F function_;

  public:
    lasting_reduction(const T &object, F &&function)
        : function_{std::move(function)}, parts{object, function_} {
        require_lasting<F, combined<T, F>>();
    }
    reduction<T, F> parts;
};

} // namespace detail

class persistent_collectives : public nonblocking_collectives {
  public:
    using nonblocking_collectives::nonblocking_collectives;

    [[nodiscard]] persistent barrier_init() const {
        return prepare("MPI_Barrier_init", [this](MPI_Request *request) {
            return MPI_Barrier_init(comm_, MPI_INFO_NULL, request);
        });
    }
    ///     lisle::persistent news = world.broadcast_init(lisle::borrow(values));
    ///     news.start(); compute(); news.wait();
    template <class T> [[nodiscard]] persistent broadcast_init(borrowed<T> object, rooted with = {}) const {
        detail::require_receivable_object<T &>();
        if constexpr (writable_buffer<T &>) {
            const auto data = as_buffer(object.get());
            return prepare("MPI_Bcast_init", [&](MPI_Request *request) {
                return MPI_Bcast_init_c(data.writable(), data.count, data.type, with.root, comm_,
                                        MPI_INFO_NULL, request);
            });
        } else {
            return rounds([self = *this, object, with] { return self.ibroadcast(object, with); }, [] {});
        }
    }
    /// `into` means nothing but at the root. What is serialised is gathered into a vector of objects.
    template <class T, class R>
    [[nodiscard]] persistent gather_init(borrowed<T> from, borrowed<R> into, rooted with = {}) const {
        if constexpr (direct_buffer<T &>) {
            detail::require_writable<R &>();
            const auto data = as_buffer(from.get());
            const auto all = as_buffer(into.get());
            return prepare("MPI_Gather_init", [&](MPI_Request *request) {
                return MPI_Gather_init_c(data.address, data.count, data.type, all.writable(), data.count,
                                         data.type, with.root, comm_, MPI_INFO_NULL, request);
            });
        } else {
            return rounds([self = *this, from, with] { return self.igather(from.get(), with); },
                          into_object(into));
        }
    }
    template <class T, class R>
    [[nodiscard]] persistent allgather_init(borrowed<T> from, borrowed<R> into) const {
        if constexpr (direct_buffer<T &>) {
            detail::require_writable<R &>();
            const auto data = as_buffer(from.get());
            const auto all = as_buffer(into.get());
            return prepare("MPI_Allgather_init", [&](MPI_Request *request) {
                return MPI_Allgather_init_c(data.address, data.count, data.type, all.writable(), data.count,
                                            data.type, comm_, MPI_INFO_NULL, request);
            });
        } else {
            return rounds([self = *this, from] { return self.iallgather(from.get()); }, into_object(into));
        }
    }
    /// `all` means nothing but at the root. What is serialised is dealt out from a vector of objects.
    template <class R, class T>
    [[nodiscard]] persistent scatter_init(borrowed<R> all, borrowed<T> into, rooted with = {}) const {
        if constexpr (direct_buffer<T &>) {
            detail::require_writable<T &>();
            const auto from = as_buffer(all.get());
            const auto mine = as_buffer(into.get());
            return prepare("MPI_Scatter_init", [&](MPI_Request *request) {
                return MPI_Scatter_init_c(from.address, mine.count, mine.type, mine.writable(), mine.count,
                                          mine.type, with.root, comm_, MPI_INFO_NULL, request);
            });
        } else {
            return rounds([self = *this, all, with] { return self.iscatter(all.get(), with); },
                          into_object(into));
        }
    }
    /// One equal part for each rank. Of objects that are serialised, one for each rank.
    template <class A, class B>
    [[nodiscard]] persistent alltoall_init(borrowed<A> from, borrowed<B> into) const {
        if constexpr (direct_buffer<A &>) {
            detail::require_writable<B &>();
            const auto data = as_buffer(from.get());
            const auto all = as_buffer(into.get());
            const MPI_Count count = detail::share_of(data.count, size(), "lisle::alltoall_init");
            return prepare("MPI_Alltoall_init", [&](MPI_Request *request) {
                return MPI_Alltoall_init_c(data.address, count, data.type, all.writable(), count, data.type,
                                           comm_, MPI_INFO_NULL, request);
            });
        } else {
            return rounds([self = *this, from] { return self.ialltoallv(from.get()); }, into_object(into));
        }
    }

    // Reductions: of two objects of the same size, or in place.

    /// `lisle::persistent sum = world.allreduce_init(lisle::borrow(mine), lisle::borrow(all),
    /// std::plus<>{});`
    template <class T, class R, class F>
    [[nodiscard]] persistent allreduce_init(borrowed<T> from, borrowed<R> into, F function) const {
        if constexpr (detail::reduced_by_element<std::remove_const_t<T>, F>)
            return prepare_reduction(from.get(), into.get(), std::move(function), "MPI_Allreduce_init",
                                     [this](const auto &r, void *to, MPI_Request *request) {
                                         return MPI_Allreduce_init_c(r.from(), to, r.count(), r.type(),
                                                                     r.operation(), comm_, MPI_INFO_NULL,
                                                                     request);
                                     });
        else
            return rounds(
                [self = *this, from, function] {
                    return self.iallreduce(std::remove_const_t<T>(from.get()), function);
                },
                into_object(into));
    }
    template <class T, class F>
    [[nodiscard]] persistent allreduce_init(lent_in_place_t<T> both, F function) const {
        return prepare_reduction(both.object, both.object, std::move(function), "MPI_Allreduce_init",
                                 [this](const auto &r, void *to, MPI_Request *request) {
                                     return MPI_Allreduce_init_c(MPI_IN_PLACE, to, r.count(), r.type(),
                                                                 r.operation(), comm_, MPI_INFO_NULL,
                                                                 request);
                                 });
    }
    template <class T, class R, class F> [[nodiscard]] persistent
    reduce_init(borrowed<T> from, borrowed<R> into, F function, rooted with = {}) const {
        if constexpr (detail::reduced_by_element<std::remove_const_t<T>, F>)
            return prepare_reduction(from.get(), into.get(), std::move(function), "MPI_Reduce_init",
                                     [this, with](const auto &r, void *to, MPI_Request *request) {
                                         return MPI_Reduce_init_c(r.from(), to, r.count(), r.type(),
                                                                  r.operation(), with.root, comm_,
                                                                  MPI_INFO_NULL, request);
                                     });
        else
            return rounds([self = *this, from, function,
                           with] { return self.ireduce(std::remove_const_t<T>(from.get()), function, with); },
                          into_object(into));
    }
    template <class T, class R, class F>
    [[nodiscard]] persistent scan_init(borrowed<T> from, borrowed<R> into, F function) const {
        if constexpr (detail::reduced_by_element<std::remove_const_t<T>, F>)
            return prepare_reduction(from.get(), into.get(), std::move(function), "MPI_Scan_init",
                                     [this](const auto &r, void *to, MPI_Request *request) {
                                         return MPI_Scan_init_c(r.from(), to, r.count(), r.type(),
                                                                r.operation(), comm_, MPI_INFO_NULL, request);
                                     });
        else
            return rounds([self = *this, from,
                           function] { return self.iscan(std::remove_const_t<T>(from.get()), function); },
                          into_object(into));
    }

  private:
    template <class Call> static persistent prepare(const char *name, Call call) {
        MPI_Request request = MPI_REQUEST_NULL;
        detail::check(call(&request), name);
        return persistent{request};
    }
    template <class T, class Result, class F, class Call>
    static persistent prepare_reduction(T &from, Result &into, F function, const char *name, Call call) {
        detail::require_writable<Result &>();
        auto owner =
            std::make_unique<detail::lasting_reduction<std::remove_const_t<T>, F>>(from, std::move(function));
        const auto &parts = owner->parts;
        MPI_Request request = MPI_REQUEST_NULL;
        detail::check(call(parts, parts.to(into), &request), name, named_value{"count", parts.count()});
        return persistent{request, std::move(owner)};
    }
    template <class Begin, class End> static persistent rounds(Begin begin, End end) {
        return persistent{MPI_REQUEST_NULL,
                          std::make_unique<detail::rounds<Begin, End>>(std::move(begin), std::move(end))};
    }
    /// Puts a round's result where it belongs.
    template <class R> static auto into_object(borrowed<R> into) {
        return [into](auto &&result) { into.get() = std::move(result); };
    }
};

} // namespace lisle
