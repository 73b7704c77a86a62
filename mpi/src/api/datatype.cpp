// SPDX-License-Identifier: Apache-2.0
#include "api/datatype.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/error.hpp"
#include "communicator/type_attributes.hpp"
#include "datatype/predefined.hpp"
#include "execution/rank_local.hpp"

namespace lisle::api {

namespace {

// The names of a rank's datatypes: derived types have theirs in the type, predefined ones, which a rank
// shares with the other ranks of its process, have those that the rank gave them here.
struct type_names {
    std::mutex mutex; // guards the names of both sorts
    std::unordered_map<const datatype *, std::string> of_predefined;
};
const rank_local<type_names> names;

datatype &require(MPI_Datatype handle) {
    datatype *const type = find_datatype(handle);
    if (type == nullptr) {
        fail(MPI_ERR_TYPE, handle == MPI_DATATYPE_NULL ? "the datatype is MPI_DATATYPE_NULL"
                                                       : "the handle is no datatype's");
    }
    return *type;
}

std::string name_of(const datatype &type) {
    type_names &own = *names;
    const std::lock_guard lock{own.mutex};
    if (!type.predefined()) {
        return type.name;
    }
    const auto found = own.of_predefined.find(&type);
    if (found != own.of_predefined.end()) {
        return found->second;
    }
    return type.origin().combiner == MPI_COMBINER_NAMED ? type.facts()->name : "";
}

MPI_Count length_of(const auto &list) {
    return static_cast<MPI_Count>(list.size());
}

// The small forms have no room for large counts.
void require_small(const datatype &type) {
    if (!type.origin().large_counts.empty()) {
        fail(MPI_ERR_TYPE, "the datatype was made with large counts, which only the _c form can tell");
    }
}

// A new object, since freeing it must not touch the attributes and the name of the original.
const datatype &equal_type(const datatype &type) {
    auto *const result = new datatype{type.part(), type.origin()};
    if (type.committed()) {
        result->commit();
    }
    return *result;
}

void require_room(MPI_Count room, MPI_Count needed, const char *name) {
    if (room < needed) {
        fail(MPI_ERR_ARG, name, " is ", room, ", but the datatype has ", needed);
    }
}

} // namespace

MPI_Aint aint_add(MPI_Aint base, MPI_Aint disp) noexcept {
    return static_cast<MPI_Aint>(static_cast<std::uintptr_t>(base) + static_cast<std::uintptr_t>(disp));
}

MPI_Aint aint_diff(MPI_Aint addr1, MPI_Aint addr2) noexcept {
    return static_cast<MPI_Aint>(static_cast<std::uintptr_t>(addr1) - static_cast<std::uintptr_t>(addr2));
}

void get_address(const void *location, MPI_Aint *address) {
    *address = reinterpret_cast<MPI_Aint>(location);
}

void type_commit(MPI_Datatype *datatype) {
    auto &type = require(*datatype);
    if (!type.predefined()) {
        type.commit();
    }
}

void type_free(MPI_Datatype *datatype) {
    const auto &type = require(*datatype);
    if (type.predefined()) {
        fail(MPI_ERR_TYPE,
             type.origin().combiner == MPI_COMBINER_NAMED ? type.facts()->name : "the Fortran kind's type",
             " is predefined and cannot be freed");
    }
    delete_type_attributes(type);
    type.release();
    *datatype = MPI_DATATYPE_NULL;
}

void type_size(const datatype &datatype, MPI_Count &size) {
    size = datatype.size();
}

void type_size_x(const datatype &datatype, MPI_Count *size) {
    *size = datatype.size();
}

void type_get_extent(const datatype &datatype, MPI_Count &lb, MPI_Count &extent) {
    lb = datatype.lower_bound();
    extent = datatype.extent();
}

void type_get_extent_x(const datatype &datatype, MPI_Count *lb, MPI_Count *extent) {
    type_get_extent(datatype, *lb, *extent);
}

void type_get_true_extent(const datatype &datatype, MPI_Count &true_lb, MPI_Count &true_extent) {
    true_lb = datatype.true_lower_bound();
    true_extent = datatype.true_extent();
}

void type_get_true_extent_x(const datatype &datatype, MPI_Count *true_lb, MPI_Count *true_extent) {
    type_get_true_extent(datatype, *true_lb, *true_extent);
}

void type_set_name(const datatype &datatype, const char *type_name) {
    const std::string_view name{type_name, strnlen(type_name, MPI_MAX_OBJECT_NAME - 1)};
    type_names &own = *names;
    const std::lock_guard lock{own.mutex};
    (datatype.predefined() ? own.of_predefined[&datatype] : datatype.name) = name;
}

void type_get_name(const datatype *datatype, char *type_name, int *resultlen) {
    const std::string name = datatype != nullptr ? name_of(*datatype) : "MPI_DATATYPE_NULL";
    *std::copy(name.begin(), name.end(), type_name) = '\0';
    *resultlen = static_cast<int>(name.size());
}

void type_get_envelope(const datatype &datatype, MPI_Count &num_integers, MPI_Count &num_addresses,
                       MPI_Count &num_datatypes, int *combiner) {
    require_small(datatype);
    MPI_Count num_large_counts;
    type_get_envelope_c(datatype, num_integers, num_addresses, num_large_counts, num_datatypes, combiner);
}

void type_get_envelope_c(const datatype &datatype, MPI_Count &num_integers, MPI_Count &num_addresses,
                         MPI_Count &num_large_counts, MPI_Count &num_datatypes, int *combiner) {
    const type_origin &origin = datatype.origin();
    num_integers = length_of(origin.integers);
    num_addresses = length_of(origin.addresses);
    num_large_counts = length_of(origin.large_counts);
    num_datatypes = length_of(origin.types);
    *combiner = origin.combiner;
}

void type_get_contents(const datatype &datatype, MPI_Count max_integers, MPI_Count max_addresses,
                       MPI_Count max_datatypes, int *array_of_integers, MPI_Aint *array_of_addresses,
                       MPI_Datatype *array_of_datatypes) {
    require_small(datatype);
    type_get_contents_c(datatype, max_integers, max_addresses, 0, max_datatypes, array_of_integers,
                        array_of_addresses, nullptr, array_of_datatypes);
}

void type_get_contents_c(const datatype &datatype, MPI_Count max_integers, MPI_Count max_addresses,
                         MPI_Count max_large_counts, MPI_Count max_datatypes, int *array_of_integers,
                         MPI_Aint *array_of_addresses, MPI_Count *array_of_large_counts,
                         MPI_Datatype *array_of_datatypes) {
    const type_origin &origin = datatype.origin();
    if (origin.combiner == MPI_COMBINER_NAMED) {
        fail(MPI_ERR_TYPE, datatype.facts()->name, " is a named datatype, which has no contents");
    }
    require_room(max_integers, length_of(origin.integers), "max_integers");
    require_room(max_addresses, length_of(origin.addresses), "max_addresses");
    require_room(max_large_counts, length_of(origin.large_counts), "max_large_counts");
    require_room(max_datatypes, length_of(origin.types), "max_datatypes");
    std::copy(origin.integers.begin(), origin.integers.end(), array_of_integers);
    std::copy(origin.addresses.begin(), origin.addresses.end(), array_of_addresses);
    std::copy(origin.large_counts.begin(), origin.large_counts.end(), array_of_large_counts);
    for (const auto *type : origin.types) {
        *array_of_datatypes++ = datatype_handle(type->predefined() ? *type : equal_type(*type));
    }
}

} // namespace lisle::api
