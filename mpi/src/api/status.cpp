// SPDX-License-Identifier: Apache-2.0
// Reading and writing statuses. A status counts bytes; elements are found by walking the type tree.
#include "api/status.hpp"

#include <limits>

#include "base/error.hpp"
#include "datatype/elements.hpp"
#include "protocol/message/request.hpp"

namespace lisle::api {

namespace {

constexpr MPI_Count undefined = MPI_UNDEFINED;

MPI_Count bytes_of(const MPI_Status &status) noexcept {
    return protocol::outcome::load(status).bytes;
}

/// Bytes of data that the first `count` basic elements have.
MPI_Count bytes_in(const datatype &type, MPI_Count count) {
    if (type.size() == 0) {
        return 0;
    }
    if (count / type.elements() >= std::numeric_limits<MPI_Count>::max() / type.size()) {
        fail(MPI_ERR_COUNT, count, " elements are more bytes than a status can tell");
    }
    return bytes_of_elements(type, count);
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
