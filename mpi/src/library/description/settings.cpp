// SPDX-License-Identifier: Apache-2.0
#include "base/settings.hpp"
#include "library/description/facts.hpp"

namespace lisle::description {

namespace {

std::string text_in_force(setting which) {
    return is_text(which) ? text_of(which) : description_of(which).text_of(value_of(which));
}

const char *words_for(value_origin origin) {
    switch (origin) {
    case value_origin::environment:
        return "environment";
    case value_origin::refused:
        return "default, since the environment's value is none";
    case value_origin::table:
        break;
    }
    return "default";
}

} // namespace

void add_settings(facts &all) {
    for (std::size_t i = 0; i != static_cast<std::size_t>(setting::count); ++i) {
        const auto which = static_cast<setting>(i);
        all.push_back({"settings", variable_of(which), text_in_force(which), words_for(origin_of(which))});
    }
}

} // namespace lisle::description
