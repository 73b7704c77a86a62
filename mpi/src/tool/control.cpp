// SPDX-License-Identifier: Apache-2.0
#include "tool/control.hpp"

#include <cstring>
#include <deque>

#include "base/text.hpp"

namespace lisle::tool {

namespace {

struct tables {
    std::deque<enumeration> enumerations; // never moves what it holds
    std::vector<control_variable> variables;

    tables() {
        const auto settings = all_settings();
        for (std::size_t i = 0; i < settings.size(); ++i) {
            const setting_description &row = settings[i];
            const enumeration *words = nullptr;
            if (row.is_enumeration()) {
                const auto each = words_of(row.words, "|");
                words = &enumerations.emplace_back(row.name, row.least,
                                                   std::vector<std::string>{each.begin(), each.end()});
            }
            variables.push_back({row.name.c_str(), static_cast<setting>(i), row.meaning.c_str(), words});
        }
    }
};

const tables &all() {
    // Never destroyed: tools may ask while the process's static objects are taken down.
    static const tables &made = *new tables;
    return made;
}

} // namespace

const std::vector<control_variable> &control_variables() {
    return all().variables;
}

const enumeration &find_enumeration(MPI_T_enum handle) {
    for (const enumeration &each : all().enumerations) {
        if (static_cast<const void *>(&each) == handle) {
            return each;
        }
    }
    fail(MPI_T_ERR_INVALID_HANDLE, "the handle is no enumeration");
}

int count_of(const control_variable &variable) noexcept {
    return is_text(variable.which) ? static_cast<int>(text_of(variable.which).size()) + 1 : 1;
}

MPI_Datatype datatype_of(const control_variable &variable) noexcept {
    return is_text(variable.which) ? MPI_CHAR : variable.words != nullptr ? MPI_INT : MPI_COUNT;
}

void read(const control_variable &variable, void *buffer) {
    if (is_text(variable.which)) {
        const std::string &text = text_of(variable.which);
        std::memcpy(buffer, text.c_str(), text.size() + 1);
        return;
    }
    const std::int64_t value = value_of(variable.which);
    if (variable.words != nullptr) {
        const int word = static_cast<int>(value);
        std::memcpy(buffer, &word, sizeof word);
    } else {
        const MPI_Count number = value;
        std::memcpy(buffer, &number, sizeof number);
    }
}

void write(const control_variable &variable, const void *buffer) {
    if (!changeable(variable.which)) {
        fail(MPI_T_ERR_CVAR_SET_NEVER, variable.name, " is read once, when the process starts");
    }
    std::int64_t value = 0;
    if (variable.words != nullptr) {
        int word = 0;
        std::memcpy(&word, buffer, sizeof word);
        value = word;
    } else {
        MPI_Count number = 0;
        std::memcpy(&number, buffer, sizeof number);
        value = number;
    }
    const setting_description &about = description_of(variable.which);
    if (value < about.least || value > about.most) {
        fail(MPI_T_ERR_INVALID, variable.name, " cannot be ", value, ": its values go from ", about.least,
             " to ", about.most);
    }
    change(variable.which, value);
}

} // namespace lisle::tool
