// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/debug_library.hpp"

#include <dlfcn.h>
#include <type_traits>

namespace lisle {

namespace {

int find_nothing(void *, void **, const char *, std::uint64_t, char **, void **) {
    return -1;
}

} // namespace

debug_library::debug_library() {
    void *const library = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        return;
    }
    const auto find = [library](const char *name, auto &function) {
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
        return function != nullptr;
    };
    there = find("dwfl_begin", dwfl_begin) && find("dwfl_report_begin", dwfl_report_begin) &&
            find("dwfl_report_offline", dwfl_report_offline) && find("dwfl_report_end", dwfl_report_end) &&
            find("dwfl_module_info", dwfl_module_info) && find("dwfl_module_getsrc", dwfl_module_getsrc) &&
            find("dwfl_lineinfo", dwfl_lineinfo) && find("dwfl_module_addrname", dwfl_module_addrname) &&
            find("dwfl_module_addrdie", dwfl_module_addrdie) &&
            find("dwfl_module_nextcu", dwfl_module_nextcu) && find("dwarf_getscopes", dwarf_getscopes) &&
            find("dwarf_getscopes_die", dwarf_getscopes_die) && find("dwarf_haspc", dwarf_haspc) &&
            find("dwarf_tag", dwarf_tag) && find("dwarf_diename", dwarf_diename) &&
            find("dwarf_child", dwarf_child) && find("dwarf_siblingof", dwarf_siblingof) &&
            find("dwarf_attr", dwarf_attr) && find("dwarf_attr_integrate", dwarf_attr_integrate) &&
            find("dwarf_formref_die", dwarf_formref_die) && find("dwarf_formudata", dwarf_formudata) &&
            find("dwarf_getlocation", dwarf_getlocation) && find("dwarf_getsrcfiles", dwarf_getsrcfiles) &&
            find("dwarf_filesrc", dwarf_filesrc) &&
            find("dwfl_standard_find_debuginfo", dwfl_standard_find_debuginfo) &&
            find("dwfl_offline_section_address", dwfl_offline_section_address) && find("dwfl_end", dwfl_end);
}

const debug_library &debug_library::loaded() {
    static const debug_library one;
    return one;
}

debug_file::debug_file(const std::string &name) : library_{debug_library::loaded()} {
    static char *debug_path = nullptr;
    static const callbacks how{find_nothing, library_.dwfl_standard_find_debuginfo,
                               library_.dwfl_offline_section_address, &debug_path};
    session_ = library_.dwfl_begin(&how);
    if (session_ != nullptr) {
        library_.dwfl_report_begin(session_);
        module_ = library_.dwfl_report_offline(session_, "", name.c_str(), -1);
        library_.dwfl_report_end(session_, nullptr, nullptr);
    }
}

debug_file::~debug_file() {
    if (session_ != nullptr) {
        library_.dwfl_end(session_);
    }
}

std::uint64_t debug_file::begin() const {
    std::uint64_t first = 0;
    if (module_ != nullptr) {
        library_.dwfl_module_info(module_, nullptr, &first, nullptr, nullptr, nullptr, nullptr, nullptr);
    }
    return first;
}

std::uint64_t debug_file::number_of(die &scope, unsigned which) const {
    attribute room{};
    std::uint64_t value = 0;
    attribute *const found = library_.dwarf_attr(&scope, which, &room);
    return found != nullptr && library_.dwarf_formudata(found, &value) == 0 ? value : 0;
}

} // namespace lisle
