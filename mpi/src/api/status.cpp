// SPDX-License-Identifier: Apache-2.0
// Reading and writing statuses. A status counts bytes; elements are found by walking the type tree.
#include "api/status.hpp"

#include "base/error.hpp"
#include "datatype/predefined.hpp"
#include "protocol/message/request.hpp"

namespace lisle::api {

namespace {

constexpr MPI_Count undefined = MPI_UNDEFINED;

MPI_Count bytes_of(const MPI_Status &status) noexcept {
    return protocol::outcome::load(status).bytes;
}

/// Basic elements in the first `bytes` of data of one element of `type`, or MPI_UNDEFINED.
/// @pre bytes < type.size()
MPI_Count elements_in_part(const datatype &type, MPI_Count bytes);

/// The same for elements of `type` one after the other.
MPI_Count elements_in(const datatype &type, MPI_Count bytes) {
    if (type.size() == 0) {
        return 0;
    }
    const MPI_Count whole = bytes / type.size() * type.elements();
    const MPI_Count part = elements_in_part(type, bytes % type.size());
    return part == undefined ? undefined : whole + part;
}

MPI_Count elements_in_pair(const predefined_facts &pair, MPI_Count bytes) {
    const datatype &first = *predefined_datatypes[pair.value_type - first_predefined_handle];
    return bytes == first.size() ? first.elements() : undefined;
}

MPI_Count elements_in_part(const datatype &type, MPI_Count bytes) {
    if (bytes == 0) {
        return 0;
    }
    if (const predefined_facts *const facts = type.facts()) {
        return facts->value_type != 0 ? elements_in_pair(*facts, bytes) : undefined;
    }
    const type_origin &origin = type.origin();
    if (origin.repetitions.empty()) {
        return elements_in(*origin.types.front(), bytes);
    }
    MPI_Count before = 0;
    for (std::size_t i = 0; i < origin.repetitions.size(); ++i) {
        const datatype &block = *origin.types[i];
        const MPI_Count size = block.size() * origin.repetitions[i];
        if (bytes < size) {
            const MPI_Count part = elements_in(block, bytes);
            return part == undefined ? undefined : before + part;
        }
        before += block.elements() * origin.repetitions[i];
        bytes -= size;
    }
    return before;
}

/// The opposites: bytes of data that the first `count` basic elements have.
MPI_Count bytes_in_part(const datatype &type, MPI_Count count);

MPI_Count bytes_in(const datatype &type, MPI_Count count) {
    if (type.elements() == 0) {
        return 0;
    }
    MPI_Count bytes = 0;
    if (__builtin_mul_overflow(count / type.elements(), type.size(), &bytes)) {
        fail(MPI_ERR_COUNT, count, " elements are more bytes than a status can tell");
    }
    return bytes + bytes_in_part(type, count % type.elements());
}

MPI_Count bytes_in_part(const datatype &type, MPI_Count count) {
    if (count == 0) {
        return 0;
    }
    if (const predefined_facts *const facts = type.facts()) {
        return predefined_datatypes[facts->value_type - first_predefined_handle]->size();
    }
    const type_origin &origin = type.origin();
    if (origin.repetitions.empty()) {
        return bytes_in(*origin.types.front(), count);
    }
    MPI_Count before = 0;
    for (std::size_t i = 0; i < origin.repetitions.size(); ++i) {
        const datatype &block = *origin.types[i];
        const MPI_Count elements = block.elements() * origin.repetitions[i];
        if (count < elements) {
            return before + bytes_in(block, count);
        }
        before += block.size() * origin.repetitions[i];
        count -= elements;
    }
    return before;
}

} // namespace

void status_get_source(const MPI_Status *status, int *source) {
    *source = status->MPI_SOURCE;
}
void status_get_tag(const MPI_Status *status, int *tag) {
    *tag = status->MPI_TAG;
}
void status_get_error(const MPI_Status *status, int *error) {
    *error = status->MPI_ERROR;
}
void status_set_source(MPI_Status *status, int source) {
    status->MPI_SOURCE = source;
}
void status_set_tag(MPI_Status *status, int tag) {
    status->MPI_TAG = tag;
}
void status_set_error(MPI_Status *status, int error) {
    status->MPI_ERROR = error;
}

void status_set_cancelled(MPI_Status *status, int flag) {
    protocol::outcome changed = protocol::outcome::load(*status);
    changed.cancelled = flag != 0;
    changed.store(status);
}

void status_set_elements(MPI_Status *status, const datatype &type, MPI_Count count) {
    protocol::outcome changed = protocol::outcome::load(*status);
    changed.bytes = bytes_in(type, count);
    changed.store(status);
}

void status_set_elements_x(MPI_Status *status, const datatype &type, MPI_Count count) {
    status_set_elements(status, type, count);
}

void get_count(const MPI_Status *status, const datatype &type, MPI_Count &count) {
    const MPI_Count bytes = bytes_of(*status);
    if (type.size() == 0) {
        count = bytes == 0 ? 0 : undefined;
    } else {
        count = bytes % type.size() == 0 ? bytes / type.size() : undefined;
    }
}

void get_elements(const MPI_Status *status, const datatype &type, MPI_Count &count) {
    count = elements_in(type, bytes_of(*status));
}

void get_elements_x(const MPI_Status *status, const datatype &type, MPI_Count *count) {
    *count = elements_in(type, bytes_of(*status));
}

} // namespace lisle::api
