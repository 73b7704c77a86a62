// SPDX-License-Identifier: Apache-2.0
// Collectives that go on while the program computes, between objects that are lent: borrow(object) to read,
// borrow(buffer), resized(container) or grown(container) to fill. A container gets its size at once. A layer
// of communicator.
#pragma once

#include <memory>
#include <utility>

#include "lisle/collective/nonblocking_collective.hpp"

namespace lisle {

namespace detail {

/// A reduction between lent objects: the callable and its operation.
template <class T, class F> class reduction_between final : public operation {
    F function_;

  public:
    reduction_between(const T &object, F &&function)
        : function_{std::move(function)}, parts{object, function_} {
        require_lasting<F, combined<T, F>>();
    }
    reduction<T, F> parts;
};

} // namespace detail

class nonblocking_into : public nonblocking_collectives {
  public:
    using nonblocking_collectives::nonblocking_collectives;

    /// `auto f = world.iallgather_into(lisle::borrow(mine), lisle::resized(all));`
    template <object_in_memory T, lent_place_to_fill Into>
    [[nodiscard]] future<> iallgather_into(borrowed<T> object, Into into) const {
        const auto data = as_buffer(object.get());
        void *const room = room_for_all<T>(object.get(), into, "lisle::iallgather_into");
        MPI_Request request = MPI_REQUEST_NULL;
        detail::check(MPI_Iallgather_c(data.address, data.count, data.type, room, data.count, data.type,
                                       comm_, &request),
                      "MPI_Iallgather", named_value{"count", data.count});
        return future<>{request};
    }
    /// `into` means nothing but at the root.
    template <object_in_memory T, lent_place_to_fill Into>
    [[nodiscard]] future<> igather_into(borrowed<T> object, Into into, rooted with = {}) const {
        const auto data = as_buffer(object.get());
        void *const room =
            rank() == with.root ? room_for_all<T>(object.get(), into, "lisle::igather_into") : nullptr;
        MPI_Request request = MPI_REQUEST_NULL;
        detail::check(MPI_Igather_c(data.address, data.count, data.type, room, data.count, data.type,
                                    with.root, comm_, &request),
                      "MPI_Igather", named_value{"count", data.count}, named_value{"root", with.root});
        return future<>{request};
    }
    template <class R, lent_place_to_fill Into>
    requires direct_range<const R &>
    [[nodiscard]] future<> ialltoall_into(borrowed<R> range, Into into) const {
        using element = detail::element_of<const R &>;
        const auto objects = std::ranges::size(range.get());
        const MPI_Count count =
            detail::share_of(static_cast<MPI_Count>(objects), size(), "lisle::ialltoall_into") *
            detail::wire<element>::count;
        const MPI_Datatype type = detail::wire<element>::type();
        void *const room = detail::room_for<element>(into, objects, "lisle::ialltoall_into");
        MPI_Request request = MPI_REQUEST_NULL;
        detail::check(
            MPI_Ialltoall_c(std::ranges::data(range.get()), count, type, room, count, type, comm_, &request),
            "MPI_Ialltoall", named_value{"count", count});
        return future<>{request};
    }
    /// `auto f = world.iallreduce_into(lisle::borrow(mine), lisle::borrow(sums), std::plus<>{});`
    template <object_in_memory T, lent_place_to_fill Into, detail::operation_on<T> F>
    [[nodiscard]] future<> iallreduce_into(borrowed<T> object, Into into, F function) const {
        void *const room = room_for_one<T>(object.get(), into, "lisle::iallreduce_into");
        return start_between(
            object, function, "MPI_Iallreduce", [this, room](const auto &r, MPI_Request *request) {
                return MPI_Iallreduce_c(r.from(), room, r.count(), r.type(), r.operation(), comm_, request);
            });
    }
    /// `into` means nothing but at the root.
    template <object_in_memory T, lent_place_to_fill Into, detail::operation_on<T> F>
    [[nodiscard]] future<> ireduce_into(borrowed<T> object, Into into, F function, rooted with = {}) const {
        void *const room =
            rank() == with.root ? room_for_one<T>(object.get(), into, "lisle::ireduce_into") : nullptr;
        return start_between(object, function, "MPI_Ireduce",
                             [this, room, with](const auto &r, MPI_Request *request) {
                                 return MPI_Ireduce_c(r.from(), room, r.count(), r.type(), r.operation(),
                                                      with.root, comm_, request);
                             });
    }

    // ---- with what cannot travel: see detail::unfit ----

    refusal iallgather_into(not_in_memory, anything) const;
    refusal igather_into(not_in_memory, anything, rooted = {}) const;
    refusal ialltoall_into(no_range, anything) const;
    refusal iallreduce_into(not_in_memory, anything, anything) const;
    refusal ireduce_into(not_in_memory, anything, anything, rooted = {}) const;

  private:
    template <class T, class F, class Start>
    static future<> start_between(borrowed<T> object, F &function, const char *call, Start start) {
        using type = std::remove_const_t<T>;
        auto owner = std::make_unique<detail::reduction_between<type, F>>(object.get(), std::move(function));
        MPI_Request request = MPI_REQUEST_NULL;
        detail::check(start(owner->parts, &request), call, named_value{"count", owner->parts.count()});
        return future<>{request, std::move(owner)};
    }
};

} // namespace lisle
