// SPDX-License-Identifier: Apache-2.0
#include "world/process_record.hpp"

#include <algorithm>
#include <vector>

#include "base/environment.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "mpi.h"

namespace lisle {

namespace {

constexpr char between_fields = ';';

/// Calls `visit(name, member)` for each field. @param record a process_record, const or not
template <class Record, class Visit> void each_field(Record &record, Visit visit) {
    visit("table", record.table);
    visit("process", record.process);
    visit("program", record.program);
    visit("host", record.host);
    visit("ranks", record.ranks);
    visit("workers", record.workers);
    visit("labels", record.labels);
    visit("input", record.input);
    visit("bind", record.bind);
    visit("choices", record.choices);
}

// How a value is read (false: the text is none) and written (empty: it is the default).
bool read(std::string_view text, int &number) {
    const auto found = whole_number(text);
    number = found.value_or(0);
    return found.has_value();
}
bool read(std::string_view text, std::optional<int> &number) {
    number = whole_number(text);
    return number.has_value();
}
bool read(std::string_view text, bool &is_true) {
    is_true = text == "1";
    return is_true || text == "0";
}
bool read(std::string_view text, std::string &words) {
    words = text;
    return true;
}
std::string written(int number) {
    return number != 0 ? std::to_string(number) : "";
}
std::string written(std::optional<int> number) {
    return number ? std::to_string(*number) : "";
}
std::string written(bool is_true) {
    return is_true ? "1" : "";
}
std::string written(const std::string &words) {
    return words;
}

constexpr std::string_view wanted(const std::string &) {
    return "a text";
}
constexpr std::string_view wanted(bool) {
    return "0 or 1";
}
template <class Number> constexpr std::string_view wanted(const Number &) {
    return "a number from 0 on";
}

std::string names_of_fields() {
    const process_record any;
    std::string names;
    each_field(any, [&names](std::string_view name, const auto &) {
        names += names.empty() ? "" : ", ";
        names += name;
    });
    return names;
}

template <class... Parts> [[noreturn]] void refuse(std::string_view text, const Parts &...parts) {
    fail(MPI_ERR_OTHER, process_record_variable, "=", text, ": ", parts...,
         " (was it set by something else than this version's lislerun?)");
}

void read_field(process_record &record, std::string_view text, std::string_view field) {
    const auto equals = std::min(field.find('='), field.size());
    const std::string_view name = field.substr(0, equals);
    if (equals == field.size()) {
        refuse(text, "the field ", name, " has no value");
    }
    const std::string_view value = field.substr(equals + 1);
    bool known = false;
    each_field(record, [&](std::string_view each, auto &member) {
        if (each != name) {
            return;
        }
        known = true;
        if (!read(value, member)) {
            refuse(text, "the field ", name, " is ", value, ", which is not ", wanted(member));
        }
    });
    if (!known) {
        refuse(text, "there is no field ", name, "; the fields are ", names_of_fields());
    }
}

} // namespace

process_record process_record::parse(std::string_view text) {
    process_record record;
    std::vector<std::string_view> fields = words_of(text, {&between_fields, 1});
    for (const std::string_view field : fields) {
        read_field(record, text, field);
    }
    std::ranges::transform(fields, fields.begin(),
                           [](std::string_view field) { return field.substr(0, field.find('=')); });
    std::ranges::sort(fields);
    if (const auto twice = std::ranges::adjacent_find(fields); twice != fields.end()) {
        refuse(text, "the field ", *twice, " stands there twice");
    }
    if (record.table.has_value() != record.process.has_value()) {
        refuse(text, "the field ", record.table ? "process" : "table", " is missing");
    }
    return record;
}

std::string process_record::text() const {
    for (const std::string &each : {bind, choices}) {
        if (each.find(between_fields) != std::string::npos) {
            fail(MPI_ERR_ARG, each, " cannot be told to ranks, since ", between_fields, " ends a field of ",
                 process_record_variable);
        }
    }
    std::string all;
    each_field(*this, [&all](std::string_view name, const auto &member) {
        if (const std::string value = written(member); !value.empty()) {
            all += sentence(all.empty() ? "" : ";", name, "=", value);
        }
    });
    return all;
}

bool has_process_record() noexcept {
    return !environment_text(process_record_variable).empty();
}

const process_record &own_record() {
    static const process_record own = process_record::parse(environment_text(process_record_variable));
    return own;
}

} // namespace lisle
