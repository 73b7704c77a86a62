// SPDX-License-Identifier: Apache-2.0
// scatter and scatterv: each rank gets its part of the root's data.
#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "lisle/collective/gather.hpp"
#include "lisle/collective/marked_scatter.hpp"

namespace lisle::detail {

namespace operations {

struct scatter : as_given {
    static constexpr mpi_functions mpi{"Scatter", MPI_Scatter_c, MPI_Iscatter_c, MPI_Scatter_init_c};
    static constexpr bool rooted = true;
    static constexpr bool deals = true;
};
struct scatterv : scatter {
    static constexpr mpi_functions mpi{"Scatterv", MPI_Scatterv_c, MPI_Iscatterv_c, MPI_Scatterv_init_c};
};

} // namespace operations

/// Scatters blocks of the sizes in `list`, which is significant only at the root.
template <class T> void deal_listed(const void *all, const block_list<T> &list, MPI_Datatype type, void *to,
                                    MPI_Count count, int root, MPI_Comm comm) {
    blocking{}.run<operations::scatterv>(count, root, all, list.mpi_counts(), list.mpi_offsets(), type, to,
                                         count, type, root, comm);
}
/// One object for each rank, each in a message; `all` is significant only at the root.
template <class T> future<T> start_to_scatter_objects(std::vector<T> all, int root, MPI_Comm comm) {
    const auto start = [root](auto &messages) {
        if (messages.rank() != root)
            return messages.receive(root);
        messages.require_one_for_each(name_of<operations::scatter>);
        for (int other = 0; other < messages.size(); ++other)
            if (other != root)
                messages.send_own(other);
    };
    return begin_messages<T>(
        comm, std::move(all), start, [root](std::vector<T> &kept, std::vector<T> &&came) {
            return came.empty() ? std::move(kept[static_cast<std::size_t>(root)]) : std::move(came.front());
        });
}

/// The functions of communicators.
class scatter_calls : public collective_calls<scatter_calls> {
    using operation = operations::scatter;

  public:
    /// Gives the root's i-th object to rank i. `all` means nothing but at the root, and may be empty there.
    ///
    ///     task mine = world.scatter(tasks);
    template <objects_to_deal R> [[nodiscard]] auto scatter(const R &all, rooted with = {}) const {
        using object = typename objects_of<R>::type;
        agree(comm(), name_of<operation>, with.root, element_size<object>());
        const bool here = rank_in(comm()) == with.root;
        if constexpr (direct<object>) {
            return scatter_direct<object>(all, with.root, here);
        } else if constexpr (resizable_range<object>) {
            const auto [joined, counts] = join(all, here);
            const auto mine = scatterv(joined, {.root = with.root, .counts = counts});
            return object(mine.begin(), mine.end());
        } else {
            return scatter_written<object>(all, with.root, here);
        }
    }
    /// The root's range has a block for each rank and stays as it is; the others' range becomes its block.
    template <buffer_to_fill R> void scatter(in_place_t<R> all, rooted with = {}) const {
        move_blocks_in_place<operation>(blocking{}, all.object, with.root, comm());
    }
    /// Gives the root's i-th object to rank i: `auto mine = world.iscatter(std::move(tasks));`
    template <range_to_own R> [[nodiscard]] auto iscatter(R &&all, rooted with = {}) const {
        using in = std::remove_cvref_t<R>;
        using out = element_of<in &>;
        auto owner = std::make_unique<two_objects<in, out>>(in(std::forward<R>(all)));
        const auto objects = std::ranges::size(owner->in);
        const int ranks = size_of(comm());
        if (rank_in(comm()) == with.root && objects != static_cast<std::size_t>(ranks)) {
            raise(MPI_ERR_COUNT, name_of<operations::scatter>,
                  {{"objects", static_cast<long long>(objects)}, {"ranks", ranks}},
                  "scatter takes one object for each rank");
            return future<out>{MPI_REQUEST_NULL, std::move(owner)};
        }
        const arguments parts{std::ranges::data(owner->in), &owner->out, wire<out>::count, wire<out>::type(),
                              with.root};
        return issue<operation>(nonblocking<out>{std::move(owner)}, parts, comm());
    }
    /// One object for each rank, of any type and size: nested containers, serialised objects.
    template <fit T>
    requires(!direct<T>) [[nodiscard]] future<T> iscatter(std::vector<T> all, rooted with = {}) const {
        return start_to_scatter_objects(std::move(all), with.root, comm());
    }
    template <fit R> [[nodiscard]] future<> iscatter(lent_in_place_t<R> all, rooted with = {}) const {
        return move_blocks_in_place<operation>(nonblocking<>{}, all.object, with.root, comm());
    }
    /// `all` is significant only at the root. What is serialised is dealt out from a vector of objects.
    template <class R, class T>
    requires fit<R> || fit<element_of<R &>>
    [[nodiscard]] persistent scatter_init(borrowed<R> all, borrowed<T> into, rooted with = {}) const {
        if constexpr (direct_buffer<T &> || !fit<T>)
            return prepare_to_move_blocks<operation>(all.get(), into.get(), with.root, comm());
        else
            return prepare_rounds_into(into, [all, with, comm = comm()] {
                return start_to_scatter_objects(vector_of<R>(as_vector(all.get())), with.root, comm);
            });
    }

    /// Deals the root's range out: `counts` says how much each rank gets, by default equal shares. Only the
    /// root needs to know.
    ///
    ///     std::vector<double> mine = world.scatterv(all, {.root = 0});
    template <direct_range R> [[nodiscard]] auto scatterv(const R &all, rooted_counts with = {}) const {
        std::vector<element_of<const R &>> mine;
        scatterv_into(all, resized(mine), with);
        return mine;
    }
    /// Objects that travel as bytes. If the root's counts cannot be used all ranks throw.
    ///
    ///     std::vector<std::string> mine = world.scatterv(names);
    template <serialised_range R> [[nodiscard]] auto scatterv(const R &all, rooted_counts with = {}) const {
        const bool here = rank_in(comm()) == with.root;
        std::vector<vector_of<R>> parts;
        if (here)
            parts = dealt(all, with.counts);
        auto [bytes, counts] = write_each(parts, here);
        if (counts.empty())
            counts.push_back(refused_count); // no counts would mean equal shares
        return serializer<vector_of<R>>::read(scatterv(bytes, {.root = with.root, .counts = counts}));
    }
    /// In place, with blocks of any sizes, which only the root has to know.
    template <buffer_to_fill R> void scatterv(in_place_t<R> all, rooted_counts with) const {
        agree(comm(), name_of<operations::scatterv>, with.root, sizeof(element_of<R &>));
        const auto data = as_buffer(all.object);
        const bool root = rank_in(comm()) == with.root;
        const auto list = blocks_in(all.object, root ? with.counts : counts_view{}, root, size_of(comm()),
                                    name_of<operations::scatterv>);
        deal_listed(data.address, list, data.type, root ? MPI_IN_PLACE : data.writable(), data.count,
                    with.root, comm());
    }
    /// scatterv() into memory that exists. Returns how many objects came.
    ///
    ///     std::size_t mine = world.scatterv_into(all, lisle::resized(part));
    template <direct_range R, place_to_fill Into>
    std::size_t scatterv_into(const R &all, Into &&into, rooted_counts with = {}) const {
        using element = element_of<const R &>;
        agree(comm(), name_of<operations::scatterv>, with.root, sizeof(element));
        const share_of_root<element> share{comm(), std::ranges::size(all), with,
                                           rank_in(comm()) == with.root};
        if (!share.usable) [[unlikely]]
            return 0;
        void *const room = room_for<element>(into, share.own, name_of<operations::scatterv>);
        deal_listed(std::ranges::data(all), share.list, wire<element>::type(), room,
                    static_cast<MPI_Count>(share.own) * wire<element>::count, with.root, comm());
        return share.own;
    }
    /// scatterv() of objects of any kind that does not wait. Only the root needs counts.
    template <class R>
    requires(direct_range<R> || serialised_range<R>)
        [[nodiscard]] auto iscatterv(const R &all, rooted_counts with = {}) const {
        std::vector<vector_of<R>> parts;
        if (rank_in(comm()) == with.root) {
            parts = dealt(all, with.counts);
            if (parts.empty())
                raise(MPI_ERR_COUNT, name_of<operations::scatterv>,
                      {{"counts", static_cast<long long>(with.counts.size())},
                       {"ranks", size_of(comm())},
                       {"objects", static_cast<long long>(std::ranges::size(all))}},
                      "the counts are not one for each rank, or one is negative, or together they are "
                      "more than the range has");
        }
        return start_to_scatter_objects(std::move(parts), with.root, comm());
    }

    // ---- with what cannot travel: see detail::unfit ----

    refusal scatter(no_range, rooted = {}) const;
    refusal iscatter(no_range_to_own, rooted = {}) const;
    refusal scatter_init(unfit, anything, rooted = {}) const;
    refusal scatterv(no_range, rooted_counts = {}) const;
    refusal scatterv_into(from_range, any_place, rooted_counts = {}) const;
    refusal iscatterv(no_range, rooted_counts = {}) const;

  private:
    template <class T, class R> T scatter_direct(const R &all, int root, bool here) const {
        if constexpr (!has_extensions)
            static_cast<void>(trees(comm())); // made by all ranks together
        T mine{};
        const int ranks = size_of(comm());
        if (here && std::ranges::size(all) != static_cast<std::size_t>(ranks)) [[unlikely]] {
            refuse_scatter<T>(ranks, root, comm());
            raise(MPI_ERR_COUNT, name_of<operation>,
                  {{"objects", static_cast<long long>(std::ranges::size(all))}, {"ranks", ranks}},
                  "scatter takes one object for each rank; scatterv takes any number");
            return mine;
        }
        issue<operation>(blocking{}, {std::ranges::data(all), &mine, wire<T>::count, wire<T>::type(), root},
                         comm());
        if (here)
            confirm_marked(all, root, comm());
        else
            require_meant(mine, root, comm());
        return mine;
    }
    /// The root may be unable to write an object; then all ranks throw.
    template <class T, class R> T scatter_written(const R &all, int root, bool here) const {
        decltype(write_each(all, true)) written;
        const std::exception_ptr thrown = caught([&] { written = write_each(all, here); });
        if (written.second.empty()) // no counts would mean equal shares
            written.second.push_back(thrown ? failed_count : refused_count);
        const rooted_counts with{.root = root, .counts = written.second};
        if (!thrown)
            return serializer<T>::read(scatterv(written.first, with));
        static_cast<void>(caught([&] { static_cast<void>(scatterv(written.first, with)); }));
        std::rethrow_exception(thrown);
    }
    /// The root's objects for each rank; no parts if the counts cannot be used.
    template <class R> [[nodiscard]] std::vector<vector_of<R>> dealt(const R &all, counts_view wanted) const {
        const auto objects = std::ranges::size(all);
        const int ranks = size_of(comm());
        const std::vector<MPI_Count> counts = wanted.empty()
                                                  ? equal_shares(objects, ranks)
                                                  : std::vector<MPI_Count>(wanted.begin(), wanted.end());
        if (!divides(counts, objects, ranks))
            return {};
        return cut(all, counts);
    }
};

} // namespace lisle::detail
