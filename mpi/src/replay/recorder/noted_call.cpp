// SPDX-License-Identifier: Apache-2.0
#include "replay/recorder/noted_call.hpp"

#include <string>

namespace lisle::replay {

bool noted_call::ended(int result) {
    if (!noted_) {
        return false;
    }
    record_.ended_call();
    written_ = result == MPI_SUCCESS;
    if (!written_) {
        record_.leave_out(std::string{function_} + " that has failed");
    }
    return written_;
}

void noted_call::leave_out(std::string_view why) {
    if (noted_) {
        record_.leave_out(std::string{function_} + std::string{why});
        written_ = false;
    }
}

noted_call::~noted_call() {
    if (!noted_) {
        return;
    }
    if (written_ && looks_) {
        record_.write_look(function_, found_, arguments_.bytes(), outcome_.bytes());
    } else if (written_) {
        if (open_request_) {
            const std::size_t begin = record_.place_of_arguments(function_, arguments_.bytes().size());
            record_.requests().leave_open(*open_request_, begin, source_at_, tag_at_);
        }
        record_.write_call(function_, arguments_.bytes());
    }
    record_.end_call();
}

void noted_call::memory(const void *address) {
    into().number(static_cast<std::uint64_t>(address == MPI_IN_PLACE           ? memory_use::in_place
                                             : address == MPI_BUFFER_AUTOMATIC ? memory_use::automatic
                                                                               : memory_use::own));
}

void noted_call::weights(const int *values, std::int64_t count) {
    const weights_use use = values == MPI_UNWEIGHTED      ? weights_use::unweighted
                            : values == MPI_WEIGHTS_EMPTY ? weights_use::empty
                                                          : weights_use::given;
    into().number(static_cast<std::uint64_t>(use));
    numbers(values, use == weights_use::given ? count : 0);
}

void noted_call::open(int value, int any, std::optional<std::size_t> &at) {
    if (value == any) {
        at = arguments_.bytes().size();
    }
    arguments_.wide_number(value);
}

void noted_call::made(MPI_Request request) {
    if (request == MPI_REQUEST_NULL || !written_) {
        into().number(0);
        return;
    }
    into().number(std::uint64_t{record_.requests().note(request).place} + 1);
    if (source_at_ || tag_at_) {
        open_request_ = request;
    }
}

void noted_call::request(MPI_Request given, std::size_t nth) {
    const known_request *const known = record_.requests().find(given, nth);
    into().number(known != nullptr ? std::uint64_t{known->place} + 1 : 0);
}

void noted_call::looked(bool found) {
    looks_ = true;
    found_ = found;
}

} // namespace lisle::replay
