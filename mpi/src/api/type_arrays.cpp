// SPDX-License-Identifier: Apache-2.0
// Types of a part of an array: a box of it (subarray), or what one process holds of it when it is
// distributed over a grid of processes (darray). Both are built dimension by dimension, from the one
// that lies densest in memory outwards; each step's extent is that of a whole slice of the array. And types
// of elements that are counted along a section of an array.
#include <array>
#include <span>
#include <vector>

#include "api/datatype.hpp"
#include "api/extension.hpp"
#include "api/type_origin.hpp"
#include "datatype/array_section.hpp"
#include "datatype/builder.hpp"
#include "datatype/checked.hpp"

namespace lisle::api {

namespace {

void require_order(int order) {
    if (order != MPI_ORDER_C && order != MPI_ORDER_FORTRAN) {
        fail(MPI_ERR_ARG, "order is ", order, ", which is neither MPI_ORDER_C nor MPI_ORDER_FORTRAN");
    }
}

// The dimension at place `step` when going from the densest outwards.
int dimension_at(int step, int ndims, int order) {
    return order == MPI_ORDER_FORTRAN ? step : ndims - 1 - step;
}

// One dimension of a distributed array, as one process sees it: blocks of `block` elements, of which
// every `processes`-th is its own, the first one being number `coordinate`.
struct distribution {
    MPI_Count size, block, processes, coordinate;

    // The part of a dimension whose elements are `element`.
    [[nodiscard]] type_part part_of(const type_part &element) const {
        const MPI_Count extent = element.bounds.extent;
        const MPI_Count whole_blocks = size / block, rest = size % block;
        type_builder builder;
        if (coordinate < whole_blocks) {
            const MPI_Count mine = (whole_blocks - 1 - coordinate) / processes + 1;
            // With one block there is no next one, whose displacement might leave the range.
            const MPI_Count stride =
                mine == 1 ? 0 : checked_product(checked_product(block, processes), extent);
            builder.add(element, block, checked_product(checked_product(coordinate, block), extent), mine,
                        stride);
        }
        if (rest > 0 && whole_blocks % processes == coordinate) {
            builder.add(element, rest, checked_product(checked_product(whole_blocks, block), extent));
        }
        return with_bounds(builder.finish(), 0, checked_product(size, extent));
    }
};

distribution distribution_of(int dimension, MPI_Count size, int kind, int darg, int processes,
                             int coordinate) {
    if (size < 1) {
        fail(MPI_ERR_ARG, "array_of_gsizes[", dimension, "] is ", size, ", which is not positive");
    }
    if (darg != MPI_DISTRIBUTE_DFLT_DARG && darg <= 0 && kind != MPI_DISTRIBUTE_NONE) {
        fail(MPI_ERR_ARG, "array_of_dargs[", dimension, "] is ", darg, ", which is not positive");
    }
    const bool usual = darg == MPI_DISTRIBUTE_DFLT_DARG;
    switch (kind) {
    case MPI_DISTRIBUTE_NONE:
        if (processes != 1) {
            fail(MPI_ERR_ARG, "array_of_psizes[", dimension, "] is ", processes,
                 ", but a dimension that is not distributed has 1 process");
        }
        return {size, size, 1, 0};
    case MPI_DISTRIBUTE_BLOCK: {
        const MPI_Count block = usual ? (size - 1) / processes + 1 : darg;
        if (block < (size - 1) / processes + 1) {
            fail(MPI_ERR_ARG, "array_of_dargs[", dimension, "] is ", darg, ", but ", processes, " blocks of ",
                 darg, " do not cover ", size, " elements");
        }
        return {size, block, processes, coordinate};
    }
    case MPI_DISTRIBUTE_CYCLIC:
        return {size, usual ? 1 : darg, processes, coordinate};
    default:
        fail(MPI_ERR_ARG, "array_of_distribs[", dimension, "] is ", kind, ", which is no distribution");
    }
}

// The process's coordinates in the grid, whose order is always row-major.
std::vector<int> coordinates_of(int rank, int size, int ndims, const int *grid) {
    MPI_Count processes = 1;
    for (int i = 0; i < ndims; ++i) {
        if (grid[i] < 1) {
            fail(MPI_ERR_ARG, "array_of_psizes[", i, "] is ", grid[i], ", which is not positive");
        }
        processes = checked_product(processes, grid[i]);
    }
    if (processes != size) {
        fail(MPI_ERR_ARG, "the process grid has ", processes, " places, but size is ", size);
    }
    std::vector<int> coordinates(static_cast<std::size_t>(ndims));
    for (int i = ndims - 1; i >= 0; --i) {
        coordinates[static_cast<std::size_t>(i)] = rank % grid[i];
        rank /= grid[i];
    }
    return coordinates;
}

} // namespace

void type_create_subarray(int ndims, count_list array_of_sizes, count_list array_of_subsizes,
                          count_list array_of_starts, int order, const datatype &oldtype,
                          MPI_Datatype *newtype, count_form form) {
    if (ndims < 1) {
        fail(MPI_ERR_ARG, "ndims is ", ndims, ", which is not positive");
    }
    require_array(array_of_sizes.null(), ndims, "array_of_sizes");
    require_array(array_of_subsizes.null(), ndims, "array_of_subsizes");
    require_array(array_of_starts.null(), ndims, "array_of_starts");
    require_order(order);
    type_part part = oldtype.part();
    for (int step = 0; step < ndims; ++step) {
        const int i = dimension_at(step, ndims, order);
        const MPI_Count size = array_of_sizes[i], subsize = array_of_subsizes[i], start = array_of_starts[i];
        if (subsize < 1 || subsize > size) {
            fail(MPI_ERR_ARG, "array_of_subsizes[", i, "] is ", subsize, ", which is not in 1..", size);
        }
        if (start < 0 || start > size - subsize) {
            fail(MPI_ERR_ARG, "array_of_starts[", i, "] is ", start, ", which is not in 0..", size - subsize);
        }
        const MPI_Count extent = part.bounds.extent;
        type_builder builder;
        builder.add(part, subsize, checked_product(start, extent));
        part = with_bounds(builder.finish(), 0, checked_product(size, extent));
    }
    origin_notes notes{MPI_COMBINER_SUBARRAY, form};
    notes.integer(ndims).counts(array_of_sizes, ndims).counts(array_of_subsizes, ndims);
    notes.counts(array_of_starts, ndims).integer(order).type(oldtype);
    make_type(std::move(part), notes, newtype);
}

void type_create_darray(int size, int rank, int ndims, count_list array_of_gsizes,
                        const int *array_of_distribs, const int *array_of_dargs, const int *array_of_psizes,
                        int order, const datatype &oldtype, MPI_Datatype *newtype, count_form form) {
    if (size < 1) {
        fail(MPI_ERR_ARG, "size is ", size, ", which is not positive");
    }
    if (rank < 0 || rank >= size) {
        fail(MPI_ERR_ARG, "rank ", rank, " is outside a grid of ", size, " processes");
    }
    if (ndims < 1) {
        fail(MPI_ERR_ARG, "ndims is ", ndims, ", which is not positive");
    }
    require_array(array_of_gsizes.null(), ndims, "array_of_gsizes");
    require_array(array_of_distribs == nullptr, ndims, "array_of_distribs");
    require_array(array_of_dargs == nullptr, ndims, "array_of_dargs");
    require_array(array_of_psizes == nullptr, ndims, "array_of_psizes");
    require_order(order);
    const std::vector<int> coordinates = coordinates_of(rank, size, ndims, array_of_psizes);
    type_part part = oldtype.part();
    for (int step = 0; step < ndims; ++step) {
        const int i = dimension_at(step, ndims, order);
        part = distribution_of(i, array_of_gsizes[i], array_of_distribs[i], array_of_dargs[i],
                               array_of_psizes[i], coordinates[static_cast<std::size_t>(i)])
                   .part_of(part);
    }
    origin_notes notes{MPI_COMBINER_DARRAY, form};
    notes.integer(size).integer(rank).integer(ndims).counts(array_of_gsizes, ndims);
    notes.integers(array_of_distribs, ndims).integers(array_of_dargs, ndims).integers(array_of_psizes, ndims);
    notes.integer(order).type(oldtype);
    make_type(std::move(part), notes, newtype);
}

void type_create_section(MPI_Count blocks, MPI_Count count, const datatype &oldtype, int ndims,
                         count_list array_of_sizes, count_list array_of_strides, MPI_Count element_bytes,
                         MPI_Datatype *newtype) {
    constexpr int most_dimensions = 15; // that a Fortran array can have
    if (ndims > most_dimensions) {
        fail(MPI_ERR_ARG, "ndims is ", ndims, ", more than ", most_dimensions);
    }
    require_array(array_of_sizes.null(), ndims, "array_of_sizes");
    require_array(array_of_strides.null(), ndims, "array_of_strides");
    std::array<MPI_Count, most_dimensions> sizes{}, strides{};
    for (std::size_t i = 0; i < static_cast<std::size_t>(ndims); ++i) {
        sizes[i] = array_of_sizes[i];
        strides[i] = array_of_strides[i];
        if (sizes[i] < 0) {
            fail(MPI_ERR_ARG, "array_of_sizes[", i, "] is ", sizes[i], ", which is negative");
        }
    }
    const auto dimensions = static_cast<std::size_t>(ndims);
    const array_section section{element_bytes, std::span{sizes}.first(dimensions),
                                std::span{strides}.first(dimensions)};
    auto part = part_in_section(oldtype.part(), count, blocks, section);
    if (!part) {
        *newtype = MPI_DATATYPE_NULL;
        return;
    }
    origin_notes notes{MPIX_COMBINER_SECTION, count_form::large};
    notes.integer(ndims).count(blocks).count(count).count(element_bytes);
    notes.counts(array_of_sizes, ndims).addresses(array_of_strides, ndims).type(oldtype);
    make_type(std::move(*part), notes, newtype);
    if (oldtype.committed()) {
        find_datatype(*newtype)->commit();
    }
}

} // namespace lisle::api
