// SPDX-License-Identifier: Apache-2.0
// Collective operations that move data and combine nothing. A layer of communicator, below the reductions.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "lisle/collective/collective_details.hpp"
#include "lisle/collective/in_place_collective.hpp"
#include "lisle/collective/refused_scatter.hpp"
#include "lisle/collective/shadow.hpp"

namespace lisle {

class moving_collectives : public in_place_collectives {
  public:
    using in_place_collectives::allgather;
    using in_place_collectives::allgatherv;
    using in_place_collectives::alltoall;
    using in_place_collectives::alltoallv;
    using in_place_collectives::gather;
    using in_place_collectives::gatherv;
    using in_place_collectives::in_place_collectives;
    using in_place_collectives::scatter;
    using in_place_collectives::scatterv;

    /// Returns when all ranks have called it.
    void barrier() const {
        detail::agree(comm_, "barrier", 0, 0);
        if (detail::receives_unposted()) {
            MPI_Request request = MPI_REQUEST_NULL;
            detail::check(MPI_Ibarrier(comm_, &request), "MPI_Ibarrier");
            detail::check(detail::wait_and_match(&request, MPI_STATUS_IGNORE), "MPI_Wait");
        } else {
            detail::check(MPI_Barrier(comm_), "MPI_Barrier");
        }
    }

    refusal broadcast(unfit, rooted = {}) const;
    /// Gives the root's object to all. A range must have the same size everywhere, or be resized(it) or
    /// whole(it); a string gets the length of the root's.
    ///
    ///     particle p = ...;
    ///     world.broadcast(p);
    ///     world.broadcast(lisle::resized(values), {.root = 2});
    template <class T>
    requires(!detail::is_wholeness<T> && object_to_send<T>) void broadcast(T &object,
                                                                           rooted with = {}) const {
        detail::agree(comm_, "broadcast", with.root, detail::element_size<T>());
        detail::require_changeable<T &>();
        spread(object, with.root);
    }
    template <detail::fit T> void broadcast(whole_t<T> object, rooted with = {}) const {
        if constexpr (resizable_range<T>)
            broadcast(resized(object.object), with);
        else
            broadcast(object.object, with);
    }
    template <detail::fit T> void broadcast(elements_t<T> range, rooted with = {}) const {
        detail::require_changeable<T>();
        detail::agree(comm_, "broadcast", with.root, detail::element_size<elements_t<T>>());
        spread_memory(range.object, with.root);
    }
    template <resizable_range R> void broadcast(resized_t<R> container, rooted with = {}) const {
        detail::agree(comm_, "broadcast resized", with.root, detail::element_size<R>());
        detail::broadcast_sized(container.object, with.root, rank() == with.root, comm_);
    }

    /// All ranks' objects in the order of ranks, at the root; nothing elsewhere. Ranges are joined; they must
    /// have the same size everywhere (gatherv() is for others, and whole(range) keeps them apart).
    ///
    ///     std::vector<int> all = world.gather(world.rank());
    ///     std::vector<std::string> names = world.gather(name);
    template <object_to_collect T> [[nodiscard]] auto gather(const T &given, rooted with = {}) const {
        using taken = detail::taken<T>;
        detail::agree(comm_, "gather", with.root, detail::element_size<T>());
        const auto &object = detail::object_in(given);
        if constexpr (taken::in_memory) {
            const bool root = rank() == with.root;
            const auto data = as_buffer(object);
            std::vector<typename taken::element> all(
                root ? taken::count(object) * static_cast<std::size_t>(size()) : 0);
            detail::check(MPI_Gather_c(data.address, data.count, data.type, all.data(), data.count, data.type,
                                       with.root, comm_),
                          "MPI_Gather", named_value{"count", data.count}, named_value{"root", with.root});
            return all;
        } else if constexpr (taken::written_elements) {
            return detail::joined_elements(gather(whole(object), with));
        } else if constexpr (taken::sized) {
            return detail::separate<typename taken::value>(
                gatherv(detail::as_range(object), {.root = with.root}));
        } else if constexpr (taken::written) {
            return detail::read_each<typename taken::value>(gather_bytes(object, with.root));
        } else {
            return detail::refused<T>(); // the compiler has said why
        }
    }
    /// Ranges of any sizes, joined at the root, and each rank's count. Counts that are not given come with
    /// the data: one message from each rank, of a size that the root learns when it is there.
    ///
    ///     auto [values, counts] = world.gatherv(mine);
    template <direct_range R> [[nodiscard]] auto gatherv(const R &range, rooted_counts with = {}) const {
        using element = detail::element_of<const R &>;
        detail::agree(comm_, "gatherv", with.root, sizeof(element));
        const buffer data = as_buffer(range);
        const bool root = rank() == with.root;
        blocks<element> all;
        if (with.counts.empty()) {
            const MPI_Comm own = detail::trees(comm_);
            if (root)
                detail::receive_blocks<element>(all, {std::ranges::data(range), std::ranges::size(range)},
                                                size(), with.root, own, "lisle::gatherv");
            else
                detail::check(
                    MPI_Send_c(data.address, data.count, data.type, with.root, detail::object_tag, own),
                    "MPI_Send", named_value{"count", data.count}, named_value{"root", with.root});
            return all;
        }
        if (root)
            all.counts.assign(with.counts.begin(), with.counts.end());
        const detail::block_list<element> list{all.counts};
        all.data.resize(list.total);
        detail::check(MPI_Gatherv_c(data.address, data.count, data.type, all.data.data(), list.counts.data(),
                                    list.offsets.data(), data.type, with.root, comm_),
                      "MPI_Gatherv", named_value{"count", data.count}, named_value{"root", with.root});
        return all;
    }

    /// Gives the root's i-th object to rank i. `all` means nothing but at the root, and may be empty there.
    ///
    ///     task mine = world.scatter(tasks);
    template <objects_to_deal R> [[nodiscard]] auto scatter(const R &all, rooted with = {}) const {
        using object = typename detail::objects_of<R>::type;
        detail::agree(comm_, "scatter", with.root, detail::element_size<object>());
        if constexpr (direct<object>) {
            if constexpr (!has_extensions)
                static_cast<void>(detail::trees(comm_)); // made by all ranks together
            const bool here = rank() == with.root;
            if (here && std::ranges::size(all) != static_cast<std::size_t>(size())) [[unlikely]] {
                detail::refuse_scatter<object>(size(), with.root, comm_);
                detail::raise(
                    MPI_ERR_COUNT, "lisle::scatter",
                    {{"objects", static_cast<long long>(std::ranges::size(all))}, {"ranks", size()}},
                    "scatter takes one object for each rank; scatterv takes any number");
                return object{};
            }
            object mine{};
            constexpr MPI_Count count = detail::wire<object>::count;
            const MPI_Datatype type = detail::wire<object>::type();
            detail::check(
                MPI_Scatter_c(std::ranges::data(all), count, type, &mine, count, type, with.root, comm_),
                "MPI_Scatter", named_value{"root", with.root});
            if (here)
                detail::confirm_marked(all, with.root, comm_);
            else
                detail::require_meant(mine, with.root, comm_);
            return mine;
        } else if constexpr (resizable_range<object>) {
            const auto [joined, counts] = detail::join(all, rank() == with.root);
            const auto mine = scatterv(joined, {.root = with.root, .counts = counts});
            return object(mine.begin(), mine.end());
        } else {
            decltype(detail::write_each(all, true)) written;
            const std::exception_ptr thrown =
                detail::caught([&] { written = detail::write_each(all, rank() == with.root); });
            if (written.second.empty()) // no counts would mean equal shares
                written.second.push_back(thrown ? detail::failed_count : detail::refused_count);
            if (!thrown)
                return detail::serializer<object>::read(
                    scatterv(written.first, {.root = with.root, .counts = written.second}));
            static_cast<void>(detail::caught([&] {
                static_cast<void>(scatterv(written.first, {.root = with.root, .counts = written.second}));
            }));
            std::rethrow_exception(thrown);
        }
    }
    /// Deals the root's range out: `counts` says how much each rank gets, by default equal shares. Only the
    /// root needs to know.
    ///
    ///     std::vector<double> mine = world.scatterv(all, {.root = 0});
    template <direct_range R> [[nodiscard]] auto scatterv(const R &all, rooted_counts with = {}) const {
        using element = detail::element_of<const R &>;
        detail::agree(comm_, "scatterv", with.root, sizeof(element));
        const detail::share_of_root<element> share{comm_, std::ranges::size(all), with, rank() == with.root};
        if (!share.usable) [[unlikely]]
            return std::vector<element>{};
        std::vector<element> mine(share.own);
        const buffer into = as_buffer(mine);
        detail::check(MPI_Scatterv_c(std::ranges::data(all), share.list.counts.data(),
                                     share.list.offsets.data(), into.type, into.writable(), into.count,
                                     into.type, with.root, comm_),
                      "MPI_Scatterv", named_value{"count", into.count}, named_value{"root", with.root});
        return mine;
    }

    /// gather() for all.
    template <object_to_collect T> [[nodiscard]] auto allgather(const T &given) const {
        using taken = detail::taken<T>;
        detail::agree(comm_, "allgather", 0, detail::element_size<T>());
        const auto &object = detail::object_in(given);
        if constexpr (taken::in_memory) {
            const auto data = as_buffer(object);
            std::vector<typename taken::element> all(taken::count(object) * static_cast<std::size_t>(size()));
            detail::check(MPI_Allgather_c(data.address, data.count, data.type, all.data(), data.count,
                                          data.type, comm_),
                          "MPI_Allgather", named_value{"count", data.count});
            return all;
        } else if constexpr (taken::written_elements) {
            return detail::joined_elements(allgather(whole(object)));
        } else if constexpr (taken::sized) {
            return detail::separate<typename taken::value>(allgatherv(detail::as_range(object)));
        } else if constexpr (taken::written) {
            return detail::read_each<typename taken::value>(allgather_bytes(object));
        } else {
            return detail::refused<T>(); // the compiler has said why
        }
    }
    /// gatherv() for all: `auto [values, counts] = world.allgatherv(mine);` Short ranges travel with their
    /// counts, in one collective; if one is longer all need a second.
    template <direct_range R> [[nodiscard]] auto allgatherv(const R &range, known_counts with = {}) const {
        using element = detail::element_of<const R &>;
        detail::agree(comm_, "allgatherv", 0, sizeof(element));
        const buffer data = as_buffer(range);
        blocks<element> all;
        if (!with.counts.empty())
            all.counts.assign(with.counts.begin(), with.counts.end());
        else if (detail::gather_short<element>(all, std::ranges::data(range), size(), comm_,
                                               std::ranges::size(range)))
            return all;
        const detail::block_list<element> list{all.counts};
        all.data.resize(list.total);
        detail::check(MPI_Allgatherv_c(data.address, data.count, data.type, all.data.data(),
                                       list.counts.data(), list.offsets.data(), data.type, comm_),
                      "MPI_Allgatherv", named_value{"count", data.count});
        return all;
    }

    /// Gives the i-th of as many equal parts as there are ranks to rank i; gets one part from each.
    template <direct_range R> [[nodiscard]] auto alltoall(const R &range) const {
        using element = detail::element_of<const R &>;
        detail::agree(comm_, "alltoall", 0, sizeof(element));
        const int ranks = size();
        const buffer data = as_buffer(range);
        std::vector<element> got(std::ranges::size(range));
        if (std::ranges::size(range) % static_cast<std::size_t>(ranks) != 0) {
            detail::raise(
                MPI_ERR_COUNT, "lisle::alltoall",
                {{"objects", static_cast<long long>(std::ranges::size(range))}, {"ranks", ranks}},
                "the objects cannot be divided into one equal part for each rank; alltoallv takes any parts");
            return got;
        }
        const MPI_Count count = data.count / ranks;
        detail::check(MPI_Alltoall_c(data.address, count, data.type, got.data(), count, data.type, comm_),
                      "MPI_Alltoall", named_value{"count", count});
        return got;
    }
    /// The same with parts of any sizes: `counts[i]` objects go to rank i. Receive counts that are not given
    /// come with the data.
    ///
    ///     auto [values, counts] = world.alltoallv(out, how_many);
    template <direct_range R> blocks<char> alltoallv(const R &) const {
        static_assert(detail::always_false<R>,
                      "alltoallv() needs the counts: `alltoallv(objects, counts)`, counts[i] of "
                      "them for rank i; alltoall() deals equal parts.");
        return {};
    }
    template <direct_range R, direct_range C>
    [[nodiscard]] auto alltoallv(const R &range, const C &counts, known_counts receive = {}) const {
        using element = detail::element_of<const R &>;
        detail::agree(comm_, "alltoallv", 0, sizeof(element));
        const std::vector<detail::later<MPI_Count, R>> sent(std::ranges::begin(counts),
                                                            std::ranges::end(counts));
        detail::block_list<element> out{{}};
        const std::exception_ptr wrong = detail::caught([&] {
            if (sent.size() != static_cast<std::size_t>(size()))
                detail::raise(MPI_ERR_COUNT, "lisle::alltoallv",
                              {{"counts", static_cast<long long>(sent.size())}, {"ranks", size()}},
                              "there must be one count for each rank");
            out = detail::block_list<element>{sent};
            if (out.total > std::ranges::size(range))
                detail::raise(MPI_ERR_COUNT, "lisle::alltoallv",
                              {{"objects", static_cast<long long>(std::ranges::size(range))},
                               {"sum of counts", static_cast<long long>(out.total)}},
                              "the counts say more objects than there are");
        });
        if (receive.counts.empty())
            return exchange_blocks(std::ranges::data(range), sent, wrong);
        if (wrong || detail::failed())
            return detail::rethrow_first(wrong, {}), blocks<element>{};
        blocks<element> got{{}, {receive.counts.begin(), receive.counts.end()}};
        const detail::block_list<element> in{got.counts};
        got.data.resize(in.total);
        const MPI_Datatype type = detail::wire<element>::type();
        detail::check(MPI_Alltoallv_c(std::ranges::data(range), out.counts.data(), out.offsets.data(), type,
                                      got.data.data(), in.counts.data(), in.offsets.data(), type, comm_),
                      "MPI_Alltoallv");
        return got;
    }
    /// One object for each rank, of any type and size: nested containers, serialised objects.
    ///
    ///     std::vector<std::vector<int>> got = world.alltoallv(one_list_for_each_rank);
    template <class T>
    requires(!direct<T> && sendable<const T &>)
        [[nodiscard]] std::vector<T> alltoallv(const std::vector<T> &objects) const {
        decltype(detail::write_each(objects, true)) written;
        const std::exception_ptr thrown =
            detail::caught([&] { written = detail::write_each(objects, true); });
        if (thrown)
            exchange_blocks<std::byte>(nullptr, {}, thrown);
        return detail::read_each<T>(alltoallv(written.first, written.second));
    }

  protected:
    /// Gives a serialised object to all, or the news that the root could not write it.
    template <class T> void spread_bytes(T &object, int root, int failed_rank = -1) const {
        const bool here = rank() == root;
        detail::later<detail::byte_buffer, T> bytes;
        std::exception_ptr thrown;
        if (here && failed_rank < 0) {
            thrown = detail::caught([&] { bytes = detail::to_bytes(object); });
            failed_rank = thrown ? root : -1;
        }
        detail::broadcast_sized(bytes, root, here, comm_, failed_rank);
        if (thrown)
            std::rethrow_exception(thrown);
        if (!here)
            detail::serializer<T>::read_into(bytes, object);
    }

  private:
    template <class T> void spread_memory(T &object, int root) const {
        const auto data = as_buffer(object);
        detail::check(MPI_Bcast_c(data.writable(), data.count, data.type, root, comm_), "MPI_Bcast",
                      named_value{"count", data.count}, named_value{"root", root});
    }
    /// broadcast(), as a part of another collective or by itself.
    template <class T> void spread(T &object, int root) const {
        if constexpr (resizable_range<T &> && detail::is_text<std::remove_cv_t<T>>)
            detail::broadcast_sized(object, root, rank() == root, comm_);
        else if constexpr (writable_buffer<T &>)
            spread_memory(object, root);
        else if constexpr (serialized<T>)
            spread_bytes(object, root);
    }
    /// alltoallv() of which nobody knows how much it gets: one message for each other rank.
    template <class T>
    blocks<T> exchange_blocks(const T *data, counts_view sent, const std::exception_ptr &thrown = {}) const {
        const point_to_point own{detail::trees(comm_)};
        const int here = rank();
        std::vector<future<detail::later<void, T>>> sends;
        std::span<const T> mine;
        for (int to = 0; to < size(); ++to) {
            if (thrown || detail::failed()) {
                if (to != here)
                    detail::send_failure(here, to, own.native());
                continue;
            }
            const std::span<const T> part{data, static_cast<std::size_t>(sent[static_cast<std::size_t>(to)])};
            data += part.size();
            if (to == here)
                mine = part;
            else
                sends.push_back(own.isend(borrow(part), to, detail::object_tag));
        }
        blocks<T> got;
        const std::exception_ptr told = detail::caught(
            [&] { detail::receive_blocks(got, mine, size(), here, own.native(), "lisle::alltoallv"); });
        for (auto &send : sends)
            send.wait();
        detail::rethrow_first(thrown, told);
        return got;
    }
    /// gatherv() of serialised objects. A rank that cannot write its own tells the root.
    template <class T> auto gather_bytes(const T &object, int root) const {
        detail::later<detail::byte_buffer, T> bytes;
        const std::exception_ptr thrown = detail::caught([&] { bytes = detail::to_bytes(object); });
        if (!thrown)
            return gatherv(bytes, {.root = root});
        blocks<detail::later<std::byte, T>> none;
        const MPI_Comm own = detail::trees(comm_);
        if (rank() == root)
            static_cast<void>(detail::caught([&] { // for the others' messages
                detail::receive_blocks<std::byte>(none, {}, size(), root, own, "lisle::gather");
            }));
        else
            detail::send_failure(rank(), root, own);
        std::rethrow_exception(thrown);
    }
    /// The same for allgatherv().
    template <class T> auto allgather_bytes(const T &object) const {
        detail::later<detail::byte_buffer, T> bytes;
        const std::exception_ptr thrown = detail::caught([&] { bytes = detail::to_bytes(object); });
        if (!thrown)
            return allgatherv(bytes);
        blocks<detail::later<std::byte, T>> none;
        static_cast<void>(detail::caught([&] {
            detail::gather_short<std::byte>(none, nullptr, size(), comm_, detail::failed_size(rank()));
        }));
        std::rethrow_exception(thrown);
    }
};

} // namespace lisle
