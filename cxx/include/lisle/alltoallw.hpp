// SPDX-License-Identifier: Apache-2.0
// The exchange in which every pair of ranks has a type of its own: pieces of matrices, fields of different
// classes, each where it lies.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "lisle/topology.hpp"

namespace lisle {

/// One object for each rank (or neighbour), of any types that lie in memory: what alltoallw() sends from or
/// receives into. The objects must live until the exchange is over.
class buffer_list {
  public:
    /// Adds the object of the next rank. The datatype of a strided view is kept here.
    template <class T>
    requires direct_buffer<T &>
    void add(T &object) {
        auto data = as_buffer(object);
        if constexpr (requires { data.owner; })
            owners_.push_back(std::move(data.owner));
        add_described(data);
        writable_ = writable_ && writable_buffer<T &>;
    }
    /// A view may be a temporary: only its elements have to live.
    template <class T>
    requires multidimensional_view<T>
    void add(const T &&view) { add(view); }
    /// Adds nothing for the next rank: no data go to it, or come from it.
    void add_nothing() { add_described({nullptr, 0, MPI_BYTE}); }
    /// How many parts the list has.
    [[nodiscard]] std::size_t size() const noexcept { return counts_.size(); }

    // The arguments of the MPI functions below.
    /// How many elements each part has.
    [[nodiscard]] const MPI_Count *counts() const noexcept { return counts_.data(); }
    /// Where each part lies, as MPI_Alltoallw takes it with MPI_BOTTOM.
    [[nodiscard]] const MPI_Aint *addresses() const noexcept { return addresses_.data(); }
    /// The datatype of each part.
    [[nodiscard]] const MPI_Datatype *types() const noexcept { return types_.data(); }
    /// True if all parts may be received into.
    [[nodiscard]] bool writable() const noexcept { return writable_; }

  private:
    void add_described(const buffer &data) {
        MPI_Aint address = 0;
        detail::check(MPI_Get_address(data.address, &address), "MPI_Get_address");
        addresses_.push_back(address);
        counts_.push_back(data.count);
        types_.push_back(data.type);
    }

    std::vector<MPI_Count> counts_;
    std::vector<MPI_Aint> addresses_;
    std::vector<MPI_Datatype> types_;
    std::vector<owned<datatype>> owners_;
    bool writable_ = true;
};

namespace detail {

inline void require_list(const buffer_list &list, std::size_t needed, const char *call,
                         const char *sentence) {
    if (list.size() != needed)
        raise_final(
            MPI_ERR_COUNT, call,
            {{"objects", static_cast<long long>(list.size())}, {"needed", static_cast<long long>(needed)}},
            sentence);
}
inline void require_fitting(const buffer_list &out, std::size_t to, const buffer_list &in, std::size_t from,
                            const char *call) {
    require_list(out, to, call, "the list to send must have one object for each destination");
    require_list(in, from, call, "the list to receive must have one object for each source");
    if (!in.writable())
        raise_final(MPI_ERR_BUFFER, call, {}, "an object in the list to receive is const");
}

#if LISLE_USE_MPI_3

/// A list as MPI 3.1 takes it: each object is one of a type that begins at its address and has all of its
/// elements.
class list_of_mpi {
  public:
    explicit list_of_mpi(const buffer_list &list)
        : counts_(list.size(), 1), offsets_(list.size(), 0), addresses_(list.size(), 0) {
        for (std::size_t i = 0; i < list.size(); ++i) {
            const int_count all{list.counts()[i], list.types()[i]};
            const int count = all.count();
            const MPI_Datatype type = all.type();
            MPI_Datatype made = MPI_DATATYPE_NULL;
            check(MPI_Type_create_struct(1, &count, list.addresses() + i, &type, &made),
                  "MPI_Type_create_struct");
            owners_.emplace_back(made);
            check(MPI_Type_commit(&made), "MPI_Type_commit");
            types_.push_back(made);
        }
    }
    [[nodiscard]] const int *counts() const noexcept { return counts_.data(); }
    [[nodiscard]] const int *offsets() const noexcept { return offsets_.data(); }
    [[nodiscard]] const MPI_Aint *addresses() const noexcept { return addresses_.data(); }
    [[nodiscard]] const MPI_Datatype *types() const noexcept { return types_.data(); }

  private:
    std::vector<int> counts_;
    std::vector<int> offsets_;
    std::vector<MPI_Aint> addresses_; ///< offsets among neighbours
    std::vector<MPI_Datatype> types_;
    std::vector<owned<datatype>> owners_;
};

#else

/// A list as MPI takes it.
class list_of_mpi {
  public:
    explicit list_of_mpi(const buffer_list &list) noexcept : list_{list} {}
    [[nodiscard]] const MPI_Count *counts() const noexcept { return list_.counts(); }
    [[nodiscard]] const MPI_Aint *offsets() const noexcept { return list_.addresses(); }
    [[nodiscard]] const MPI_Aint *addresses() const noexcept { return list_.addresses(); }
    [[nodiscard]] const MPI_Datatype *types() const noexcept { return list_.types(); }

  private:
    const buffer_list &list_;
};

#endif

/// The lists of an exchange under way, which MPI reads until the end.
class listed_exchange final : public result_of<buffer_list> {
  public:
    listed_exchange(buffer_list &&to_send, buffer_list &&to_receive)
        : out_{std::move(to_send)}, in_{std::move(to_receive)}, out{out_}, in{in_} {}
    buffer_list take(const status &) override { return std::move(in_); }

  private:
    buffer_list out_;
    buffer_list in_;

  public:
    list_of_mpi out;
    list_of_mpi in;
};

} // namespace detail

/// Sends the i-th object of `out` to rank i and receives the i-th of `in` from it. The object that a rank
/// sends and the one that the other receives have the same type signature. Collective. [6.8]
///
///     lisle::buffer_list columns, rows;
///     for (int other = 0; other < size; ++other) {
///         columns.add(lisle::strided{&mine[0][other * width], {height, width}, {size * width, 1}});
///         rows.add(blocks[other]);
///     }
///     lisle::alltoallw(world, columns, rows);
inline void alltoallw(const communicator &comm, const buffer_list &out, const buffer_list &in) {
    const auto ranks = static_cast<std::size_t>(comm.size());
    detail::require_fitting(out, ranks, in, ranks, "lisle::alltoallw");
    const detail::list_of_mpi from{out};
    const detail::list_of_mpi to{in};
    detail::check(MPI_Alltoallw_c(MPI_BOTTOM, from.counts(), from.offsets(), from.types(), MPI_BOTTOM,
                                  to.counts(), to.offsets(), to.types(), comm.native()),
                  "MPI_Alltoallw");
}
/// Non-blocking alltoallw(). The future gives the list of received objects.
[[nodiscard]] inline future<buffer_list> ialltoallw(const communicator &comm, buffer_list out,
                                                    buffer_list in) {
    const auto ranks = static_cast<std::size_t>(comm.size());
    detail::require_fitting(out, ranks, in, ranks, "lisle::ialltoallw");
    auto owner = std::make_unique<detail::listed_exchange>(std::move(out), std::move(in));
    MPI_Request request = MPI_REQUEST_NULL;
    detail::check(MPI_Ialltoallw_c(MPI_BOTTOM, owner->out.counts(), owner->out.offsets(), owner->out.types(),
                                   MPI_BOTTOM, owner->in.counts(), owner->in.offsets(), owner->in.types(),
                                   comm.native(), &request),
                  "MPI_Ialltoallw");
    return future<buffer_list>{request, std::move(owner)};
}
/// alltoallw() among neighbours: an object for each destination, one from each source. [8.6]
inline void neighbor_alltoallw(const topology &comm, const buffer_list &out, const buffer_list &in) {
    const auto [sources, destinations] = comm.degrees();
    detail::require_fitting(out, destinations, in, sources, "lisle::neighbor_alltoallw");
    const detail::list_of_mpi from{out};
    const detail::list_of_mpi to{in};
    detail::check(MPI_Neighbor_alltoallw_c(MPI_BOTTOM, from.counts(), from.addresses(), from.types(),
                                           MPI_BOTTOM, to.counts(), to.addresses(), to.types(),
                                           comm.native()),
                  "MPI_Neighbor_alltoallw");
}

} // namespace lisle
