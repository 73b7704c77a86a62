// SPDX-License-Identifier: Apache-2.0
// Collectives that are prepared once and started many times, all ranks preparing them in one order. A layer
// of communicator. They borrow what they read and what they write; objects that MPI does not know are
// serialised anew in each round, and wait() puts the round's result where it belongs.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "lisle/collective/nonblocking_into.hpp"
#include "lisle/request/persistent.hpp"

namespace lisle {

namespace detail {

/// The callable of a persistent reduction, and its operation.
template <class T, class F> class lasting_reduction final : public persistent_owner {
    F function_;

  public:
    lasting_reduction(const typename taken<T>::object &object, F &&function)
        : function_{std::move(function)}, parts{object, function_} {
        require_lasting<F, combined<T, F>>();
    }
    reduction<T, F> parts;
};

} // namespace detail

class persistent_collectives : public nonblocking_into {
  public:
    using nonblocking_into::nonblocking_into;

    [[nodiscard]] persistent barrier_init() const {
        return prepare("MPI_Barrier_init", [this](MPI_Request *request) {
            return MPI_Barrier_init(comm_, MPI_INFO_NULL, request);
        });
    }
    ///     lisle::persistent news = world.broadcast_init(lisle::borrow(values));
    ///     news.start(); compute(); news.wait();
    template <detail::lent_object B> [[nodiscard]] persistent broadcast_init(B lent, rooted with = {}) const {
        auto &object = detail::object_in(lent);
        using type = std::remove_reference_t<decltype(object)>;
        detail::require_changeable<type &>();
        if constexpr (writable_buffer<type &> && !detail::grows<B>) {
            const auto data = as_buffer(object);
            return prepare("MPI_Bcast_init", [&](MPI_Request *request) {
                return MPI_Bcast_init_c(data.writable(), data.count, data.type, with.root, comm_,
                                        MPI_INFO_NULL, request);
            });
        } else {
            return rounds(
                [self = *this, &object, with] {
                    auto again = borrow(object);
                    return self.ibroadcast(detail::say_as<B>(again), with);
                },
                [] {});
        }
    }
    /// `into` means nothing but at the root. What is serialised is gathered into a vector of objects.
    template <detail::lent_object B, class R>
    [[nodiscard]] persistent gather_init(B from, borrowed<R> into, rooted with = {}) const {
        auto &object = detail::object_in(from);
        if constexpr (detail::taken<B>::in_memory) {
            detail::require_writable<R &>();
            const auto data = as_buffer(object);
            const auto all = as_buffer(into.get());
            return prepare("MPI_Gather_init", [&](MPI_Request *request) {
                return MPI_Gather_init_c(data.address, data.count, data.type, all.writable(), data.count,
                                         data.type, with.root, comm_, MPI_INFO_NULL, request);
            });
        } else {
            return rounds(
                [self = *this, &object, with] { return self.igather(detail::say_as<B>(object), with); },
                into_object(into));
        }
    }
    template <detail::lent_object B, class R>
    [[nodiscard]] persistent allgather_init(B from, borrowed<R> into) const {
        auto &object = detail::object_in(from);
        if constexpr (detail::taken<B>::in_memory) {
            detail::require_writable<R &>();
            const auto data = as_buffer(object);
            const auto all = as_buffer(into.get());
            return prepare("MPI_Allgather_init", [&](MPI_Request *request) {
                return MPI_Allgather_init_c(data.address, data.count, data.type, all.writable(), data.count,
                                            data.type, comm_, MPI_INFO_NULL, request);
            });
        } else {
            return rounds([self = *this, &object] { return self.iallgather(detail::say_as<B>(object)); },
                          into_object(into));
        }
    }
    /// `all` means nothing but at the root. What is serialised is dealt out from a vector of objects.
    template <class R, class T>
    requires detail::fit<R> || detail::fit<detail::element_of<R &>>
    [[nodiscard]] persistent scatter_init(borrowed<R> all, borrowed<T> into, rooted with = {}) const {
        if constexpr (direct_buffer<T &> || !detail::fit<T>) {
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
    requires detail::fit<A> || detail::fit<detail::element_of<A &>>
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
    template <detail::lent_object B, class R, class F>
    [[nodiscard]] persistent allreduce_init(B from, borrowed<R> into, F function) const {
        auto &object = detail::object_in(from);
        if constexpr (detail::reduced_by_element<B, F>)
            return prepare_reduction<B>(object, into.get(), std::move(function), "MPI_Allreduce_init",
                                        [this](const auto &r, void *to, MPI_Request *request) {
                                            return MPI_Allreduce_init_c(r.from(), to, r.count(), r.type(),
                                                                        r.operation(), comm_, MPI_INFO_NULL,
                                                                        request);
                                        });
        else
            return rounds([self = *this, &object,
                           function] { return self.iallreduce(detail::say_as<B>(object), function); },
                          into_object(into));
    }
    template <detail::fit T, detail::operation_on<T> F>
    [[nodiscard]] persistent allreduce_init(lent_in_place_t<T> both, F function) const {
        return prepare_reduction<T>(both.object, both.object, std::move(function), "MPI_Allreduce_init",
                                    [this](const auto &r, void *to, MPI_Request *request) {
                                        return MPI_Allreduce_init_c(MPI_IN_PLACE, to, r.count(), r.type(),
                                                                    r.operation(), comm_, MPI_INFO_NULL,
                                                                    request);
                                    });
    }
    template <detail::lent_object B, class R, class F>
    [[nodiscard]] persistent reduce_init(B from, borrowed<R> into, F function, rooted with = {}) const {
        auto &object = detail::object_in(from);
        if constexpr (detail::reduced_by_element<B, F>)
            return prepare_reduction<B>(object, into.get(), std::move(function), "MPI_Reduce_init",
                                        [this, with](const auto &r, void *to, MPI_Request *request) {
                                            return MPI_Reduce_init_c(r.from(), to, r.count(), r.type(),
                                                                     r.operation(), with.root, comm_,
                                                                     MPI_INFO_NULL, request);
                                        });
        else
            return rounds([self = *this, &object, function,
                           with] { return self.ireduce(detail::say_as<B>(object), function, with); },
                          into_object(into));
    }
    template <detail::lent_object B, class R, class F>
    [[nodiscard]] persistent scan_init(B from, borrowed<R> into, F function) const {
        auto &object = detail::object_in(from);
        if constexpr (detail::reduced_by_element<B, F>)
            return prepare_reduction<B>(object, into.get(), std::move(function), "MPI_Scan_init",
                                        [this](const auto &r, void *to, MPI_Request *request) {
                                            return MPI_Scan_init_c(r.from(), to, r.count(), r.type(),
                                                                   r.operation(), comm_, MPI_INFO_NULL,
                                                                   request);
                                        });
        else
            return rounds(
                [self = *this, &object, function] { return self.iscan(detail::say_as<B>(object), function); },
                into_object(into));
    }

    // ---- with what cannot travel: see detail::unfit ----

    refusal broadcast_init(unfit, rooted = {}) const;
    refusal gather_init(unfit, anything, rooted = {}) const;
    refusal allgather_init(unfit, anything) const;
    refusal scatter_init(unfit, anything, rooted = {}) const;
    refusal alltoall_init(unfit, anything) const;
    refusal allreduce_init(unfit, anything) const;
    refusal allreduce_init(unfit, anything, anything) const;
    refusal reduce_init(unfit, anything, anything, rooted = {}) const;
    refusal scan_init(unfit, anything, anything) const;

  private:
    template <class Call> static persistent prepare(const char *name, Call call) {
        MPI_Request request = MPI_REQUEST_NULL;
        detail::check(call(&request), name);
        return persistent{request};
    }
    template <class T, class Object, class Result, class F, class Call> static persistent
    prepare_reduction(const Object &from, Result &into, F function, const char *name, Call call) {
        detail::require_writable<Result &>();
        auto owner = std::make_unique<detail::lasting_reduction<T, F>>(from, std::move(function));
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
