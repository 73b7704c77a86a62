// SPDX-License-Identifier: Apache-2.0
// barrier and broadcast.
#pragma once

#include <type_traits>
#include <utility>
#include <vector>

#include "lisle/collective/form.hpp"
#include "lisle/collective/messages.hpp"
#include "lisle/collective/sized.hpp"

namespace lisle::detail {

namespace operations {

struct barrier : as_given {
    static constexpr mpi_functions mpi{"Barrier", MPI_Barrier, MPI_Ibarrier, MPI_Barrier_init};
    static constexpr signature takes = signature::meets;
};
struct broadcast : as_given {
    static constexpr mpi_functions mpi{"Bcast", MPI_Bcast_c, MPI_Ibcast_c, MPI_Bcast_init_c};
    static constexpr signature takes = signature::spreads;
    static constexpr bool rooted = true;
};

} // namespace operations

/// A broadcast of memory that has the same size everywhere.
template <class Form, class T> auto broadcast_memory(Form form, T &object, int root, MPI_Comm comm) {
    const auto data = as_buffer(object);
    return issue<operations::broadcast>(std::move(form),
                                        {nullptr, data.writable(), data.count, data.type, root}, comm);
}

/// An object of any size, in messages that start at once. It is lent at all ranks; those that are not the
/// root get theirs before the future is complete.
template <class T> future<> start_to_broadcast_object(T &object, int root, MPI_Comm comm) {
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
    return begin_messages<T>(comm, byte_buffer{}, start, [&object](byte_buffer &, std::vector<T> &&came) {
        if (!came.empty())
            object = std::move(came.front());
    });
}
/// What B lends, of any kind.
template <class B, class T> future<> start_to_broadcast(T &object, int root, MPI_Comm comm) {
    if constexpr (writable_buffer<T &> && !grows<B>)
        return broadcast_memory(nonblocking<>{}, object, root, comm);
    else
        return start_to_broadcast_object(object, root, comm);
}

/// The functions of communicators.
class broadcast_calls : public collective_calls<broadcast_calls> {
  public:
    /// Returns when all ranks have called it.
    void barrier() const {
        agree(comm(), "barrier", 0, 0);
        if (receives_unposted())
            ibarrier().wait();
        else
            issue<operations::barrier>(blocking{}, {}, comm());
    }
    [[nodiscard]] future<> ibarrier() const {
        return issue<operations::barrier>(nonblocking<>{}, {}, comm());
    }
    [[nodiscard]] persistent barrier_init() const {
        return issue<operations::barrier>(prepared{}, {}, comm());
    }

    refusal broadcast(unfit, rooted = {}) const;
    /// Gives the root's object to all. A range must have the same size everywhere, or be resized(it) or
    /// whole(it); a string gets the length of the root's.
    ///
    ///     particle p = ...;
    ///     world.broadcast(p);
    ///     world.broadcast(lisle::resized(values), {.root = 2});
    template <class T>
    requires(!sets_grain<T> && object_to_send<T>) void broadcast(T &object, rooted with = {}) const {
        agree(comm(), "broadcast", with.root, element_size<T>());
        require_changeable<T &>();
        if constexpr (resizable_range<T &> && is_text<std::remove_cv_t<T>>)
            broadcast_sized(object, with.root, rank_in(comm()) == with.root, comm());
        else if constexpr (writable_buffer<T &>)
            broadcast_memory(blocking{}, object, with.root, comm());
        else if constexpr (serialized<T>)
            broadcast_written(object, with.root, rank_in(comm()) == with.root, comm());
    }
    /// Returns the root's object; what the others give is forgotten. A container gets the root's size.
    ///
    ///     int steps = world.broadcast(world.rank() == 0 ? ask_user() : 0);
    template <class T>
    requires(!std::is_reference_v<T> && !is_wrapper<T> && !sets_grain<T> && fit<T>) [[nodiscard]] T
        broadcast(T &&object, rooted with = {}) const {
        broadcast(whole(object), with);
        return std::move(object);
    }
    template <fit T> void broadcast(whole_t<T> object, rooted with = {}) const {
        if constexpr (resizable_range<T>)
            broadcast(resized(object.object), with);
        else
            broadcast(object.object, with);
    }
    template <fit T> void broadcast(elements_t<T> range, rooted with = {}) const {
        require_changeable<T>();
        agree(comm(), "broadcast", with.root, element_size<elements_t<T>>());
        broadcast_memory(blocking{}, range.object, with.root, comm());
    }
    template <resizable_range R> void broadcast(resized_t<R> container, rooted with = {}) const {
        agree(comm(), "broadcast resized", with.root, element_size<R>());
        broadcast_sized(container.object, with.root, rank_in(comm()) == with.root, comm());
    }
    /// The object is lent. A range has the same size everywhere; what is one object may have any.
    ///
    ///     auto news = world.ibroadcast(lisle::borrow(values));
    ///     auto of_any_length = world.ibroadcast(lisle::whole(lisle::borrow(values)));
    template <lent_object B> [[nodiscard]] future<> ibroadcast(B lent, rooted with = {}) const {
        auto &object = object_in(lent);
        require_changeable<decltype(object)>();
        return start_to_broadcast<B>(object, with.root, comm());
    }
    ///     lisle::persistent news = world.broadcast_init(lisle::borrow(values));
    ///     news.start(); compute(); news.wait();
    template <lent_object B> [[nodiscard]] persistent broadcast_init(B lent, rooted with = {}) const {
        auto &object = object_in(lent);
        require_changeable<decltype(object)>();
        if constexpr (writable_buffer<decltype(object)> && !grows<B>)
            return broadcast_memory(prepared{}, object, with.root, comm());
        else
            return prepare_rounds(
                [&object, with, comm = comm()] { return start_to_broadcast<B>(object, with.root, comm); },
                [] {});
    }

    // ---- with what cannot travel: see detail::unfit ----

    refusal ibroadcast(unfit, rooted = {}) const;
    refusal broadcast_init(unfit, rooted = {}) const;
};

} // namespace lisle::detail
