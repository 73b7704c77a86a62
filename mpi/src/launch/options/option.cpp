// SPDX-License-Identifier: Apache-2.0
#include "launch/options/option.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "launch/options/values.hpp"

namespace lisle::launch {

int option_use::number() {
    return positive_number(shown, value());
}

void option_use::skip_values() {
    for (int i = row.value_count(); i > 0; --i) {
        value();
    }
}

bool option::has_name(std::string_view name) const {
    const auto spellings = split(names, '|');
    return std::ranges::find(spellings, name) != spellings.end();
}

int option::value_count() const {
    return values.empty() ? 0 : 1 + static_cast<int>(std::count(values.begin(), values.end(), ' '));
}

std::span<const option_table> option_tables() {
    static const std::array tables{
        option_table{"ranks", "how many ranks, what they are, on which hosts", rank_options()},
        option_table{"environment", "variables, input, directories", environment_options()},
        option_table{"placement", "which processors ranks run on", placement_options()},
        option_table{"fabric", "what carries messages, and modelled machines", fabric_options()},
        option_table{"output", "labels, files, what is displayed", output_options()},
        option_table{"control", "time limits, signals, failures, debuggers", control_options()},
        option_table{"others", "options of other launchers that change nothing here", foreign_options()}};
    return tables;
}

const option *find_option(std::string_view name) {
    for (const auto &table : option_tables()) {
        const auto row =
            std::ranges::find_if(table.rows, [&](const option &each) { return each.has_name(name); });
        if (row != table.rows.end()) {
            return &*row;
        }
    }
    return nullptr;
}

std::string dashed(std::string_view name) {
    return (name.size() == 1 ? "-" : "--") + std::string{name};
}

} // namespace lisle::launch
