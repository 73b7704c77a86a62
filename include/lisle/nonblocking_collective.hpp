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

/// The same with lists of counts, which MPI reads until the end.
template <class In, class Element> class listed_objects final : public result_of<blocks<Element>> {
  public:
    listed_objects(In &&from, std::span<const MPI_Count> counts, std::span<const MPI_Count> out_counts = {})
        : in{std::move(from)}, list{counts}, sent{out_counts} {
        out.counts.assign(counts.begin(), counts.end());
        out.data.resize(list.total);
    }
    blocks<Element> take(const status &) override { return std::move(out); }
    In in;
    block_list<Element> list;
    block_list<Element> sent;
    blocks<Element> out;
};

/// A reduction's, with its operation.
template <class In, class F> class reduction_under_way final : public result_of<reduction_result<In>> {
  public:
    reduction_under_way(In &&from, F &&function, bool here)
        : in_{std::move(from)}, function_{std::move(function)}, parts{in_, function_}, out{parts.make_result(
                                                                                           here)} {
        static_assert(
            has_extensions || has_predefined<F, combined<In, F>> || stateless<F>,
            "Without Lisle's extensions a non-blocking reduction cannot use a callable with state.");
    }
    reduction_result<In> take(const status &) override { return std::move(out); }

  private:
    In in_;
    F function_;

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
    /// Gives the root's i-th object to rank i: `auto mine = world.iscatter(std::move(tasks));`
    template <object_to_own R> [[nodiscard]] auto iscatter(R &&all, rooted with = {}) const {
        using in = std::remove_cvref_t<R>;
        using out = detail::element_of<in &>;
        auto owner = std::make_unique<detail::two_objects<in, out>>(in(std::forward<R>(all)));
        if (rank() == with.root && std::ranges::size(owner->in) != static_cast<std::size_t>(size()))
            detail::raise(
                MPI_ERR_COUNT, "lisle::iscatter",
                {{"objects", static_cast<long long>(std::ranges::size(owner->in))}, {"ranks", size()}},
                "scatter takes one object for each rank");
        constexpr MPI_Count count = detail::wire<out>::count;
        const MPI_Datatype type = detail::wire<out>::type();
        MPI_Request request = MPI_REQUEST_NULL;
        detail::check(MPI_Iscatter_c(std::ranges::data(owner->in), count, type, &owner->out, count, type,
                                     with.root, comm_, &request),
                      "MPI_Iscatter", named_value{"root", with.root});
        return future<out>{request, std::move(owner)};
    }
    /// Ranges of sizes that all ranks know, joined for all.
    template <object_to_own R> [[nodiscard]] auto iallgatherv(R &&range, known_counts with) const {
        using in = std::remove_cvref_t<R>;
        using element = detail::element_of<in &>;
        using owner_type = detail::listed_objects<in, element>;
        auto owner = std::make_unique<owner_type>(in(std::forward<R>(range)), with.counts);
        const auto data = as_buffer(owner->in);
        MPI_Request request = MPI_REQUEST_NULL;
        detail::check(MPI_Iallgatherv_c(data.address, data.count, data.type, owner->out.data.data(),
                                        owner->list.counts.data(), owner->list.offsets.data(), data.type,
                                        comm_, &request),
                      "MPI_Iallgatherv", named_value{"count", data.count});
        return future<blocks<element>>{request, std::move(owner)};
    }
    /// The same, for the root only, which alone looks at the counts.
    template <object_to_own R> [[nodiscard]] auto igatherv(R &&range, rooted_counts with) const {
        using in = std::remove_cvref_t<R>;
        using element = detail::element_of<in &>;
        using owner_type = detail::listed_objects<in, element>;
        auto owner = std::make_unique<owner_type>(
            in(std::forward<R>(range)), rank() == with.root ? with.counts : std::span<const MPI_Count>{});
        const auto data = as_buffer(owner->in);
        MPI_Request request = MPI_REQUEST_NULL;
        detail::check(MPI_Igatherv_c(data.address, data.count, data.type, owner->out.data.data(),
                                     owner->list.counts.data(), owner->list.offsets.data(), data.type,
                                     with.root, comm_, &request),
                      "MPI_Igatherv", named_value{"count", data.count}, named_value{"root", with.root});
        return future<blocks<element>>{request, std::move(owner)};
    }
    /// Parts of sizes that both sides know: `sent[i]` objects go to rank i, `with.counts[i]` come from it.
    template <object_to_own R>
    [[nodiscard]] auto ialltoallv(R &&range, std::span<const MPI_Count> sent, known_counts with) const {
        using in = std::remove_cvref_t<R>;
        using element = detail::element_of<in &>;
        using owner_type = detail::listed_objects<in, element>;
        auto owner = std::make_unique<owner_type>(in(std::forward<R>(range)), with.counts, sent);
        const auto data = as_buffer(owner->in);
        MPI_Request request = MPI_REQUEST_NULL;
        detail::check(MPI_Ialltoallv_c(data.address, owner->sent.counts.data(), owner->sent.offsets.data(),
                                       data.type, owner->out.data.data(), owner->list.counts.data(),
                                       owner->list.offsets.data(), data.type, comm_, &request),
                      "MPI_Ialltoallv");
        return future<blocks<element>>{request, std::move(owner)};
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
    template <object_to_own T, class F> [[nodiscard]] auto iexscan(T &&object, F function) const {
        return start_reduction(std::forward<T>(object), function, true, "MPI_Iexscan",
                               [this](auto &r, MPI_Request *request) {
                                   return MPI_Iexscan_c(r.parts.from(), r.parts.to(r.out), r.parts.count(),
                                                        r.parts.type(), r.parts.operation(), comm_, request);
                               });
    }
    /// Combines ranges of as many equal parts as there are ranks; rank i gets the i-th part.
    template <object_to_own R, class F> [[nodiscard]] auto ireduce_scatter(R &&range, F function) const {
        return start_reduction(std::forward<R>(range), function, false, "MPI_Ireduce_scatter_block",
                               [this](auto &r, MPI_Request *request) {
                                   const MPI_Count share = r.parts.count() / size();
                                   r.out.resize(static_cast<std::size_t>(share));
                                   return MPI_Ireduce_scatter_block_c(r.parts.from(), r.out.data(), share,
                                                                      r.parts.type(), r.parts.operation(),
                                                                      comm_, request);
                               });
    }

  private:
    template <class T, class F, class Start>
    static auto start_reduction(T &&object, F &function, bool here, const char *call, Start start) {
        using in = std::remove_cvref_t<T>;
        static_assert(detail::reduced_by_element<in, F>,
                      "Non-blocking reductions combine numbers and other direct types.");
        auto owner = std::make_unique<detail::reduction_under_way<in, F>>(in(std::forward<T>(object)),
                                                                          std::move(function), here);
        MPI_Request request = MPI_REQUEST_NULL;
        detail::check(start(*owner, &request), call, named_value{"count", owner->parts.count()});
        return future<detail::reduction_result<in>>{request, std::move(owner)};
    }
};

} // namespace lisle
