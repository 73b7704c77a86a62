// SPDX-License-Identifier: Apache-2.0
// Looks up the generated table, which is sorted by class.
#include "base/error_texts.hpp"

#include <algorithm>
#include <iterator>

namespace lisle {

namespace {

struct error_class_row {
    int value;
    std::string_view name;
    std::string_view text;
};

constexpr error_class_row rows[] = {
#include "base/error_texts.inc"
};
static_assert(std::ranges::is_sorted(rows, {}, &error_class_row::value));

const error_class_row *find(int error_class) noexcept {
    const auto *const row = std::ranges::lower_bound(rows, error_class, {}, &error_class_row::value);
    return row != std::end(rows) && row->value == error_class ? row : nullptr;
}

} // namespace

std::string_view error_text(int error_class) noexcept {
    const auto *const row = find(error_class);
    return row != nullptr ? row->text : std::string_view{};
}

std::string_view error_class_name(int error_class) noexcept {
    const auto *const row = find(error_class);
    return row != nullptr ? row->name : std::string_view{};
}

} // namespace lisle
