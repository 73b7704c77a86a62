// SPDX-License-Identifier: Apache-2.0
// alltoall and alltoallv: each rank sends a block to each rank.
#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "lisle/collective/gather.hpp"

namespace lisle::detail {

namespace operations {

struct alltoall : as_given {
    static constexpr mpi_functions mpi{"Alltoall", MPI_Alltoall_c, MPI_Ialltoall_c, MPI_Alltoall_init_c};
    static amounts amounts_of(std::size_t objects, MPI_Count elements, MPI_Comm comm, const char *call) {
        return {objects, share_of(elements, size_of(comm), call)};
    }
};
struct alltoallv : alltoall {
    static constexpr mpi_functions mpi{"Alltoallv", MPI_Alltoallv_c, MPI_Ialltoallv_c, MPI_Alltoallv_init_c};
};

} // namespace operations

/// Calls the function of alltoallv() for this form.
template <class Operation = operations::alltoallv, class Form, class T>
auto exchange_listed(Form form, const void *from, const block_list<T> &sent, void *to,
                     const block_list<T> &received, MPI_Comm comm) {
    const MPI_Datatype type = wire<T>::type();
    return form.template run<Operation>(static_cast<MPI_Count>(sent.total), 0, from, sent.mpi_counts(),
                                        sent.mpi_offsets(), type, to, received.mpi_counts(),
                                        received.mpi_offsets(), type, comm);
}

/// alltoallv() without receive counts: one message for each other rank.
template <class T> blocks<T> exchange_unknown(const T *data, counts_view sent, MPI_Comm comm,
                                              const std::exception_ptr &thrown = {}) {
    const point_to_point messages{trees(comm)};
    const int here = messages.rank();
    const int ranks = messages.size();
    std::vector<future<later<void, T>>> sends;
    std::span<const T> mine;
    for (int to = 0; to < ranks; ++to) {
        if (thrown || failed()) {
            if (to != here)
                send_failure(here, to, messages.native());
            continue;
        }
        const std::span<const T> part{data, static_cast<std::size_t>(sent[static_cast<std::size_t>(to)])};
        data += part.size();
        if (to == here)
            mine = part;
        else
            sends.push_back(messages.isend(borrow(part), to, object_tag));
    }
    blocks<T> got;
    const std::exception_ptr told = caught(
        [&] { receive_blocks(got, mine, ranks, here, messages.native(), name_of<operations::alltoallv>); });
    for (auto &send : sends)
        send.wait();
    rethrow_first(thrown, told);
    return got;
}
/// One object of any type and size to each rank.
template <class T> std::vector<T> exchange_objects(const std::vector<T> &objects, MPI_Comm comm) {
    agree(comm, "alltoallv", 0, sizeof(std::byte));
    decltype(write_each(objects, true)) written;
    const std::exception_ptr thrown = caught([&] { written = write_each(objects, true); });
    if (thrown)
        exchange_unknown<std::byte>(nullptr, {}, comm, thrown);
    const std::exception_ptr wrong = caught([&] {
        static_cast<void>(
            blocks_in(written.first, written.second, true, size_of(comm), name_of<operations::alltoallv>));
    });
    return read_each<T>(exchange_unknown(written.first.data(), written.second, comm, wrong));
}

/// The same, without waiting.
template <class T> future<std::vector<T>> start_to_exchange_objects(std::vector<T> all, MPI_Comm comm) {
    return begin_messages<T>(comm, std::move(all), to_each(name_of<operations::alltoallv>),
                             [rank = rank_in(comm)](std::vector<T> &kept, std::vector<T> &&came) {
                                 return with_own(std::move(kept[static_cast<std::size_t>(rank)]),
                                                 std::move(came), rank);
                             });
}
/// Blocks of a range, whose sizes only the sender knows: `counts[i]` objects go to rank i.
template <class R> auto start_to_exchange_ranges(R all, counts_view counts, MPI_Comm comm) {
    using element = element_of<const R &>;
    const int rank = rank_in(comm);
    const auto list = blocks_in(all, counts, true, size_of(comm), name_of<operations::alltoallv>);
    const auto block = [list](const R &kept, int of_rank) {
        const auto i = static_cast<std::size_t>(of_rank);
        constexpr auto parts = static_cast<std::size_t>(wire<element>::count);
        return std::span{std::ranges::data(kept) + static_cast<std::size_t>(list.offsets[i]) / parts,
                         static_cast<std::size_t>(list.counts[i]) / parts};
    };
    const auto start = [&](auto &messages) {
        for (int other = 0; other < messages.size(); ++other) {
            if (other == rank)
                continue;
            messages.receive(other);
            messages.send(block(messages.kept, other), other);
        }
    };
    return begin_messages<std::vector<element>>(
        comm, std::move(all), start, [block, rank](R &kept, std::vector<std::vector<element>> &&came) {
            return join(with_own(as_piece(block(kept, rank)), std::move(came), rank));
        });
}

/// The functions of communicators.
class alltoall_calls : public collective_calls<alltoall_calls> {
    using operation = operations::alltoall;
    using operation_v = operations::alltoallv;

  public:
    /// Sends the i-th of equal blocks, one for each rank, to rank i, and receives one block from each.
    template <direct_range R> [[nodiscard]] auto alltoall(const R &range) const {
        return move_blocks<operation, taken<elements_t<const R>>>(range, 0, comm());
    }
    /// In place: exchanges the i-th of equal blocks with the block that rank i has for the caller.
    template <buffer_to_fill R> void alltoall(in_place_t<R> all) const {
        move_blocks_in_place<operation>(blocking{}, all.object, 0, comm());
    }
    template <direct_range R, place_to_fill Into> void alltoall_into(const R &range, Into &&into) const {
        move_blocks_into<operation>(blocking{}, range, into, 0, comm());
    }
    template <range_to_own R> [[nodiscard]] auto ialltoall(R &&range) const {
        using in = std::remove_cvref_t<R>;
        return start_to_move_blocks<operation, taken<elements_t<in>>>(in(std::forward<R>(range)), 0, comm());
    }
    template <fit R> [[nodiscard]] future<> ialltoall(lent_in_place_t<R> all) const {
        return move_blocks_in_place<operation>(nonblocking<>{}, all.object, 0, comm());
    }
    template <class R, lent_place_to_fill Into>
    requires direct_range<const R &>
    [[nodiscard]] future<> ialltoall_into(borrowed<R> range, Into into) const {
        return move_blocks_into<operation>(nonblocking<>{}, std::as_const(range.get()), into, 0, comm());
    }
    /// One equal block for each rank. Of objects that are serialised, one for each rank.
    template <class A, class B>
    requires fit<A> || fit<element_of<A &>>
    [[nodiscard]] persistent alltoall_init(borrowed<A> from, borrowed<B> into) const {
        if constexpr (direct_buffer<A &>)
            return prepare_to_move_blocks<operation>(from.get(), into.get(), 0, comm());
        else
            return prepare_rounds_into(into, [from, comm = comm()] {
                return start_to_exchange_objects(vector_of<A>(as_vector(from.get())), comm);
            });
    }

    template <direct_range R> blocks<char> alltoallv(const R &) const {
        static_assert(always_false<R>,
                      "alltoallv() needs the counts: `alltoallv(objects, counts)`, counts[i] of "
                      "them for rank i; alltoall() deals equal parts.");
        return {};
    }
    /// Blocks of any sizes: `counts[i]` objects go to rank i. Receive counts that are not given come with the
    /// data.
    ///
    ///     auto [values, counts] = world.alltoallv(out, how_many);
    template <direct_range R, direct_range C>
    [[nodiscard]] auto alltoallv(const R &range, const C &counts, known_counts receive = {}) const {
        using element = element_of<const R &>;
        agree(comm(), name_of<operations::alltoallv>, 0, sizeof(element));
        const std::vector<later<MPI_Count, R>> sent(std::ranges::begin(counts), std::ranges::end(counts));
        block_list<element> out{{}};
        const std::exception_ptr wrong =
            caught([&] { out = blocks_in(range, sent, true, size_of(comm()), name_of<operation_v>); });
        if (receive.counts.empty())
            return exchange_unknown(std::ranges::data(range), sent, comm(), wrong);
        if (wrong || failed())
            return rethrow_first(wrong, {}), blocks<element>{};
        blocks<element> got{{}, {receive.counts.begin(), receive.counts.end()}};
        const block_list<element> in{got.counts};
        got.data.resize(in.total);
        exchange_listed(blocking{}, std::ranges::data(range), out, got.data.data(), in, comm());
        return got;
    }
    /// One object for each rank, of any type and size: nested containers, serialised objects.
    ///
    ///     std::vector<std::vector<int>> got = world.alltoallv(one_list_for_each_rank);
    template <class T>
    requires(!direct<T> && sendable<const T &>)
        [[nodiscard]] std::vector<T> alltoallv(const std::vector<T> &objects) const {
        return exchange_objects(objects, comm());
    }
    /// In place, with blocks of any sizes: as many objects go to a rank as come from it.
    template <buffer_to_fill R> void alltoallv(in_place_t<R> all, known_counts with) const {
        agree(comm(), name_of<operations::alltoallv>, 0, sizeof(element_of<R &>));
        const auto data = as_buffer(all.object);
        const auto list = blocks_in(all.object, with.counts, true, size_of(comm()), name_of<operation_v>);
        exchange_listed(blocking{}, MPI_IN_PLACE, list, data.writable(), list, comm());
    }
    /// alltoallv() into memory that exists. Receive counts that are not given are exchanged first, and
    /// returned.
    template <direct_range R, place_to_fill Into> std::vector<later<MPI_Count, R>>
    alltoallv_into(const R &range, counts_view sent, Into &&into, known_counts receive = {}) const {
        using element = element_of<const R &>;
        agree(comm(), name_of<operations::alltoallv>, 0, sizeof(element));
        const int ranks = size_of(comm());
        if (!divides(sent, std::ranges::size(range), ranks))
            raise_final(
                MPI_ERR_COUNT, name_of<operation_v>,
                {{"objects", static_cast<long long>(std::ranges::size(range))},
                 {"counts", static_cast<long long>(sent.size())},
                 {"ranks", ranks}},
                "the counts are not one for each rank, or one is negative, or together they are more than "
                "the range has");
        std::vector<later<MPI_Count, R>> counts(receive.counts.begin(), receive.counts.end());
        if (counts.empty()) {
            const std::vector<later<MPI_Count, R>> out(sent.begin(), sent.end());
            counts.resize(out.size());
            check(MPI_Alltoall(out.data(), 1, MPI_COUNT, counts.data(), 1, MPI_COUNT, comm()),
                  "MPI_Alltoall");
        }
        const block_list<element> from{sent};
        const block_list<element> to{counts};
        void *const room = room_for<element>(into, to.total, name_of<operation_v>);
        exchange_listed(blocking{}, std::ranges::data(range), from, room, to, comm());
        return counts;
    }
    template <range_to_own R>
    [[nodiscard]] auto ialltoallv(R &&range, counts_view sent, known_counts with = {}) const {
        using in = std::remove_cvref_t<R>;
        using element = element_of<in &>;
        const int ranks = size_of(comm());
        if (sent.size() != static_cast<std::size_t>(ranks))
            raise_final(MPI_ERR_COUNT, name_of<operation_v>,
                        {{"counts", static_cast<long long>(sent.size())}, {"ranks", ranks}},
                        "there must be one count for each rank");
        if (with.counts.empty())
            return start_to_exchange_ranges(in(std::forward<R>(range)), sent, comm());
        auto owner =
            std::make_unique<listed_objects<in, element>>(in(std::forward<R>(range)), with.counts, sent);
        auto &kept = *owner;
        return exchange_listed(nonblocking<blocks<element>>{std::move(owner)}, std::ranges::data(kept.in),
                               kept.sent, kept.out.data.data(), kept.list, comm());
    }
    template <fit T>
    requires(!direct<T>) [[nodiscard]] future<std::vector<T>> ialltoallv(std::vector<T> objects) const {
        return start_to_exchange_objects(std::move(objects), comm());
    }

    // ---- with what cannot travel: see detail::unfit ----

    refusal alltoall(no_range) const;
    refusal alltoall_into(from_range, any_place) const;
    refusal ialltoall(no_range_to_own) const;
    refusal ialltoall_into(no_range, anything) const;
    refusal alltoall_init(unfit, anything) const;
    refusal alltoallv(no_range) const;
    refusal alltoallv(no_range, counts_view, known_counts = {}) const;
    refusal alltoallv_into(from_range, counts_view, any_place, known_counts = {}) const;
    refusal ialltoallv(no_range) const;
    refusal ialltoallv(no_range, counts_view, known_counts = {}) const;
};

} // namespace lisle::detail
