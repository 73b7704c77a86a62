// SPDX-License-Identifier: Apache-2.0
#include "replay/player/arguments.hpp"

#include <array>

namespace lisle::replay {

std::size_t arguments::length() {
    const std::uint64_t given = in_.number();
    if (given > in_.left()) {
        throw trace_error{"an array of " + std::to_string(given) + " elements, where " +
                          std::to_string(in_.left()) + " bytes are left"};
    }
    return given;
}

edge_weights arguments::weights() {
    edge_weights made{word<weights_use>("weights", weights_use::empty), {}};
    made.values = numbers<int>();
    return made;
}

MPI_Request arguments::request() {
    return one_request().values.front();
}

asked_places arguments::one_request() {
    return requests(1);
}

asked_places arguments::requests() {
    return requests(length());
}

asked_places arguments::requests(std::size_t count) {
    const std::vector<MPI_Request> &made = table<MPI_Request>();
    asked_places asked;
    for (std::size_t at = 0; at != count; ++at) {
        const std::uint64_t place = in_.number();
        if (place > made.size()) {
            throw trace_error{"request " + std::to_string(place - 1) + " is used, where " +
                              std::to_string(made.size()) + " have been made"};
        }
        asked.places.push_back(place);
        asked.values.push_back(place == 0 ? MPI_REQUEST_NULL : made[place - 1]);
    }
    return asked;
}

void arguments::put_back(const asked_places &asked) {
    for (std::size_t at = 0; at != asked.places.size(); ++at) {
        if (asked.places[at] != 0) {
            table<MPI_Request>()[asked.places[at] - 1] = asked.values[at];
        }
    }
}

void arguments::expect_length(const char *name, std::size_t given, std::int64_t expected) const {
    if (!std::cmp_equal(given, expected)) {
        throw trace_error{std::string{name} + " has " + std::to_string(given) +
                          " elements, and the call needs " + std::to_string(expected)};
    }
}

void arguments::expect_length(const char *name, const edge_weights &given, std::int64_t expected) const {
    expect_length(name, given.values.size(), given.use == weights_use::given ? expected : 0);
}

void arguments::expect_success(int result) const {
    if (result != MPI_SUCCESS) {
        std::array<char, MPI_MAX_ERROR_STRING> sentence{};
        int length = 0;
        MPI_Error_string(result, sentence.data(), &length);
        throw trace_error{"MPI refuses the call: " + std::string{sentence.data()}};
    }
}

void arguments::expect_end() const {
    if (!in_.at_end()) {
        throw trace_error{std::to_string(in_.left()) + " bytes stand behind the last argument"};
    }
}

bool arguments::begin_outcome() {
    if (!looks_ || !looks_->found) {
        return false;
    }
    expect_end();
    in_ = byte_reader{looks_->outcome};
    return true;
}

} // namespace lisle::replay
