// SPDX-License-Identifier: Apache-2.0
#include "rma/hints.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>

#include "base/error.hpp"

namespace lisle::rma {

namespace {

bool is_flag(std::string_view value) {
    return value == "true" || value == "false";
}

/// "none", or a list of rar, raw, war and waw.
bool is_ordering(std::string_view value) {
    if (value == "none") {
        return true;
    }
    while (true) {
        const std::size_t comma = value.find(',');
        const std::string_view one = value.substr(0, comma);
        if (one != "rar" && one != "raw" && one != "war" && one != "waw") {
            return false;
        }
        if (comma == std::string_view::npos) {
            return true;
        }
        value.remove_prefix(comma + 1);
    }
}

bool is_allowed_operations(std::string_view value) {
    return value == "same_op" || value == "same_op_no_op";
}

bool is_number(std::string_view value) {
    long number = -1;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    return error == std::errc{} && end == value.data() + value.size() && number >= 0;
}

struct hint {
    std::string_view key;
    std::string_view otherwise; ///< its value if the user gives none
    bool (*allowed)(std::string_view value);
    const char *wanted;
};

constexpr const char *flags = "true or false";
constexpr hint hints[] = {
    {"no_locks", "false", is_flag, flags},
    // Never weaker: the updates of one origin are always done in order.
    {"accumulate_ordering", "rar,raw,war,waw", is_ordering, "none or a list of rar, raw, war and waw"},
    {"accumulate_ops", "same_op_no_op", is_allowed_operations, "same_op or same_op_no_op"},
    {"mpi_accumulate_granularity", "0", is_number, "a number of bytes"},
    {"same_size", "false", is_flag, flags},
    {"same_disp_unit", "false", is_flag, flags},
    {"mpi_assert_memory_alloc_kinds", "", [](std::string_view) { return true; }, ""},
    {"alloc_shared_noncontig", "false", is_flag, flags}, // stands last: for shared windows only
};

} // namespace

void window_hints::apply(const info &from) {
    static_assert(std::size(hints) == known);
    for (std::size_t i = 0; i < known; ++i) {
        const auto value = from.get(hints[i].key);
        if (!value) {
            continue;
        }
        if (!hints[i].allowed(*value)) {
            fail(MPI_ERR_INFO_VALUE, "the value of ", hints[i].key, " is \"", *value, "\", but must be ",
                 hints[i].wanted);
        }
        const std::scoped_lock lock{mutex_};
        values_[i] = *value;
    }
}

void window_hints::describe(info &into, bool shared) const {
    const std::scoped_lock lock{mutex_};
    for (std::size_t i = 0; i < known - (shared ? 0 : 1); ++i) {
        const std::string_view value = values_[i].empty() ? hints[i].otherwise : values_[i];
        if (!value.empty()) {
            into.set(hints[i].key, value);
        }
    }
}

bool window_hints::holds(std::string_view key) const {
    return value_of(key) == "true";
}

bool window_hints::gives(std::string_view key) const {
    return !value_of(key).empty();
}

std::string window_hints::value_of(std::string_view key) const {
    const auto *const found =
        std::find_if(std::begin(hints), std::end(hints), [key](const hint &one) { return one.key == key; });
    const std::scoped_lock lock{mutex_};
    return values_[static_cast<std::size_t>(found - std::begin(hints))];
}

} // namespace lisle::rma
