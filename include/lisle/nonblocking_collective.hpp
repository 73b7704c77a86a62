// SPDX-License-Identifier: Apache-2.0
// Collectives that go on while the program computes. A layer of communicator. What they read is moved in or
// small; what they return lives in the future until it is asked for.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "lisle/collective.hpp"

namespace lisle {

namespace detail {

/// The buffers of a collective under way.
template <class In, class Out> class two_objects final : public result_of<Out> {
  public:
    explicit two_objects(In &&from) : in{std::move(from)} {}
    Out take(const status &) override { return std::move(out); }
    In in;
    Out out{};
};

/// A reduction's, with its operation.
template <class In, class F> class reduction_under_way final : public result_of<reduction_result<In>> {
  public:
    reduction_under_way(In &&from, const F &function, bool here)
        : in_{std::move(from)}, parts{in_, function}, out{parts.make_result(here)} {
        static_assert(
            has_extensions || has_predefined<F, combined<In, F>> || std::is_empty_v<F>,
            "Without Lisle's extensions a non-blocking reduction cannot use a callable with state.");
    }
    reduction_result<In> take(const status &) override { return std::move(out); }

  private:
    In in_;

  public:
    reduction<In, F> parts;
    reduction_result<In> out;
};

} // namespace detail

/// What non-blocking collectives read: an object that is moved in, or a small one that is copied.
template <class T>
concept object_to_own = object_to_keep<T> && !detail::is_borrowed<std::remove_cvref_t<T>>::value &&
                        direct_buffer<std::remove_cvref_t<T>>;

class nonblocking_collectives : public collectives {
  public:
    using collectives::collectives;

    [[nodiscard]] future<> ibarrier() const {
        MPI_Request request = MPI_REQUEST_NULL;
        detail::check(MPI_Ibarrier(comm_, &request), "MPI_Ibarrier");
        return future<>{request};
    }
    /// The buffer has the same size everywhere and is lent.
    template <class B> [[nodiscard]] future<> ibroadcast(borrowed<B> object, rooted with = {}) const {
        detail::require_writable<B &>();
        const auto data = as_buffer(object.get());
        MPI_Request request = MPI_REQUEST_NULL;
        detail::check(MPI_Ibcast_c(data.writable(), data.count, data.type, with.root, comm_, &request),
                      "MPI_Ibcast", named_value{"count", data.count}, named_value{"root", with.root});
        return future<>{request};
    }
    /// `auto all = world.iallgather(world.rank()); ...; use(all.wait());`
    template <object_to_own T> [[nodiscard]] auto iallgather(T &&object) const {
        using in = std::remove_cvref_t<T>;
        using out = std::vector<detail::object_element<in>>;
        auto owner = std::make_unique<detail::two_objects<in, out>>(in(std::forward<T>(object)));
        owner->out.resize(detail::objects_in(owner->in) * static_cast<std::size_t>(size()));
        const auto data = as_buffer(owner->in);
        MPI_Request request = MPI_REQUEST_NULL;
        detail::check(MPI_Iallgather_c(data.address, data.count, data.type, owner->out.data(), data.count,
                                       data.type, comm_, &request),
                      "MPI_Iallgather", named_value{"count", data.count});
        return future<out>{request, std::move(owner)};
    }
    template <object_to_own T> [[nodiscard]] auto igather(T &&object, rooted with = {}) const {
        using in = std::remove_cvref_t<T>;
        using out = std::vector<detail::object_element<in>>;
        auto owner = std::make_unique<detail::two_objects<in, out>>(in(std::forward<T>(object)));
        if (rank() == with.root)
            owner->out.resize(detail::objects_in(owner->in) * static_cast<std::size_t>(size()));
        const auto data = as_buffer(owner->in);
        MPI_Request request = MPI_REQUEST_NULL;
        detail::check(MPI_Igather_c(data.address, data.count, data.type, owner->out.data(), data.count,
                                    data.type, with.root, comm_, &request),
                      "MPI_Igather", named_value{"count", data.count}, named_value{"root", with.root});
        return future<out>{request, std::move(owner)};
    }
    /// One equal part for each rank.
    template <object_to_own T> [[nodiscard]] auto ialltoall(T &&range) const {
        using in = std::remove_cvref_t<T>;
        using out = std::vector<detail::object_element<in>>;
        auto owner = std::make_unique<detail::two_objects<in, out>>(in(std::forward<T>(range)));
        owner->out.resize(detail::objects_in(owner->in));
        const auto data = as_buffer(owner->in);
        const MPI_Count count = data.count / size();
        MPI_Request request = MPI_REQUEST_NULL;
        detail::check(MPI_Ialltoall_c(data.address, count, data.type, owner->out.data(), count, data.type,
                                      comm_, &request),
                      "MPI_Ialltoall", named_value{"count", count});
        return future<out>{request, std::move(owner)};
    }
    /// `auto sum = world.iallreduce(std::move(values), std::plus<>{}); ...; use(sum.wait());`
    template <object_to_own T, class F> [[nodiscard]] auto iallreduce(T &&object, F function) const {
        return start_reduction(
            std::forward<T>(object), function, true, "MPI_Iallreduce", [this](auto &r, MPI_Request *request) {
                return MPI_Iallreduce_c(r.parts.from(), r.parts.to(r.out), r.parts.count(), r.parts.type(),
                                        r.parts.operation(), comm_, request);
            });
    }
    template <object_to_own T, class F>
    [[nodiscard]] auto ireduce(T &&object, F function, rooted with = {}) const {
        return start_reduction(std::forward<T>(object), function, rank() == with.root, "MPI_Ireduce",
                               [this, with](auto &r, MPI_Request *request) {
                                   return MPI_Ireduce_c(r.parts.from(), r.parts.to(r.out), r.parts.count(),
                                                        r.parts.type(), r.parts.operation(), with.root, comm_,
                                                        request);
                               });
    }
    template <object_to_own T, class F> [[nodiscard]] auto iscan(T &&object, F function) const {
        return start_reduction(std::forward<T>(object), function, true, "MPI_Iscan",
                               [this](auto &r, MPI_Request *request) {
                                   return MPI_Iscan_c(r.parts.from(), r.parts.to(r.out), r.parts.count(),
                                                      r.parts.type(), r.parts.operation(), comm_, request);
                               });
    }

  private:
    template <class T, class F, class Start>
    static auto start_reduction(T &&object, const F &function, bool here, const char *call, Start start) {
        using in = std::remove_cvref_t<T>;
        static_assert(detail::reduced_by_element<in, F>,
                      "Non-blocking reductions combine numbers and other direct types.");
        auto owner =
            std::make_unique<detail::reduction_under_way<in, F>>(in(std::forward<T>(object)), function, here);
        MPI_Request request = MPI_REQUEST_NULL;
        detail::check(start(*owner, &request), call, named_value{"count", owner->parts.count()});
        return future<detail::reduction_result<in>>{request, std::move(owner)};
    }
};

} // namespace lisle
