// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/source_line.hpp"

#include <cstdio>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include "diagnosis/debug_information.hpp"

namespace lisle {

namespace {

std::string last_part(std::string_view path) {
    return std::string{path.substr(path.find_last_of('/') + 1)};
}

std::string place_in_file(const std::string &file, std::uint64_t offset) {
    char text[24];
    std::snprintf(text, sizeof text, "+%#llx", static_cast<unsigned long long>(offset));
    return last_part(file) + text;
}

/// True for what a program calls through: the headers of the C++ interface and of its own C++ library, and
/// Lisle's Fortran procedures, which are linked into it.
bool is_between(std::string_view file) {
    const std::string_view folder = file.substr(0, file.find_last_of('/'));
    const bool interface = folder.ends_with("/lisle") || folder.find("include/lisle/") != folder.npos;
    const bool fortran = folder.ends_with("generated/fortran") || folder.ends_with("mpi/src/fortran");
    return (file.ends_with(".hpp") && (interface || fortran)) || (file.ends_with(".cpp") && fortran) ||
           folder.find("/include/c++/") != folder.npos;
}

struct found_places {
    std::optional<source_place> in_program; ///< the innermost
    std::optional<source_place> innermost;  ///< of all
};

found_places find_places(const std::string &file, const call_chain &offsets) {
    found_places found;
    for (const std::uint64_t offset : offsets) {
        if (offset == 0) {
            break;
        }
        for (const source_place &each : source_places(file, offset)) {
            found.innermost = found.innermost ? found.innermost : each;
            if (!is_between(each.file)) {
                found.in_program = each;
                return found;
            }
        }
        if (!found.innermost) {
            break; // a file without debug information
        }
    }
    return found;
}

std::string text_of(const std::string &file, const call_chain &offsets) {
    const found_places found = find_places(file, offsets);
    const auto &place = found.in_program ? found.in_program : found.innermost;
    return place ? last_part(place->file) + ":" + std::to_string(place->line)
                 : place_in_file(file, offsets.front());
}

} // namespace

bool leads_to_program(const std::string &file, const call_chain &offsets) {
    return find_places(file, offsets).in_program.has_value();
}

std::string source_line(const std::string &file, const call_chain &offsets) {
    if (offsets.front() == 0) {
        return file;
    }
    static std::mutex one_at_a_time;
    // Never destroyed: a thread of the library's may ask while the process ends.
    static auto &known = *new std::map<std::pair<std::string, call_chain>, std::string>;
    const std::scoped_lock lock{one_at_a_time};
    auto &text = known[{file, offsets}];
    if (text.empty()) {
        text = text_of(file, offsets);
    }
    return text;
}

} // namespace lisle
