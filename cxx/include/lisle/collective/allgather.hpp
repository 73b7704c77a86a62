// SPDX-License-Identifier: Apache-2.0
// allgather and allgatherv: the objects of all ranks, at all ranks. They are made of the functions in
// gather.hpp.
#pragma once

#include <cstddef>
#include <exception>
#include <utility>
#include <vector>

#include "lisle/collective/gather.hpp"

namespace lisle::detail {

namespace operations {

struct allgather : from_each_rank {
    static constexpr mpi_functions mpi{"Allgather", MPI_Allgather_c, MPI_Iallgather_c, MPI_Allgather_init_c};
};
struct allgatherv : allgather {
    static constexpr mpi_functions mpi{"Allgatherv", MPI_Allgatherv_c, MPI_Iallgatherv_c,
                                       MPI_Allgatherv_init_c};
};

} // namespace operations

/// The functions of communicators.
class allgather_calls : public collective_calls<allgather_calls> {
    using operation = operations::allgather;
    using operation_v = operations::allgatherv;

  public:
    /// gather() with the result at all ranks.
    template <object_to_collect T> [[nodiscard]] auto allgather(const T &given) const {
        using taken = detail::taken<T>;
        const auto &object = object_in(given);
        if constexpr (taken::in_memory) {
            return move_blocks<operation, taken>(object, 0, comm());
        } else {
            agree(comm(), name_of<operation>, 0, element_size<T>());
            if constexpr (taken::written_elements)
                return joined_elements(allgather(whole(object)));
            else if constexpr (taken::sized)
                return separate<typename taken::value>(allgatherv(as_range(object)));
            else if constexpr (taken::written)
                return read_each<typename taken::value>(allgather_bytes(object));
            else
                return refused<T>(); // the compiler has said why
        }
    }
    /// In place: every rank's range has a block for each rank, and the caller's own block is set.
    template <buffer_to_fill R> void allgather(in_place_t<R> all) const {
        move_blocks_in_place<operation>(blocking{}, all.object, 0, comm());
    }
    template <object_in_memory T, place_to_fill Into>
    void allgather_into(const T &object, Into &&into) const {
        move_blocks_into<operation>(blocking{}, object, into, 0, comm());
    }
    /// `auto all = world.iallgather(world.rank()); ...; use(all.wait());`
    template <object_to_combine T> [[nodiscard]] auto iallgather(T &&object) const {
        return start_to_gather<operation>(std::forward<T>(object), 0, comm());
    }
    template <fit R> [[nodiscard]] future<> iallgather(lent_in_place_t<R> all) const {
        return move_blocks_in_place<operation>(nonblocking<>{}, all.object, 0, comm());
    }
    /// `auto f = world.iallgather_into(lisle::borrow(mine), lisle::resized(all));`
    template <object_in_memory T, lent_place_to_fill Into>
    [[nodiscard]] future<> iallgather_into(borrowed<T> object, Into into) const {
        return move_blocks_into<operation>(nonblocking<>{}, object.get(), into, 0, comm());
    }
    template <lent_object B, class R>
    [[nodiscard]] persistent allgather_init(B from, borrowed<R> into) const {
        return prepare_to_gather<operation, B>(object_in(from), into, 0, comm());
    }

    /// gatherv() with the result at all ranks: `auto [values, counts] = world.allgatherv(mine);` Short ranges
    /// travel with their counts in one collective; a longer one of any rank takes a second collective.
    template <direct_range R> [[nodiscard]] auto allgatherv(const R &range, known_counts with = {}) const {
        using element = element_of<const R &>;
        agree(comm(), name_of<operation_v>, 0, sizeof(element));
        blocks<element> all;
        if (!with.counts.empty())
            all.counts.assign(with.counts.begin(), with.counts.end());
        else if (gather_short<element>(all, std::ranges::data(range), size_of(comm()), comm(),
                                       std::ranges::size(range)))
            return all;
        return join_ranges<operation_v>(range, std::move(all), 0, comm());
    }
    template <serialised_range R> [[nodiscard]] auto allgatherv(const R &range) const {
        return join(read_each<vector_of<R>>(allgatherv(to_bytes(as_vector(range)))));
    }
    /// In place, with blocks of any sizes, which all ranks know.
    template <buffer_to_fill R> void allgatherv(in_place_t<R> all, known_counts with) const {
        join_in_place<operation_v>(all.object, with.counts, 0, comm());
    }
    /// allgatherv() into memory that exists. Counts that are not given are gathered first; they are
    /// returned.
    template <direct_range R, place_to_fill Into> std::vector<later<MPI_Count, R>>
    allgatherv_into(const R &range, Into &&into, known_counts with = {}) const {
        agree(comm(), name_of<operation_v>, 0, sizeof(element_of<const R &>));
        std::vector<later<MPI_Count, R>> counts(with.counts.begin(), with.counts.end());
        if (counts.empty()) {
            const auto own_count = static_cast<MPI_Count>(std::ranges::size(range));
            counts.resize(static_cast<std::size_t>(size_of(comm())));
            check(MPI_Allgather(&own_count, 1, MPI_COUNT, counts.data(), 1, MPI_COUNT, comm()),
                  "MPI_Allgather");
        }
        join_ranges_into<operation_v>(range, into, counts, 0, comm());
        return counts;
    }
    /// Ranges of any sizes, joined for all. Counts that are not given come with the data.
    template <range_to_own R> [[nodiscard]] auto iallgatherv(R &&range, known_counts with = {}) const {
        return start_to_gatherv<operation_v>(std::forward<R>(range), with.counts, 0, comm());
    }
    template <serialised_range R> [[nodiscard]] auto iallgatherv(R range) const {
        return start_to_gatherv_serialised<operation_v>(std::move(range), 0, comm());
    }

    // ---- with what cannot travel: see detail::unfit ----

    refusal allgather(not_to_collect) const;
    refusal allgather_into(from_memory, any_place) const;
    refusal iallgather(not_to_combine) const;
    refusal iallgather_into(not_in_memory, anything) const;
    refusal allgather_init(unfit, anything) const;
    refusal allgatherv(no_range, known_counts = {}) const;
    refusal allgatherv_into(from_range, any_place, known_counts = {}) const;
    refusal iallgatherv(no_range_to_own, known_counts = {}) const;

  private:
    /// allgatherv() of serialised objects. A rank that cannot write its own tells the others.
    template <class T> auto allgather_bytes(const T &object) const {
        later<byte_buffer, T> bytes;
        const std::exception_ptr thrown = caught([&] { bytes = to_bytes(object); });
        if (!thrown)
            return allgatherv(bytes);
        blocks<later<std::byte, T>> none;
        static_cast<void>(caught([&] {
            gather_short<std::byte>(none, nullptr, size_of(comm()), comm(), failed_size(rank_in(comm())));
        }));
        std::rethrow_exception(thrown);
    }
};

} // namespace lisle::detail
