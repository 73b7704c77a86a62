// SPDX-License-Identifier: Apache-2.0
// gather and gatherv: the objects of all ranks, at the root. allgather.hpp makes the versions for all ranks
// of the same functions.
#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "lisle/collective/blocks.hpp"
#include "lisle/collective/form.hpp"
#include "lisle/collective/messages.hpp"
#include "lisle/collective/sized.hpp"

namespace lisle {

/// A contiguous range of objects that travel as bytes.
template <class R>
concept serialised_range = detail::range_of_serialised<R>;

} // namespace lisle

namespace lisle::detail {

namespace operations {

struct gather : from_each_rank {
    static constexpr mpi_functions mpi{"Gather", MPI_Gather_c, MPI_Igather_c, MPI_Gather_init_c};
    static constexpr bool rooted = true;
};
struct gatherv : gather {
    static constexpr mpi_functions mpi{"Gatherv", MPI_Gatherv_c, MPI_Igatherv_c, MPI_Gatherv_init_c};
};

} // namespace operations

// ---- blocks of different sizes ----

/// Calls the function of gatherv() or its like for this form.
template <class Operation, class Form, class T> auto issue_listed(Form form, const buffer &data, void *to,
                                                                  const block_list<T> &list,
                                                                  [[maybe_unused]] int root, MPI_Comm comm) {
    const auto run = [&](auto... last) {
        return form.template run<Operation>(data.count, root, data.address, data.count, data.type, to,
                                            list.mpi_counts(), list.mpi_offsets(), data.type, last...);
    };
    if constexpr (Operation::rooted)
        return run(root, comm);
    else
        return run(comm);
}

/// Joins ranges into `all`, whose counts are known.
template <class Operation, class R, class T>
blocks<T> join_ranges(const R &range, blocks<T> all, int root, MPI_Comm comm) {
    const block_list<T> list{all.counts};
    all.data.resize(list.total);
    issue_listed<Operation>(blocking{}, as_buffer(range), all.data.data(), list, root, comm);
    return all;
}
/// The same into memory that exists.
template <class Operation, class R, class Into>
void join_ranges_into(const R &range, Into &&into, counts_view counts, int root, MPI_Comm comm) {
    using element = element_of<const R &>;
    const block_list<element> list{counts};
    void *const room =
        has_result<Operation>(root, comm) ? room_for<element>(into, list.total, name_of<Operation>) : nullptr;
    issue_listed<Operation>(blocking{}, as_buffer(range), room, list, root, comm);
}
/// In place: where there is a result the range has all blocks, elsewhere it is one.
template <class Operation, class R>
void join_in_place(R &range, counts_view counts, int root, MPI_Comm comm) {
    agree(comm, name_of<Operation>, root, sizeof(element_of<R &>));
    const bool all = has_result<Operation>(root, comm);
    const auto list = blocks_in(range, all ? counts : counts_view{}, all, size_of(comm), name_of<Operation>);
    buffer data = as_buffer(range);
    void *const to = data.writable();
    data.address = all ? MPI_IN_PLACE : data.address;
    issue_listed<Operation>(blocking{}, data, to, list, root, comm);
}

/// The range of a non-blocking gatherv() or alltoallv(), and the lists that MPI reads until it is complete.
template <class In, class Element> class listed_objects final : public result_of<blocks<Element>> {
  public:
    listed_objects(In &&from, counts_view counts, counts_view sent_counts = {})
        : in{std::move(from)}, list{counts}, sent{sent_counts} {
        out.counts.assign(counts.begin(), counts.end());
        out.data.resize(list.total);
    }
    blocks<Element> take(const status &) override { return std::move(out); }
    In in;
    block_list<Element> list;
    block_list<Element> sent;
    blocks<Element> out;
};
template <class Operation, class R>
auto start_to_join_ranges(R own_range, counts_view counts, int root, MPI_Comm comm) {
    using element = element_of<R &>;
    auto owner = std::make_unique<listed_objects<R, element>>(
        std::move(own_range), has_result<Operation>(root, comm) ? counts : counts_view{});
    const auto &kept = *owner;
    void *const to = owner->out.data.data();
    return issue_listed<Operation>(nonblocking<blocks<element>>{std::move(owner)}, as_buffer(kept.in), to,
                                   kept.list, root, comm);
}

// ---- objects of any size, as messages that start at once ----

template <class Operation, class T>
future<std::vector<T>> start_to_gather_objects(T own_object, int root, MPI_Comm comm) {
    return begin_messages<T>(comm, outgoing<T>{std::move(own_object)}, to_result<Operation>(root),
                             [here = has_result<Operation>(root, comm),
                              rank = rank_in(comm)](outgoing<T> &kept, std::vector<T> &&came) {
                                 return here ? with_own(std::move(kept.object), std::move(came), rank)
                                             : std::vector<T>{};
                             });
}
/// Joins ranges whose sizes only their owners know.
template <class Operation, class R> auto start_to_gather_ranges(R own_range, int root, MPI_Comm comm) {
    using element = element_of<const R &>;
    using piece = std::vector<element>;
    return begin_messages<piece>(comm, outgoing<R>{std::move(own_range)}, to_result<Operation>(root),
                                 [here = has_result<Operation>(root, comm),
                                  rank = rank_in(comm)](outgoing<R> &kept, std::vector<piece> &&came) {
                                     return here
                                                ? join(with_own(as_piece(kept.object), std::move(came), rank))
                                                : blocks<element>{};
                                 });
}

/// Non-blocking gathers of one object.
template <class Operation, class T> auto start_to_gather(T &&given_object, int root, MPI_Comm comm) {
    if constexpr (elements_to_pack<T>)
        return start_to_gather_objects<Operation>(own(std::forward<T>(given_object)), root, comm)
            .then([](auto &&ranges) { return joined_elements(std::move(ranges)); });
    else if constexpr (object_to_pack<T>)
        return start_to_gather_objects<Operation>(own(std::forward<T>(given_object)), root, comm);
    else
        return start_to_move_blocks<Operation, taken<T>>(own(std::forward<T>(given_object)), root, comm);
}
/// Non-blocking gathers of a range of any size, with counts or without.
template <class Operation, class R>
auto start_to_gatherv(R &&range, counts_view counts, int root, MPI_Comm comm) {
    using in = std::remove_cvref_t<R>;
    if (counts.empty())
        return start_to_gather_ranges<Operation>(in(std::forward<R>(range)), root, comm);
    return start_to_join_ranges<Operation>(in(std::forward<R>(range)), counts, root, comm);
}
/// A range of serialised objects is sent as one object.
template <class Operation, class R> auto start_to_gatherv_serialised(R range, int root, MPI_Comm comm) {
    return start_to_gather_objects<Operation>(as_vector(std::move(range)), root, comm).then([](auto &&parts) {
        return join(std::move(parts));
    });
}
/// One round of a persistent gather of objects.
template <class Operation, class B, class Object, class R>
persistent prepare_to_gather(Object &object, borrowed<R> into, int root, MPI_Comm comm) {
    if constexpr (taken<B>::in_memory)
        return prepare_to_move_blocks<Operation>(object, into.get(), root, comm);
    else
        return prepare_rounds_into(into, [&object, root, comm] {
            return start_to_gather<Operation>(with_grain_of<B>(object), root, comm);
        });
}

/// The functions of communicators.
class gather_calls : public collective_calls<gather_calls> {
    using operation = operations::gather;
    using operation_v = operations::gatherv;

  public:
    /// All ranks' objects in the order of ranks, at the root; nothing elsewhere. Ranges are joined; they must
    /// have the same size everywhere (gatherv() is for others, and whole(range) keeps them apart).
    ///
    ///     std::vector<int> all = world.gather(world.rank());
    ///     std::vector<std::string> names = world.gather(name);
    template <object_to_collect T> [[nodiscard]] auto gather(const T &given, rooted with = {}) const {
        using taken = detail::taken<T>;
        const auto &object = object_in(given);
        if constexpr (taken::in_memory) {
            return move_blocks<operation, taken>(object, with.root, comm());
        } else {
            agree(comm(), name_of<operation>, with.root, element_size<T>());
            if constexpr (taken::written_elements)
                return joined_elements(gather(whole(object), with));
            else if constexpr (taken::sized)
                return separate<typename taken::value>(gatherv(as_range(object), {.root = with.root}));
            else if constexpr (taken::written)
                return read_each<typename taken::value>(gather_bytes(object, with.root));
            else
                return refused<T>(); // the compiler has said why
        }
    }
    /// In place: the root's range has a block for each rank, its own block set; the others' range is one
    /// block.
    ///
    ///     world.gather(lisle::in_place(values));
    template <buffer_to_fill R> void gather(in_place_t<R> all, rooted with = {}) const {
        move_blocks_in_place<operation>(blocking{}, all.object, with.root, comm());
    }
    /// gather(); `into` is significant only at the root.
    ///
    ///     world.gather_into(mine, lisle::resized(all), {.root = 2});
    template <object_in_memory T, place_to_fill Into>
    void gather_into(const T &object, Into &&into, rooted with = {}) const {
        move_blocks_into<operation>(blocking{}, object, into, with.root, comm());
    }
    template <object_to_combine T> [[nodiscard]] auto igather(T &&object, rooted with = {}) const {
        return start_to_gather<operation>(std::forward<T>(object), with.root, comm());
    }
    template <fit R> [[nodiscard]] future<> igather(lent_in_place_t<R> all, rooted with = {}) const {
        return move_blocks_in_place<operation>(nonblocking<>{}, all.object, with.root, comm());
    }
    /// `into` is significant only at the root.
    template <object_in_memory T, lent_place_to_fill Into>
    [[nodiscard]] future<> igather_into(borrowed<T> object, Into into, rooted with = {}) const {
        return move_blocks_into<operation>(nonblocking<>{}, object.get(), into, with.root, comm());
    }
    /// `into` is significant only at the root. Serialised objects are gathered into a vector.
    template <lent_object B, class R>
    [[nodiscard]] persistent gather_init(B from, borrowed<R> into, rooted with = {}) const {
        return prepare_to_gather<operation, B>(object_in(from), into, with.root, comm());
    }

    /// Ranges of any sizes, joined at the root, and each rank's count. Counts that are not given come with
    /// the data: one message from each rank, of a size that the root learns when it is there.
    ///
    ///     auto [values, counts] = world.gatherv(mine);
    template <direct_range R> [[nodiscard]] auto gatherv(const R &range, rooted_counts with = {}) const {
        using element = element_of<const R &>;
        agree(comm(), name_of<operation_v>, with.root, sizeof(element));
        const bool root = rank_in(comm()) == with.root;
        blocks<element> all;
        if (with.counts.empty()) {
            gather_unknown(all, range, with.root, root);
            return all;
        }
        if (root)
            all.counts.assign(with.counts.begin(), with.counts.end());
        return join_ranges<operation_v>(range, std::move(all), with.root, comm());
    }
    /// Ranges of objects that travel as bytes.
    ///
    ///     auto [names, counts] = world.gatherv(my_names);
    template <serialised_range R> [[nodiscard]] auto gatherv(const R &range, rooted with = {}) const {
        return join(read_each<vector_of<R>>(gatherv(to_bytes(as_vector(range)), {.root = with.root})));
    }
    /// In place, with blocks of any sizes, which only the root has to know.
    template <buffer_to_fill R> void gatherv(in_place_t<R> all, rooted_counts with) const {
        join_in_place<operation_v>(all.object, with.counts, with.root, comm());
    }
    /// gatherv() into memory that exists. Counts that are not given are gathered first; they are returned at
    /// the root.
    ///
    ///     std::vector<MPI_Count> counts = world.gatherv_into(mine, lisle::grown(all));
    template <direct_range R, place_to_fill Into> std::vector<later<MPI_Count, R>>
    gatherv_into(const R &range, Into &&into, rooted_counts with = {}) const {
        agree(comm(), name_of<operation_v>, with.root, sizeof(element_of<const R &>));
        const bool root = rank_in(comm()) == with.root;
        std::vector<later<MPI_Count, R>> counts;
        if (with.counts.empty()) {
            const auto own_count = static_cast<MPI_Count>(std::ranges::size(range));
            counts.resize(root ? static_cast<std::size_t>(size_of(comm())) : 0);
            check(MPI_Gather(&own_count, 1, MPI_COUNT, counts.data(), 1, MPI_COUNT, with.root, comm()),
                  "MPI_Gather", named_value{"root", with.root});
        } else if (root) {
            counts.assign(with.counts.begin(), with.counts.end());
        }
        join_ranges_into<operation_v>(range, into, counts, with.root, comm());
        return counts;
    }
    template <range_to_own R> [[nodiscard]] auto igatherv(R &&range, rooted_counts with = {}) const {
        return start_to_gatherv<operation_v>(std::forward<R>(range), with.counts, with.root, comm());
    }
    template <serialised_range R> [[nodiscard]] auto igatherv(R range, rooted with = {}) const {
        return start_to_gatherv_serialised<operation_v>(std::move(range), with.root, comm());
    }

    // ---- with what cannot travel: see detail::unfit ----

    refusal gather(not_to_collect, rooted = {}) const;
    refusal gather_into(from_memory, any_place, rooted = {}) const;
    refusal igather(not_to_combine, rooted = {}) const;
    refusal igather_into(not_in_memory, anything, rooted = {}) const;
    refusal gather_init(unfit, anything, rooted = {}) const;
    refusal gatherv(no_range, rooted_counts = {}) const;
    refusal gatherv_into(from_range, any_place, rooted_counts = {}) const;
    refusal igatherv(no_range_to_own, rooted_counts = {}) const;

  private:
    template <class R, class T>
    void gather_unknown(blocks<T> &all, const R &range, int root, bool here) const {
        const MPI_Comm own_comm = trees(comm());
        if (here)
            return receive_blocks<T>(all, {std::ranges::data(range), std::ranges::size(range)},
                                     size_of(comm()), root, own_comm, name_of<operation_v>);
        const buffer data = as_buffer(range);
        check(MPI_Send_c(data.address, data.count, data.type, root, object_tag, own_comm), "MPI_Send",
              named_value{"count", data.count}, named_value{"root", root});
    }
    /// gatherv() of serialised objects. A rank that cannot serialise its objects tells the root.
    template <class T> auto gather_bytes(const T &object, int root) const {
        later<byte_buffer, T> bytes;
        const std::exception_ptr thrown = caught([&] { bytes = to_bytes(object); });
        if (!thrown)
            return gatherv(bytes, {.root = root});
        blocks<later<std::byte, T>> none;
        const MPI_Comm own_comm = trees(comm());
        if (rank_in(comm()) == root)
            static_cast<void>(caught([&] { // for the others' messages
                receive_blocks<std::byte>(none, {}, size_of(comm()), root, own_comm, "lisle::gather");
            }));
        else
            send_failure(rank_in(comm()), root, own_comm);
        std::rethrow_exception(thrown);
    }
};

} // namespace lisle::detail
