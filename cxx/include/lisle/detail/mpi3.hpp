// SPDX-License-Identifier: Apache-2.0
// What MPI 3.1 lacks of what these headers call: functions with counts of type MPI_Count, and a few more.
// Empty where mpi.h has them. Each is an object in namespace lisle of the function's name, which the headers
// find before all else of that name. A count above that of an int becomes a datatype of that many elements.
// What cannot be done with MPI 3.1 throws MPI_ERR_COUNT and says so; docs/cpp.md lists it.
#pragma once

#include "lisle/detail/config.hpp"

#if !LISLE_USE_MPI_3

namespace lisle::detail {

/// A list of counts or offsets as MPI takes it: as it is.
struct numbers_of_mpi {
    template <class List> static auto of(const List &numbers) noexcept { return numbers.data(); }
};

} // namespace lisle::detail

#else

#include <limits>
#include <vector>

#include "lisle/detail/error.hpp"

// Tests have every longer message go as a datatype of its elements.
#ifndef LISLE_MPI_3_MOST
#define LISLE_MPI_3_MOST (std::numeric_limits<int>::max())
#endif

namespace lisle {

namespace detail {

/// A number as MPI 3.1 takes it. Throws if it is too large.
inline int narrow(MPI_Count number) {
    if (number > std::numeric_limits<int>::max() || number < std::numeric_limits<int>::min()) [[unlikely]]
        raise(MPI_ERR_COUNT, "lisle::collectives",
              {{"number", number}, {"most", std::numeric_limits<int>::max()}},
              "MPI 3.1 has an int for this count or offset; MPI 4.0 has functions that take it");
    return static_cast<int>(number);
}

/// A list of counts or offsets as MPI takes it: as ints, which live as long as this object.
class numbers_of_mpi {
  public:
    template <class List> const int *of(const List &numbers) {
        narrow_.clear();
        for (const auto number : numbers)
            narrow_.push_back(narrow(number));
        return narrow_.data();
    }

  private:
    std::vector<int> narrow_;
};

/// So many elements of a type, as an int and a type.
class int_count {
  public:
    int_count(MPI_Count count, MPI_Datatype type) : type_{type} {
        if (count <= LISLE_MPI_3_MOST) [[likely]]
            count_ = static_cast<int>(count);
        else
            type_ = made_ = all_of(count, type);
    }
    int_count(const int_count &) = delete;
    int_count &operator=(const int_count &) = delete;
    ~int_count() {
        if (made_ != MPI_DATATYPE_NULL)
            MPI_Type_free(&made_); // operations under way keep it [MPI-3.1 4.1.9]
    }
    [[nodiscard]] int count() const noexcept { return count_; }
    [[nodiscard]] MPI_Datatype type() const noexcept { return type_; }

  private:
    /// Blocks of as many elements as an int can count, and the rest.
    static MPI_Datatype all_of(MPI_Count count, MPI_Datatype type) {
        constexpr int most = LISLE_MPI_3_MOST;
        MPI_Aint lowest = 0;
        MPI_Aint extent = 0;
        check(MPI_Type_get_extent(type, &lowest, &extent), "MPI_Type_get_extent");
        MPI_Datatype block = MPI_DATATYPE_NULL;
        MPI_Datatype blocks = MPI_DATATYPE_NULL;
        MPI_Datatype together = MPI_DATATYPE_NULL;
        MPI_Datatype all = MPI_DATATYPE_NULL;
        check(MPI_Type_contiguous(most, type, &block), "MPI_Type_contiguous");
        check(MPI_Type_contiguous(static_cast<int>(count / most), block, &blocks), "MPI_Type_contiguous");
        const int lengths[]{1, static_cast<int>(count % most)};
        const MPI_Aint offsets[]{0, static_cast<MPI_Aint>(count - count % most) * extent};
        const MPI_Datatype types[]{blocks, type};
        check(MPI_Type_create_struct(2, lengths, offsets, types, &together), "MPI_Type_create_struct");
        // The compiler's padding, which a struct has, is none of an array.
        check(MPI_Type_create_resized(together, lowest, static_cast<MPI_Aint>(count) * extent, &all),
              "MPI_Type_create_resized");
        check(MPI_Type_commit(&all), "MPI_Type_commit");
        MPI_Type_free(&block);
        MPI_Type_free(&blocks);
        MPI_Type_free(&together);
        return all;
    }

    int count_ = 1;
    MPI_Datatype type_;
    MPI_Datatype made_ = MPI_DATATYPE_NULL;
};

// ---- a function of MPI 3.1 with counts of MPI 4: by the order of its arguments ----

/// Address, count and type come first.
template <auto Function> struct counts_once;
template <class A, class... Rest, int (*Function)(A, int, MPI_Datatype, Rest...)>
struct counts_once<Function> {
    static int call(A address, MPI_Count count, MPI_Datatype type, Rest... rest) {
        const int_count some{count, type};
        return Function(address, some.count(), some.type(), rest...);
    }
};

/// What is sent, then what is received.
template <auto Function> struct counts_twice;
template <class A, class B, class... Rest,
          int (*Function)(A, int, MPI_Datatype, B, int, MPI_Datatype, Rest...)>
struct counts_twice<Function> {
    static int call(A from, MPI_Count sent, MPI_Datatype sent_type, B to, MPI_Count received,
                    MPI_Datatype received_type, Rest... rest) {
        const int_count out{sent, sent_type};
        const int_count in{received, received_type};
        return Function(from, out.count(), out.type(), to, in.count(), in.type(), rest...);
    }
};

/// What is sent, with a rank and a tag, then what is received.
template <auto Function> struct counts_of_exchange;
template <class A, class B, class... Rest,
          int (*Function)(A, int, MPI_Datatype, int, int, B, int, MPI_Datatype, Rest...)>
struct counts_of_exchange<Function> {
    static int call(A from, MPI_Count sent, MPI_Datatype sent_type, int dest, int tag, B to,
                    MPI_Count received, MPI_Datatype received_type, Rest... rest) {
        const int_count out{sent, sent_type};
        const int_count in{received, received_type};
        return Function(from, out.count(), out.type(), dest, tag, to, in.count(), in.type(), rest...);
    }
};

/// Lists, which numbers_of_mpi has made, then what is received: scatterv.
template <auto Function> struct counts_last;
template <class A, class B, class... Rest,
          int (*Function)(A, const int *, const int *, MPI_Datatype, B, int, MPI_Datatype, Rest...)>
struct counts_last<Function> {
    static int call(A from, const int *counts, const int *offsets, MPI_Datatype sent_type, B to,
                    MPI_Count received, MPI_Datatype received_type, Rest... rest) {
        const int_count in{received, received_type};
        return Function(from, counts, offsets, sent_type, to, in.count(), in.type(), rest...);
    }
};

/// Elements that are combined, which a datatype of them all cannot be: as many at a time as an int can count.
template <auto Function> struct counts_in_parts;
template <class... Rest, int (*Function)(const void *, void *, int, MPI_Datatype, MPI_Op, Rest...)>
struct counts_in_parts<Function> {
    static int call(const void *from, void *to, MPI_Count count, MPI_Datatype type, MPI_Op op, Rest... rest) {
        MPI_Aint lowest = 0;
        MPI_Aint extent = 0;
        int code = count <= LISLE_MPI_3_MOST ? MPI_SUCCESS : MPI_Type_get_extent(type, &lowest, &extent);
        for (MPI_Count begin = 0; code == MPI_SUCCESS && (begin == 0 || begin < count);
             begin += LISLE_MPI_3_MOST) {
            const MPI_Count part = count - begin < LISLE_MPI_3_MOST ? count - begin : LISLE_MPI_3_MOST;
            const MPI_Aint offset = static_cast<MPI_Aint>(begin) * extent;
            code = Function(
                from == nullptr || from == MPI_IN_PLACE ? from : static_cast<const char *>(from) + offset,
                to == nullptr ? to : static_cast<char *>(to) + offset, static_cast<int>(part), type, op,
                rest...);
        }
        return code;
    }
};

/// The same where parts could not be done one after the other.
template <auto Function> struct counts_within_int;
template <class... Rest, int (*Function)(const void *, void *, int, MPI_Datatype, MPI_Op, Rest...)>
struct counts_within_int<Function> {
    static int call(const void *from, void *to, MPI_Count count, MPI_Datatype type, MPI_Op op, Rest... rest) {
        return Function(from, to, narrow(count), type, op, rest...);
    }
};

/// One-sided: what is here, and what is there.
template <auto Function> struct counts_at_target;
template <class A, class... Rest,
          int (*Function)(A, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype, Rest...)>
struct counts_at_target<Function> {
    static int call(A here, MPI_Count count, MPI_Datatype type, int rank, MPI_Aint at, MPI_Count target_count,
                    MPI_Datatype target_type, Rest... rest) {
        const int_count own{count, type};
        const int_count target{target_count, target_type};
        return Function(here, own.count(), own.type(), rank, at, target.count(), target.type(), rest...);
    }
};

/// A file, perhaps an offset, and what is read or written.
template <auto Function> struct counts_of_file;
template <class A, class Last, int (*Function)(MPI_File, MPI_Offset, A, int, MPI_Datatype, Last)>
struct counts_of_file<Function> {
    static int call(MPI_File file, MPI_Offset at, A address, MPI_Count count, MPI_Datatype type, Last last) {
        const int_count some{count, type};
        return Function(file, at, address, some.count(), some.type(), last);
    }
};
template <class A, class Last, int (*Function)(MPI_File, A, int, MPI_Datatype, Last)>
struct counts_of_file<Function> {
    static int call(MPI_File file, A address, MPI_Count count, MPI_Datatype type, Last last) {
        const int_count some{count, type};
        return Function(file, address, some.count(), some.type(), last);
    }
};

/// Stands for a function that prepares a collective operation for many rounds, as MPI 3.1 cannot: each round
/// begins a non-blocking one instead (collective/form.hpp).
inline constexpr int (*begun_anew)() = nullptr;

/// Elements of a type in what a status tells.
inline int elements_of(const MPI_Status *ended, MPI_Datatype type, MPI_Count *elements) {
    int few = 0;
    const int code = MPI_Get_count(ended, type, &few);
    *elements = few;
    MPI_Count bytes = 0;
    MPI_Count size = 0;
    if (code != MPI_SUCCESS || few != MPI_UNDEFINED ||
        MPI_Get_elements_x(ended, MPI_BYTE, &bytes) != MPI_SUCCESS ||
        MPI_Type_size_x(type, &size) != MPI_SUCCESS || size == 0 || bytes % size != 0)
        return code;
    *elements = bytes / size;
    return code;
}

inline int create_struct(MPI_Count count, const MPI_Count *lengths, const MPI_Count *offsets,
                         const MPI_Datatype *types, MPI_Datatype *made) {
    std::vector<int> narrow_lengths;
    std::vector<MPI_Aint> addresses;
    for (MPI_Count i = 0; i < count; ++i) {
        narrow_lengths.push_back(narrow(lengths[i]));
        addresses.push_back(static_cast<MPI_Aint>(offsets[i]));
    }
    return MPI_Type_create_struct(narrow(count), narrow_lengths.data(), addresses.data(), types, made);
}
inline int create_hindexed(MPI_Count count, const MPI_Count *lengths, const MPI_Count *offsets,
                           MPI_Datatype type, MPI_Datatype *made) {
    const std::vector<MPI_Datatype> types(static_cast<std::size_t>(count), type);
    return create_struct(count, lengths, offsets, types.data(), made);
}
inline int create_hvector(MPI_Count count, MPI_Count length, MPI_Count stride, MPI_Datatype type,
                          MPI_Datatype *made) {
    return MPI_Type_create_hvector(narrow(count), narrow(length), static_cast<MPI_Aint>(stride), type, made);
}
inline int create_contiguous(MPI_Count count, MPI_Datatype type, MPI_Datatype *made) {
    const int_count all{count, type};
    return MPI_Type_contiguous(all.count(), all.type(), made);
}
inline int create_subarray(int dimensions, const MPI_Count *whole, const MPI_Count *part,
                           const MPI_Count *first, int order, MPI_Datatype type, MPI_Datatype *made) {
    std::vector<int> numbers;
    for (const MPI_Count *const list : {whole, part, first})
        for (int i = 0; i < dimensions; ++i)
            numbers.push_back(narrow(list[i]));
    const int *const all = numbers.data();
    return MPI_Type_create_subarray(dimensions, all, all + dimensions, all + 2 * dimensions, order, type,
                                    made);
}
/// The length is that with the zero at the end, for which the value has room; 0 asks for it.
inline int get_hint(MPI_Info hints, const char *key, int *length, char *value, int *found) {
    if (*length != 0)
        return MPI_Info_get(hints, key, *length - 1, value, found);
    const int code = MPI_Info_get_valuelen(hints, key, length, found);
    ++*length;
    return code;
}

} // namespace detail

// ---- messages ----

inline constexpr auto MPI_Send_c = detail::counts_once<MPI_Send>::call;
inline constexpr auto MPI_Ssend_c = detail::counts_once<MPI_Ssend>::call;
inline constexpr auto MPI_Isend_c = detail::counts_once<MPI_Isend>::call;
inline constexpr auto MPI_Issend_c = detail::counts_once<MPI_Issend>::call;
inline constexpr auto MPI_Send_init_c = detail::counts_once<MPI_Send_init>::call;
inline constexpr auto MPI_Recv_c = detail::counts_once<MPI_Recv>::call;
inline constexpr auto MPI_Irecv_c = detail::counts_once<MPI_Irecv>::call;
inline constexpr auto MPI_Recv_init_c = detail::counts_once<MPI_Recv_init>::call;
inline constexpr auto MPI_Mrecv_c = detail::counts_once<MPI_Mrecv>::call;
inline constexpr auto MPI_Imrecv_c = detail::counts_once<MPI_Imrecv>::call;
inline constexpr auto MPI_Sendrecv_c = detail::counts_of_exchange<MPI_Sendrecv>::call;
inline constexpr auto MPI_Sendrecv_replace_c = detail::counts_once<MPI_Sendrecv_replace>::call;
inline constexpr auto MPI_Get_count_c = detail::elements_of;
inline constexpr auto MPI_Get_elements_c = MPI_Get_elements_x;

// ---- datatypes and hints ----

inline constexpr auto MPI_Type_size_c = MPI_Type_size_x;
inline constexpr auto MPI_Type_contiguous_c = detail::create_contiguous;
inline constexpr auto MPI_Type_create_struct_c = detail::create_struct;
inline constexpr auto MPI_Type_create_hindexed_c = detail::create_hindexed;
inline constexpr auto MPI_Type_create_hvector_c = detail::create_hvector;
inline constexpr auto MPI_Type_create_resized_c = MPI_Type_create_resized;
inline constexpr auto MPI_Type_create_subarray_c = detail::create_subarray;
inline constexpr auto MPI_Info_get_string = detail::get_hint;

// ---- collective operations; lists are ints already ----

inline constexpr auto MPI_Bcast_c = detail::counts_once<MPI_Bcast>::call;
inline constexpr auto MPI_Ibcast_c = detail::counts_once<MPI_Ibcast>::call;
inline constexpr auto MPI_Gather_c = detail::counts_twice<MPI_Gather>::call;
inline constexpr auto MPI_Igather_c = detail::counts_twice<MPI_Igather>::call;
inline constexpr auto MPI_Gatherv_c = detail::counts_once<MPI_Gatherv>::call;
inline constexpr auto MPI_Igatherv_c = detail::counts_once<MPI_Igatherv>::call;
inline constexpr auto MPI_Allgather_c = detail::counts_twice<MPI_Allgather>::call;
inline constexpr auto MPI_Iallgather_c = detail::counts_twice<MPI_Iallgather>::call;
inline constexpr auto MPI_Allgatherv_c = detail::counts_once<MPI_Allgatherv>::call;
inline constexpr auto MPI_Iallgatherv_c = detail::counts_once<MPI_Iallgatherv>::call;
inline constexpr auto MPI_Scatter_c = detail::counts_twice<MPI_Scatter>::call;
inline constexpr auto MPI_Iscatter_c = detail::counts_twice<MPI_Iscatter>::call;
inline constexpr auto MPI_Scatterv_c = detail::counts_last<MPI_Scatterv>::call;
inline constexpr auto MPI_Iscatterv_c = detail::counts_last<MPI_Iscatterv>::call;
inline constexpr auto MPI_Alltoall_c = detail::counts_twice<MPI_Alltoall>::call;
inline constexpr auto MPI_Ialltoall_c = detail::counts_twice<MPI_Ialltoall>::call;
inline constexpr auto MPI_Alltoallv_c = MPI_Alltoallv;
inline constexpr auto MPI_Ialltoallv_c = MPI_Ialltoallv;
inline constexpr auto MPI_Alltoallw_c = MPI_Alltoallw;
inline constexpr auto MPI_Ialltoallw_c = MPI_Ialltoallw;
inline constexpr auto MPI_Neighbor_allgather_c = detail::counts_twice<MPI_Neighbor_allgather>::call;
inline constexpr auto MPI_Ineighbor_allgather_c = detail::counts_twice<MPI_Ineighbor_allgather>::call;
inline constexpr auto MPI_Neighbor_allgatherv_c = detail::counts_once<MPI_Neighbor_allgatherv>::call;
inline constexpr auto MPI_Ineighbor_allgatherv_c = detail::counts_once<MPI_Ineighbor_allgatherv>::call;
inline constexpr auto MPI_Neighbor_alltoall_c = detail::counts_twice<MPI_Neighbor_alltoall>::call;
inline constexpr auto MPI_Ineighbor_alltoall_c = detail::counts_twice<MPI_Ineighbor_alltoall>::call;
inline constexpr auto MPI_Neighbor_alltoallv_c = MPI_Neighbor_alltoallv;
inline constexpr auto MPI_Ineighbor_alltoallv_c = MPI_Ineighbor_alltoallv;
inline constexpr auto MPI_Neighbor_alltoallw_c = MPI_Neighbor_alltoallw;

// ---- reductions ----

inline constexpr auto MPI_Op_create_c = MPI_Op_create; // of a function with an int
inline constexpr auto MPI_Reduce_local_c = detail::counts_in_parts<MPI_Reduce_local>::call;
inline constexpr auto MPI_Reduce_c = detail::counts_in_parts<MPI_Reduce>::call;
inline constexpr auto MPI_Ireduce_c = detail::counts_within_int<MPI_Ireduce>::call;
inline constexpr auto MPI_Allreduce_c = detail::counts_in_parts<MPI_Allreduce>::call;
inline constexpr auto MPI_Iallreduce_c = detail::counts_within_int<MPI_Iallreduce>::call;
inline constexpr auto MPI_Scan_c = detail::counts_in_parts<MPI_Scan>::call;
inline constexpr auto MPI_Iscan_c = detail::counts_within_int<MPI_Iscan>::call;
inline constexpr auto MPI_Exscan_c = detail::counts_in_parts<MPI_Exscan>::call;
inline constexpr auto MPI_Iexscan_c = detail::counts_within_int<MPI_Iexscan>::call;
inline constexpr auto MPI_Reduce_scatter_c = MPI_Reduce_scatter;
inline constexpr auto MPI_Reduce_scatter_block_c = detail::counts_within_int<MPI_Reduce_scatter_block>::call;
inline constexpr auto MPI_Ireduce_scatter_block_c =
    detail::counts_within_int<MPI_Ireduce_scatter_block>::call;

// ---- for many rounds ----

inline constexpr auto MPI_Barrier_init = detail::begun_anew;
inline constexpr auto MPI_Bcast_init_c = detail::begun_anew;
inline constexpr auto MPI_Gather_init_c = detail::begun_anew;
inline constexpr auto MPI_Gatherv_init_c = detail::begun_anew;
inline constexpr auto MPI_Allgather_init_c = detail::begun_anew;
inline constexpr auto MPI_Allgatherv_init_c = detail::begun_anew;
inline constexpr auto MPI_Scatter_init_c = detail::begun_anew;
inline constexpr auto MPI_Scatterv_init_c = detail::begun_anew;
inline constexpr auto MPI_Alltoall_init_c = detail::begun_anew;
inline constexpr auto MPI_Alltoallv_init_c = detail::begun_anew;
inline constexpr auto MPI_Reduce_init_c = detail::begun_anew;
inline constexpr auto MPI_Allreduce_init_c = detail::begun_anew;
inline constexpr auto MPI_Scan_init_c = detail::begun_anew;
inline constexpr auto MPI_Exscan_init_c = detail::begun_anew;
inline constexpr auto MPI_Reduce_scatter_block_init_c = detail::begun_anew;
inline constexpr auto MPI_Neighbor_allgather_init_c = detail::begun_anew;
inline constexpr auto MPI_Neighbor_allgatherv_init_c = detail::begun_anew;
inline constexpr auto MPI_Neighbor_alltoall_init_c = detail::begun_anew;
inline constexpr auto MPI_Neighbor_alltoallv_init_c = detail::begun_anew;

// ---- windows and files ----

inline constexpr auto MPI_Put_c = detail::counts_at_target<MPI_Put>::call;
inline constexpr auto MPI_Get_c = detail::counts_at_target<MPI_Get>::call;
inline constexpr auto MPI_Accumulate_c = detail::counts_at_target<MPI_Accumulate>::call;
inline constexpr auto MPI_File_write_at_c = detail::counts_of_file<MPI_File_write_at>::call;
inline constexpr auto MPI_File_write_at_all_c = detail::counts_of_file<MPI_File_write_at_all>::call;
inline constexpr auto MPI_File_write_ordered_c = detail::counts_of_file<MPI_File_write_ordered>::call;
inline constexpr auto MPI_File_read_at_c = detail::counts_of_file<MPI_File_read_at>::call;
inline constexpr auto MPI_File_read_at_all_c = detail::counts_of_file<MPI_File_read_at_all>::call;
inline constexpr auto MPI_File_iwrite_at_c = detail::counts_of_file<MPI_File_iwrite_at>::call;
inline constexpr auto MPI_File_iread_at_c = detail::counts_of_file<MPI_File_iread_at>::call;

} // namespace lisle

#endif
