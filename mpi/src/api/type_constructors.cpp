// SPDX-License-Identifier: Apache-2.0
#include "api/datatype.hpp"
#include "api/type_origin.hpp"
#include "communicator/type_attributes.hpp"
#include "datatype/builder.hpp"
#include "datatype/checked.hpp"

namespace lisle::api {

namespace {

MPI_Count blocklength_at(count_list lengths, MPI_Count index) {
    const MPI_Count length = lengths[index];
    if (length < 0) {
        fail(MPI_ERR_ARG, "array_of_blocklengths[", index, "] is ", length, ", which is negative");
    }
    return length;
}

// `count` blocks of `old` at displacements counted in `unit` bytes; the lengths are `lengths` or, if
// there are none, `length`.
type_part blocks(MPI_Count count, count_list lengths, MPI_Count length, count_list displacements,
                 MPI_Count unit, const datatype &old) {
    require_array(displacements.null(), count, "array_of_displacements");
    type_builder builder;
    for (MPI_Count i = 0; i < count; ++i) {
        builder.add(old.part(), lengths.null() ? length : blocklength_at(lengths, i),
                    checked_product(displacements[i], unit));
    }
    return builder.finish();
}

} // namespace

void type_contiguous(MPI_Count count, const datatype &oldtype, MPI_Datatype *newtype, count_form form) {
    type_builder builder;
    builder.add(oldtype.part(), count);
    origin_notes notes{MPI_COMBINER_CONTIGUOUS, form};
    make_type(builder.finish(), notes.count(count).type(oldtype), newtype);
}

void type_vector(MPI_Count count, MPI_Count blocklength, MPI_Count stride, const datatype &oldtype,
                 MPI_Datatype *newtype, count_form form) {
    type_builder builder;
    builder.add(oldtype.part(), blocklength, 0, count, checked_product(stride, oldtype.extent()));
    origin_notes notes{MPI_COMBINER_VECTOR, form};
    make_type(builder.finish(), notes.count(count).count(blocklength).count(stride).type(oldtype), newtype);
}

void type_create_hvector(MPI_Count count, MPI_Count blocklength, MPI_Count stride, const datatype &oldtype,
                         MPI_Datatype *newtype, count_form form) {
    type_builder builder;
    builder.add(oldtype.part(), blocklength, 0, count, stride);
    origin_notes notes{MPI_COMBINER_HVECTOR, form};
    make_type(builder.finish(), notes.count(count).count(blocklength).address(stride).type(oldtype), newtype);
}

void type_indexed(MPI_Count count, count_list array_of_blocklengths, count_list array_of_displacements,
                  const datatype &oldtype, MPI_Datatype *newtype, count_form form) {
    require_array(array_of_blocklengths.null(), count, "array_of_blocklengths");
    origin_notes notes{MPI_COMBINER_INDEXED, form};
    auto part = blocks(count, array_of_blocklengths, 0, array_of_displacements, oldtype.extent(), oldtype);
    notes.count(count).counts(array_of_blocklengths, count).counts(array_of_displacements, count);
    make_type(std::move(part), notes.type(oldtype), newtype);
}

void type_create_hindexed(MPI_Count count, count_list array_of_blocklengths,
                          count_list array_of_displacements, const datatype &oldtype, MPI_Datatype *newtype,
                          count_form form) {
    require_array(array_of_blocklengths.null(), count, "array_of_blocklengths");
    origin_notes notes{MPI_COMBINER_HINDEXED, form};
    auto part = blocks(count, array_of_blocklengths, 0, array_of_displacements, 1, oldtype);
    notes.count(count).counts(array_of_blocklengths, count).addresses(array_of_displacements, count);
    make_type(std::move(part), notes.type(oldtype), newtype);
}

void type_create_indexed_block(MPI_Count count, MPI_Count blocklength, count_list array_of_displacements,
                               const datatype &oldtype, MPI_Datatype *newtype, count_form form) {
    origin_notes notes{MPI_COMBINER_INDEXED_BLOCK, form};
    auto part = blocks(count, {}, blocklength, array_of_displacements, oldtype.extent(), oldtype);
    notes.count(count).count(blocklength).counts(array_of_displacements, count);
    make_type(std::move(part), notes.type(oldtype), newtype);
}

void type_create_hindexed_block(MPI_Count count, MPI_Count blocklength, count_list array_of_displacements,
                                const datatype &oldtype, MPI_Datatype *newtype, count_form form) {
    origin_notes notes{MPI_COMBINER_HINDEXED_BLOCK, form};
    auto part = blocks(count, {}, blocklength, array_of_displacements, 1, oldtype);
    notes.count(count).count(blocklength).addresses(array_of_displacements, count);
    make_type(std::move(part), notes.type(oldtype), newtype);
}

void type_create_struct(MPI_Count count, count_list array_of_blocklengths, count_list array_of_displacements,
                        const MPI_Datatype *array_of_types, MPI_Datatype *newtype, count_form form) {
    require_array(array_of_blocklengths.null(), count, "array_of_blocklengths");
    require_array(array_of_displacements.null(), count, "array_of_displacements");
    require_array(array_of_types == nullptr, count, "array_of_types");
    origin_notes notes{MPI_COMBINER_STRUCT, form};
    type_builder builder;
    for (MPI_Count i = 0; i < count; ++i) {
        const datatype *const type = find_datatype(array_of_types[i]);
        if (type == nullptr) {
            fail(MPI_ERR_TYPE, "array_of_types[", i, "] is ",
                 array_of_types[i] == MPI_DATATYPE_NULL ? "MPI_DATATYPE_NULL" : "no datatype");
        }
        const MPI_Count length = blocklength_at(array_of_blocklengths, i);
        builder.add(type->part(), length, array_of_displacements[i]);
        notes.type(*type).origin().repetitions.push_back(length);
    }
    notes.count(count).counts(array_of_blocklengths, count).addresses(array_of_displacements, count);
    make_type(builder.finish(), notes, newtype);
}

void type_create_resized(const datatype &oldtype, MPI_Count lb, MPI_Count extent, MPI_Datatype *newtype,
                         count_form form) {
    origin_notes notes{MPI_COMBINER_RESIZED, form};
    make_type(with_bounds(oldtype.part(), lb, extent), notes.address(lb).address(extent).type(oldtype),
              newtype);
}

void type_dup(const datatype &oldtype, MPI_Datatype *newtype) {
    origin_notes notes{MPI_COMBINER_DUP, count_form::small};
    make_type(oldtype.part(), notes.type(oldtype), newtype);
    if (oldtype.committed()) {
        find_datatype(*newtype)->commit();
    }
    try {
        copy_type_attributes(oldtype, *find_datatype(*newtype));
    } catch (...) {
        find_datatype(*newtype)->release();
        *newtype = MPI_DATATYPE_NULL;
        throw;
    }
}

} // namespace lisle::api
