// SPDX-License-Identifier: Apache-2.0
// The calls of the standard's chapter on datatypes but for attributes. Beyond the general mapping,
// constructors are told which form of the call the user made, because MPI_Type_get_envelope and
// _contents tell it.
#pragma once

#include "datatype/count_list.hpp"
#include "datatype/datatype.hpp"

namespace lisle {

class communicator;

/// The form of a call: MPI_X with int counts, or MPI_X_c with MPI_Count.
enum class count_form : unsigned char { small, large };

} // namespace lisle

namespace lisle::api {

// Addresses.
MPI_Aint aint_add(MPI_Aint base, MPI_Aint disp) noexcept;
MPI_Aint aint_diff(MPI_Aint addr1, MPI_Aint addr2) noexcept;
void get_address(const void *location, MPI_Aint *address);

// Constructors (type_constructors.cpp).
void type_contiguous(MPI_Count count, const datatype &oldtype, MPI_Datatype *newtype, count_form form);
void type_vector(MPI_Count count, MPI_Count blocklength, MPI_Count stride, const datatype &oldtype,
                 MPI_Datatype *newtype, count_form form);
void type_create_hvector(MPI_Count count, MPI_Count blocklength, MPI_Count stride, const datatype &oldtype,
                         MPI_Datatype *newtype, count_form form);
void type_indexed(MPI_Count count, count_list array_of_blocklengths, count_list array_of_displacements,
                  const datatype &oldtype, MPI_Datatype *newtype, count_form form);
void type_create_hindexed(MPI_Count count, count_list array_of_blocklengths,
                          count_list array_of_displacements, const datatype &oldtype, MPI_Datatype *newtype,
                          count_form form);
void type_create_indexed_block(MPI_Count count, MPI_Count blocklength, count_list array_of_displacements,
                               const datatype &oldtype, MPI_Datatype *newtype, count_form form);
void type_create_hindexed_block(MPI_Count count, MPI_Count blocklength, count_list array_of_displacements,
                                const datatype &oldtype, MPI_Datatype *newtype, count_form form);
void type_create_struct(MPI_Count count, count_list array_of_blocklengths, count_list array_of_displacements,
                        const MPI_Datatype *array_of_types, MPI_Datatype *newtype, count_form form);
void type_create_resized(const datatype &oldtype, MPI_Count lb, MPI_Count extent, MPI_Datatype *newtype,
                         count_form form);
void type_dup(const datatype &oldtype, MPI_Datatype *newtype);

// Constructors of parts of arrays (type_arrays.cpp).
void type_create_subarray(int ndims, count_list array_of_sizes, count_list array_of_subsizes,
                          count_list array_of_starts, int order, const datatype &oldtype,
                          MPI_Datatype *newtype, count_form form);
void type_create_darray(int size, int rank, int ndims, count_list array_of_gsizes,
                        const int *array_of_distribs, const int *array_of_dargs, const int *array_of_psizes,
                        int order, const datatype &oldtype, MPI_Datatype *newtype, count_form form);

// Types found by what they hold (type_queries.cpp).
void type_create_f90_integer(int r, MPI_Datatype *newtype);
void type_create_f90_real(int p, int r, MPI_Datatype *newtype);
void type_create_f90_complex(int p, int r, MPI_Datatype *newtype);
void type_match_size(int typeclass, int size, MPI_Datatype *datatype);
void type_get_value_index(const datatype &value_type, const datatype &index_type, MPI_Datatype *pair_type);

// Life and properties (datatype.cpp).
void type_commit(MPI_Datatype *datatype);
void type_free(MPI_Datatype *datatype);
void type_size(const datatype &datatype, MPI_Count &size);
void type_size_x(const datatype &datatype, MPI_Count *size);
void type_get_extent(const datatype &datatype, MPI_Count &lb, MPI_Count &extent);
void type_get_extent_x(const datatype &datatype, MPI_Count *lb, MPI_Count *extent);
void type_get_true_extent(const datatype &datatype, MPI_Count &true_lb, MPI_Count &true_extent);
void type_get_true_extent_x(const datatype &datatype, MPI_Count *true_lb, MPI_Count *true_extent);
void type_set_name(const datatype &datatype, const char *type_name);
void type_get_name(const datatype *datatype, char *type_name, int *resultlen);
void type_get_envelope(const datatype &datatype, MPI_Count &num_integers, MPI_Count &num_addresses,
                       MPI_Count &num_datatypes, int *combiner);
void type_get_envelope_c(const datatype &datatype, MPI_Count &num_integers, MPI_Count &num_addresses,
                         MPI_Count &num_large_counts, MPI_Count &num_datatypes, int *combiner);
void type_get_contents(const datatype &datatype, MPI_Count max_integers, MPI_Count max_addresses,
                       MPI_Count max_datatypes, int *array_of_integers, MPI_Aint *array_of_addresses,
                       MPI_Datatype *array_of_datatypes);
void type_get_contents_c(const datatype &datatype, MPI_Count max_integers, MPI_Count max_addresses,
                         MPI_Count max_large_counts, MPI_Count max_datatypes, int *array_of_integers,
                         MPI_Aint *array_of_addresses, MPI_Count *array_of_large_counts,
                         MPI_Datatype *array_of_datatypes);

// Packing (datatype_pack.cpp).
void pack(const void *inbuf, MPI_Count incount, const datatype &datatype, void *outbuf, MPI_Count outsize,
          MPI_Count &position, communicator &comm);
void unpack(const void *inbuf, MPI_Count insize, MPI_Count &position, void *outbuf, MPI_Count outcount,
            const datatype &datatype, communicator &comm);
void pack_size(MPI_Count incount, const datatype &datatype, communicator &comm, MPI_Count &size);
void pack_external(const char *datarep, const void *inbuf, MPI_Count incount, const datatype &datatype,
                   void *outbuf, MPI_Count outsize, MPI_Count &position);
void unpack_external(const char *datarep, const void *inbuf, MPI_Count insize, MPI_Count &position,
                     void *outbuf, MPI_Count outcount, const datatype &datatype);
void pack_external_size(const char *datarep, MPI_Count incount, const datatype &datatype, MPI_Count &size);

} // namespace lisle::api
