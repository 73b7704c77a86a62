// SPDX-License-Identifier: Apache-2.0
// Collectives that go on while the program computes. A layer of communicator. What they read is moved in or
// small; what they return lives in the future until it is asked for. Where MPI knows no such collective,
// because sizes are unknown or objects are serialised, posted_collective.hpp has one.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "lisle/collective/into_collective.hpp"
#include "lisle/collective/posted_collective.hpp"

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
    listed_objects(In &&from, counts_view counts, counts_view out_counts = {})
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

/// Says what is wrong with a callable that has to serve after the call that it is given to.
template <class F, class T> consteval void require_lasting() {
    static_assert(has_extensions || has_predefined<F, T> || stateless<F>,
                  "Without Lisle's extensions a non-blocking reduction cannot use a callable with state.");
}

/// A reduction's in memory that is lent: the callable and its operation.
template <class T, class F> class lent_reduction final : public operation {
    F function_;

  public:
    lent_reduction(T &object, F &&function) : function_{std::move(function)}, parts{object, function_} {
        require_lasting<F, combined<T, F>>();
    }
    reduction_in_place<T, F> parts;
};

/// A reduction's, with its operation, of what a T takes.
template <class T, class F> class reduction_under_way final : public result_of<reduction_result<T>> {
    using in = typename taken<T>::value;

  public:
    reduction_under_way(in &&from, F &&function, bool here)
        : in_{std::move(from)}, function_{std::move(function)}, parts{in_, function_}, out{parts.make_result(
                                                                                           here)} {
        require_lasting<F, combined<T, F>>();
    }
    reduction_result<T> take(const status &) override { return std::move(out); }

  private:
    in in_;
    F function_;

  public:
    reduction<T, F> parts;
    reduction_result<T> out;
};

} // namespace detail

/// What non-blocking collectives take as one object of any size: serialised or copied at once, so it may be
/// an object that is not moved in.
template <class T>
concept object_to_pack = !detail::is_word<std::remove_cvref_t<T>> && detail::fit<T> &&
                         (detail::taken<T>::sized || detail::taken<T>::written);
/// The elements of what is serialised.
template <class T>
concept elements_to_pack = detail::fit<T> && detail::taken<T>::written_elements;
/// What they read where it lies: an object that is moved in, or a small one that is copied.
template <class T>
concept object_to_own = !detail::is_word<std::remove_cvref_t<T>> && detail::fit<T> && !object_to_pack<T> &&
                        !elements_to_pack<T> && object_to_keep<detail::inner<T>> &&
                        (detail::require_collectable<T>(), detail::taken<T>::in_memory);
/// The same for functions that are about ranges only.
template <class T>
concept range_to_own = !detail::is_word<std::remove_cvref_t<T>> && !serialized<std::remove_cvref_t<T>> &&
                       object_to_keep<T> && direct_buffer<std::remove_cvref_t<T>>;

/// What reductions combine: either.
template <class T>
concept object_to_combine = object_to_pack<T> || elements_to_pack<T> || object_to_own<T>;

class nonblocking_collectives : public into_collectives {
  public:
    using into_collectives::into_collectives;

    [[nodiscard]] future<> ibarrier() const {
        MPI_Request request = MPI_REQUEST_NULL;
        detail::check(MPI_Ibarrier(comm_, &request), "MPI_Ibarrier");
        return future<>{request};
    }
    /// The object is lent. A range has the same size everywhere; what is one object may have any.
    ///
    ///     auto news = world.ibroadcast(lisle::borrow(values));
    ///     auto of_any_length = world.ibroadcast(lisle::whole(lisle::borrow(values)));
    template <detail::lent_object B> [[nodiscard]] future<> ibroadcast(B lent, rooted with = {}) const {
        auto &object = detail::object_in(lent);
        using type = std::remove_reference_t<decltype(object)>;
        detail::require_changeable<type &>();
        if constexpr (writable_buffer<type &> && !detail::grows<B>) {
            const auto data = as_buffer(object);
            MPI_Request request = MPI_REQUEST_NULL;
            detail::check(MPI_Ibcast_c(data.writable(), data.count, data.type, with.root, comm_, &request),
                          "MPI_Ibcast", named_value{"count", data.count}, named_value{"root", with.root});
            return future<>{request};
        } else {
            return detail::ibroadcast_object(comm_, object, with.root);
        }
    }
    template <object_to_pack T> [[nodiscard]] auto iallgather(T &&object) const {
        return detail::iallgather_objects(comm_, detail::own(std::forward<T>(object)), rank());
    }
    template <elements_to_pack T> [[nodiscard]] auto iallgather(T &&range) const {
        return iallgather(detail::own(std::forward<T>(range))).then([](auto &&ranges) {
            return detail::joined_elements(std::move(ranges));
        });
    }
    template <object_to_pack T> [[nodiscard]] auto igather(T &&object, rooted with = {}) const {
        return detail::igather_objects(comm_, detail::own(std::forward<T>(object)), with.root, rank());
    }
    template <elements_to_pack T> [[nodiscard]] auto igather(T &&range, rooted with = {}) const {
        return igather(detail::own(std::forward<T>(range)), with).then([](auto &&ranges) {
            return detail::joined_elements(std::move(ranges));
        });
    }
    /// One object for each rank, of any type and size: nested containers, serialised objects.
    template <detail::fit T>
    requires(!direct<T>) [[nodiscard]] future<T> iscatter(std::vector<T> all, rooted with = {}) const {
        return detail::iscatter_objects(comm_, std::move(all), with.root);
    }
    template <detail::fit T>
    requires(!direct<T>) [[nodiscard]] future<std::vector<T>> ialltoallv(std::vector<T> objects) const {
        return detail::ialltoall_objects(comm_, std::move(objects), rank());
    }
    /// Ranges of any numbers of serialised objects, joined for all.
    template <class R>
    requires serialised_range<R>
    [[nodiscard]] auto iallgatherv(R range) const {
        return detail::iallgather_objects(comm_, detail::as_elements(std::move(range)), rank())
            .then([](auto &&parts) { return detail::join(std::move(parts)); });
    }
    /// The same, for the root only.
    template <class R>
    requires serialised_range<R>
    [[nodiscard]] auto igatherv(R range, rooted with = {}) const {
        return detail::igather_objects(comm_, detail::as_elements(std::move(range)), with.root, rank())
            .then([](auto &&parts) { return detail::join(std::move(parts)); });
    }
    /// Deals the root's range out, of objects of any sort: `counts` says how many each rank gets, by default
    /// equal shares. Only the root needs to know.
    template <class R>
    requires(direct_range<R> || serialised_range<R>)
        [[nodiscard]] auto iscatterv(const R &all, rooted_counts with = {}) const {
        using piece = std::vector<detail::element_of<const R &>>;
        std::vector<piece> parts;
        if (rank() == with.root) {
            const auto objects = std::ranges::size(all);
            const auto counts = with.counts.empty()
                                    ? detail::equal_shares(objects, size())
                                    : std::vector<MPI_Count>(with.counts.begin(), with.counts.end());
            if (!detail::divides(counts, objects, size()))
                detail::raise(
                    MPI_ERR_COUNT, "lisle::iscatterv",
                    {{"counts", static_cast<long long>(counts.size())},
                     {"ranks", size()},
                     {"objects", static_cast<long long>(objects)}},
                    "the counts are not one for each rank, or one is negative, or together they are "
                    "more than the range has");
            parts = detail::cut(all, counts);
        }
        return detail::iscatter_objects<piece>(comm_, std::move(parts), with.root);
    }
    /// `auto all = world.iallgather(world.rank()); ...; use(all.wait());`
    template <object_to_own T> [[nodiscard]] auto iallgather(T &&object) const {
        using taken = detail::taken<T>;
        using out = std::vector<typename taken::element>;
        auto owner = std::make_unique<detail::two_objects<typename taken::value, out>>(
            detail::own(std::forward<T>(object)));
        owner->out.resize(taken::count(owner->in) * static_cast<std::size_t>(size()));
        const auto data = as_buffer(owner->in);
        MPI_Request request = MPI_REQUEST_NULL;
        detail::check(MPI_Iallgather_c(data.address, data.count, data.type, owner->out.data(), data.count,
                                       data.type, comm_, &request),
                      "MPI_Iallgather", named_value{"count", data.count});
        return future<out>{request, std::move(owner)};
    }
    template <object_to_own T> [[nodiscard]] auto igather(T &&object, rooted with = {}) const {
        using taken = detail::taken<T>;
        using out = std::vector<typename taken::element>;
        auto owner = std::make_unique<detail::two_objects<typename taken::value, out>>(
            detail::own(std::forward<T>(object)));
        if (rank() == with.root)
            owner->out.resize(taken::count(owner->in) * static_cast<std::size_t>(size()));
        const auto data = as_buffer(owner->in);
        MPI_Request request = MPI_REQUEST_NULL;
        detail::check(MPI_Igather_c(data.address, data.count, data.type, owner->out.data(), data.count,
                                    data.type, with.root, comm_, &request),
                      "MPI_Igather", named_value{"count", data.count}, named_value{"root", with.root});
        return future<out>{request, std::move(owner)};
    }
    /// Gives the root's i-th object to rank i: `auto mine = world.iscatter(std::move(tasks));`
    template <range_to_own R> [[nodiscard]] auto iscatter(R &&all, rooted with = {}) const {
        using in = std::remove_cvref_t<R>;
        using out = detail::element_of<in &>;
        auto owner = std::make_unique<detail::two_objects<in, out>>(in(std::forward<R>(all)));
        if (rank() == with.root && std::ranges::size(owner->in) != static_cast<std::size_t>(size())) {
            detail::raise(
                MPI_ERR_COUNT, "lisle::iscatter",
                {{"objects", static_cast<long long>(std::ranges::size(owner->in))}, {"ranks", size()}},
                "scatter takes one object for each rank");
            return future<out>{MPI_REQUEST_NULL, std::move(owner)};
        }
        constexpr MPI_Count count = detail::wire<out>::count;
        const MPI_Datatype type = detail::wire<out>::type();
        MPI_Request request = MPI_REQUEST_NULL;
        detail::check(MPI_Iscatter_c(std::ranges::data(owner->in), count, type, &owner->out, count, type,
                                     with.root, comm_, &request),
                      "MPI_Iscatter", named_value{"root", with.root});
        return future<out>{request, std::move(owner)};
    }
    /// Ranges of any sizes, joined for all. Counts that are not given come with the data.
    template <range_to_own R> [[nodiscard]] auto iallgatherv(R &&range, known_counts with = {}) const {
        using in = std::remove_cvref_t<R>;
        if (with.counts.empty())
            return detail::iallgather_ranges(comm_, in(std::forward<R>(range)), rank());
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
    /// The same, for the root only.
    template <range_to_own R> [[nodiscard]] auto igatherv(R &&range, rooted_counts with = {}) const {
        using in = std::remove_cvref_t<R>;
        if (with.counts.empty())
            return detail::igather_ranges(comm_, in(std::forward<R>(range)), with.root, rank());
        using element = detail::element_of<in &>;
        using owner_type = detail::listed_objects<in, element>;
        auto owner = std::make_unique<owner_type>(in(std::forward<R>(range)),
                                                  rank() == with.root ? with.counts : counts_view{});
        const auto data = as_buffer(owner->in);
        MPI_Request request = MPI_REQUEST_NULL;
        detail::check(MPI_Igatherv_c(data.address, data.count, data.type, owner->out.data.data(),
                                     owner->list.counts.data(), owner->list.offsets.data(), data.type,
                                     with.root, comm_, &request),
                      "MPI_Igatherv", named_value{"count", data.count}, named_value{"root", with.root});
        return future<blocks<element>>{request, std::move(owner)};
    }
    /// Parts of any sizes: `sent[i]` objects go to rank i. Receive counts that are not given come with the
    /// data.
    template <range_to_own R>
    [[nodiscard]] auto ialltoallv(R &&range, counts_view sent, known_counts with = {}) const {
        using in = std::remove_cvref_t<R>;
        if (sent.size() != static_cast<std::size_t>(size()))
            detail::raise_final(MPI_ERR_COUNT, "lisle::ialltoallv",
                                {{"counts", static_cast<long long>(sent.size())}, {"ranks", size()}},
                                "there must be one count for each rank");
        if (with.counts.empty())
            return detail::ialltoall_ranges(comm_, in(std::forward<R>(range)), sent, rank());
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
    template <range_to_own R> [[nodiscard]] auto ialltoall(R &&range) const {
        using in = std::remove_cvref_t<R>;
        using out = std::vector<detail::element_of<in &>>;
        auto owner = std::make_unique<detail::two_objects<in, out>>(in(std::forward<R>(range)));
        owner->out.resize(std::ranges::size(owner->in));
        const auto data = as_buffer(owner->in);
        const MPI_Count count = data.count / size();
        MPI_Request request = MPI_REQUEST_NULL;
        detail::check(MPI_Ialltoall_c(data.address, count, data.type, owner->out.data(), count, data.type,
                                      comm_, &request),
                      "MPI_Ialltoall", named_value{"count", count});
        return future<out>{request, std::move(owner)};
    }
    /// Objects that MPI cannot combine, strings and all that is serialised, are combined as wholes, in the
    /// order of ranks, by the rank that asks for the result.
    ///
    ///     auto sum = world.iallreduce(std::move(values), std::plus<>{}); ...; use(sum.wait());
    template <object_to_combine T, class F> [[nodiscard]] auto iallreduce(T &&object, F function) const {
        if constexpr (detail::reduced_by_element<T, F>)
            return start_reduction(std::forward<T>(object), function, true, "MPI_Iallreduce",
                                   [this](auto &r, MPI_Request *request) {
                                       return MPI_Iallreduce_c(r.parts.from(), r.parts.to(r.out),
                                                               r.parts.count(), r.parts.type(),
                                                               r.parts.operation(), comm_, request);
                                   });
        else
            return detail::iallreduce_objects(comm_, detail::own(std::forward<T>(object)),
                                              detail::on_wholes<T>(std::move(function)), rank());
    }
    template <object_to_combine T, class F>
    [[nodiscard]] auto ireduce(T &&object, F function, rooted with = {}) const {
        if constexpr (detail::reduced_by_element<T, F>)
            return start_reduction(std::forward<T>(object), function, rank() == with.root, "MPI_Ireduce",
                                   [this, with](auto &r, MPI_Request *request) {
                                       return MPI_Ireduce_c(r.parts.from(), r.parts.to(r.out),
                                                            r.parts.count(), r.parts.type(),
                                                            r.parts.operation(), with.root, comm_, request);
                                   });
        else
            return detail::ireduce_objects(comm_, detail::own(std::forward<T>(object)),
                                           detail::on_wholes<T>(std::move(function)), with.root, rank());
    }
    template <object_to_combine T, class F> [[nodiscard]] auto iscan(T &&object, F function) const {
        if constexpr (detail::reduced_by_element<T, F>)
            return start_reduction(
                std::forward<T>(object), function, true, "MPI_Iscan", [this](auto &r, MPI_Request *request) {
                    return MPI_Iscan_c(r.parts.from(), r.parts.to(r.out), r.parts.count(), r.parts.type(),
                                       r.parts.operation(), comm_, request);
                });
        else
            return detail::iscan_objects(comm_, detail::own(std::forward<T>(object)),
                                         detail::on_wholes<T>(std::move(function)));
    }
    template <object_to_combine T, class F> [[nodiscard]] auto iexscan(T &&object, F function) const {
        if constexpr (detail::reduced_by_element<T, F>)
            return start_reduction(std::forward<T>(object), function, true, "MPI_Iexscan",
                                   [this](auto &r, MPI_Request *request) {
                                       return MPI_Iexscan_c(r.parts.from(), r.parts.to(r.out),
                                                            r.parts.count(), r.parts.type(),
                                                            r.parts.operation(), comm_, request);
                                   });
        else
            return detail::iexscan_objects(comm_, detail::own(std::forward<T>(object)),
                                           detail::on_wholes<T>(std::move(function)),
                                           typename detail::taken<T>::value{});
    }
    /// Combines ranges of as many equal parts as there are ranks; rank i gets the i-th part.
    template <range_to_own R, class F> [[nodiscard]] auto ireduce_scatter(R &&range, F function) const {
        return start_reduction(std::forward<R>(range), function, false, "MPI_Ireduce_scatter_block",
                               [this](auto &r, MPI_Request *request) {
                                   const MPI_Count share = r.parts.count() / size();
                                   r.out.resize(static_cast<std::size_t>(share));
                                   return MPI_Ireduce_scatter_block_c(r.parts.from(), r.out.data(), share,
                                                                      r.parts.type(), r.parts.operation(),
                                                                      comm_, request);
                               });
    }

    /// Strings and other objects that travel as bytes are combined as wholes; the parts may differ in size.
    template <detail::fit T, class F>
    requires(!direct<T>)
        [[nodiscard]] future<std::vector<T>> ireduce_scatter(const std::vector<T> &objects, F function,
                                                             known_counts with = {}) const {
        const auto shares =
            detail::reduced_shares(objects.size(), with.counts, size(), "lisle::ireduce_scatter");
        return detail::ireduce_scatter_objects(comm_, detail::cut(objects, shares), std::move(function),
                                               rank());
    }

    // ---- in place, in memory that is lent: `world.iallreduce(in_place(borrow(sums)), std::plus<>{})` ----

    template <detail::fit T, detail::operation_on<T> F>
    [[nodiscard]] future<> iallreduce(lent_in_place_t<T> both, F function) const {
        return start_in_place(both, function, "MPI_Iallreduce", [this](const auto &r, MPI_Request *request) {
            return MPI_Iallreduce_c(MPI_IN_PLACE, r.address, r.count(), r.type(), r.operation(), comm_,
                                    request);
        });
    }
    template <detail::fit T, detail::operation_on<T> F>
    [[nodiscard]] future<> ireduce(lent_in_place_t<T> both, F function, rooted with = {}) const {
        const bool root = rank() == with.root;
        return start_in_place(both, function, "MPI_Ireduce",
                              [this, root, with](const auto &r, MPI_Request *request) {
                                  return MPI_Ireduce_c(r.read(root), r.written(root), r.count(), r.type(),
                                                       r.operation(), with.root, comm_, request);
                              });
    }
    template <detail::fit T, detail::operation_on<T> F>
    [[nodiscard]] future<> iscan(lent_in_place_t<T> both, F function) const {
        return start_in_place(both, function, "MPI_Iscan", [this](const auto &r, MPI_Request *request) {
            return MPI_Iscan_c(MPI_IN_PLACE, r.address, r.count(), r.type(), r.operation(), comm_, request);
        });
    }
    /// What rank 0's object is afterwards, MPI does not say.
    template <detail::fit T, detail::operation_on<T> F>
    [[nodiscard]] future<> iexscan(lent_in_place_t<T> both, F function) const {
        return start_in_place(both, function, "MPI_Iexscan", [this](const auto &r, MPI_Request *request) {
            return MPI_Iexscan_c(MPI_IN_PLACE, r.address, r.count(), r.type(), r.operation(), comm_, request);
        });
    }
    /// See allgather(in_place()).
    template <detail::fit R> [[nodiscard]] future<> iallgather(lent_in_place_t<R> all) const {
        detail::require_writable<R &>();
        const auto data = as_buffer(all.object);
        const MPI_Count count = detail::share_of(data.count, size(), "lisle::iallgather");
        MPI_Request request = MPI_REQUEST_NULL;
        detail::check(MPI_Iallgather_c(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data.writable(), count, data.type,
                                       comm_, &request),
                      "MPI_Iallgather", named_value{"count", count});
        return future<>{request};
    }
    /// See alltoall(in_place()).
    template <detail::fit R> [[nodiscard]] future<> ialltoall(lent_in_place_t<R> all) const {
        detail::require_writable<R &>();
        const auto data = as_buffer(all.object);
        const MPI_Count count = detail::share_of(data.count, size(), "lisle::ialltoall");
        MPI_Request request = MPI_REQUEST_NULL;
        detail::check(MPI_Ialltoall_c(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data.writable(), count, data.type,
                                      comm_, &request),
                      "MPI_Ialltoall", named_value{"count", count});
        return future<>{request};
    }
    /// See gather(in_place()).
    template <detail::fit R> [[nodiscard]] future<> igather(lent_in_place_t<R> all, rooted with = {}) const {
        detail::require_writable<R &>();
        const auto data = as_buffer(all.object);
        const bool root = rank() == with.root;
        const MPI_Count count = root ? detail::share_of(data.count, size(), "lisle::igather") : data.count;
        MPI_Request request = MPI_REQUEST_NULL;
        detail::check(MPI_Igather_c(root ? MPI_IN_PLACE : data.address, count, data.type, data.writable(),
                                    count, data.type, with.root, comm_, &request),
                      "MPI_Igather", named_value{"count", count}, named_value{"root", with.root});
        return future<>{request};
    }
    /// See scatter(in_place()).
    template <detail::fit R> [[nodiscard]] future<> iscatter(lent_in_place_t<R> all, rooted with = {}) const {
        detail::require_writable<R &>();
        const auto data = as_buffer(all.object);
        const bool root = rank() == with.root;
        const MPI_Count count = root ? detail::share_of(data.count, size(), "lisle::iscatter") : data.count;
        MPI_Request request = MPI_REQUEST_NULL;
        detail::check(MPI_Iscatter_c(data.address, count, data.type, root ? MPI_IN_PLACE : data.writable(),
                                     count, data.type, with.root, comm_, &request),
                      "MPI_Iscatter", named_value{"count", count}, named_value{"root", with.root});
        return future<>{request};
    }

    // ---- with what cannot travel: see detail::unfit ----

    refusal ibroadcast(unfit, rooted = {}) const;
    refusal igather(unfit, rooted = {}) const;
    refusal iallgather(unfit) const;
    refusal iscatter(no_range, rooted = {}) const;
    refusal igatherv(no_range, rooted_counts = {}) const;
    refusal iallgatherv(no_range, known_counts = {}) const;
    refusal iscatterv(no_range, rooted_counts = {}) const;
    refusal ialltoall(no_range) const;
    refusal ialltoallv(no_range) const;
    refusal ialltoallv(no_range, counts_view, known_counts = {}) const;
    refusal ireduce(unfit, anything, rooted = {}) const;
    refusal iallreduce(unfit, anything) const;
    refusal iscan(unfit, anything) const;
    refusal iexscan(unfit, anything) const;
    refusal ireduce_scatter(no_range, anything, known_counts = {}) const;

  private:
    template <class T, class F, class Start>
    static auto start_reduction(T &&object, F &function, bool here, const char *call, Start start) {
        using type = std::remove_cvref_t<T>;
        auto owner = std::make_unique<detail::reduction_under_way<type, F>>(
            detail::own(std::forward<T>(object)), std::move(function), here);
        MPI_Request request = MPI_REQUEST_NULL;
        detail::check(start(*owner, &request), call, named_value{"count", owner->parts.count()});
        return future<detail::reduction_result<type>>{request, std::move(owner)};
    }
    template <class T, class F, class Start>
    static future<> start_in_place(lent_in_place_t<T> both, F &function, const char *call, Start start) {
        detail::require_writable<T &>();
        auto owner = std::make_unique<detail::lent_reduction<T, F>>(both.object, std::move(function));
        MPI_Request request = MPI_REQUEST_NULL;
        detail::check(start(owner->parts, &request), call, named_value{"count", owner->parts.count()});
        return future<>{request, std::move(owner)};
    }
};

} // namespace lisle
