// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/debug_information.hpp"

#include <cstddef>
#include <cstdlib>
#include <dlfcn.h>
#include <memory>
#include <span>
#include <type_traits>

namespace lisle {

namespace {

// The types of elfutils/libdw.h and libdwfl.h that are used, and the constants of dwarf.h.
struct die { // Dwarf_Die
    void *address, *unit, *abbreviation;
    long padding;
};
struct attribute { // Dwarf_Attribute
    unsigned code, form;
    unsigned char *value;
    void *unit;
};
struct callbacks { // Dwfl_Callbacks
    int (*find_elf)(void *, void **, const char *, std::uint64_t, char **, void **);
    int (*find_debuginfo)(void *, void **, const char *, std::uint64_t, const char *, const char *,
                          std::uint32_t, char **);
    int (*section_address)(void *, void **, const char *, std::uint64_t, const char *, std::uint32_t,
                           const void *, std::uint64_t *);
    char **debuginfo_path;
};
constexpr int inlined_subroutine = 0x1d, subprogram = 0x2e;
constexpr unsigned call_file = 0x58, call_line = 0x59;

int find_nothing(void *, void **, const char *, std::uint64_t, char **, void **) {
    return -1;
}

/// The functions of the library that are used, under its own names.
struct debug_library {
    void *(*dwfl_begin)(const callbacks *) = nullptr;
    void (*dwfl_report_begin)(void *) = nullptr;
    void *(*dwfl_report_offline)(void *, const char *, const char *, int) = nullptr;
    int (*dwfl_report_end)(void *, int (*)(void *), void *) = nullptr;
    const char *(*dwfl_module_info)(void *, void ***, std::uint64_t *, std::uint64_t *, std::uint64_t *,
                                    std::uint64_t *, const char **, const char **) = nullptr;
    void *(*dwfl_module_getsrc)(void *, std::uint64_t) = nullptr;
    const char *(*dwfl_lineinfo)(void *, std::uint64_t *, int *, int *, std::uint64_t *,
                                 std::uint64_t *) = nullptr;
    const char *(*dwfl_module_addrname)(void *, std::uint64_t) = nullptr;
    die *(*dwfl_module_addrdie)(void *, std::uint64_t, std::uint64_t *) = nullptr;
    int (*dwarf_getscopes)(die *, std::uint64_t, die **) = nullptr;
    int (*dwarf_getscopes_die)(die *, die **) = nullptr;
    int (*dwarf_tag)(die *) = nullptr;
    attribute *(*dwarf_attr)(die *, unsigned, attribute *) = nullptr;
    int (*dwarf_formudata)(attribute *, std::uint64_t *) = nullptr;
    int (*dwarf_getsrcfiles)(die *, void **, std::size_t *) = nullptr;
    const char *(*dwarf_filesrc)(void *, std::size_t, std::uint64_t *, std::uint64_t *) = nullptr;
    decltype(callbacks::find_debuginfo) dwfl_standard_find_debuginfo = nullptr;
    decltype(callbacks::section_address) dwfl_offline_section_address = nullptr;
    void (*dwfl_end)(void *) = nullptr;
    bool there = false;

    debug_library() {
        void *const library = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
        if (library == nullptr) {
            return;
        }
        const auto find = [library](const char *name, auto &function) {
            function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
            return function != nullptr;
        };
        there =
            find("dwfl_begin", dwfl_begin) && find("dwfl_report_begin", dwfl_report_begin) &&
            find("dwfl_report_offline", dwfl_report_offline) && find("dwfl_report_end", dwfl_report_end) &&
            find("dwfl_module_info", dwfl_module_info) && find("dwfl_module_getsrc", dwfl_module_getsrc) &&
            find("dwfl_lineinfo", dwfl_lineinfo) && find("dwfl_module_addrname", dwfl_module_addrname) &&
            find("dwfl_module_addrdie", dwfl_module_addrdie) && find("dwarf_getscopes", dwarf_getscopes) &&
            find("dwarf_getscopes_die", dwarf_getscopes_die) && find("dwarf_tag", dwarf_tag) &&
            find("dwarf_attr", dwarf_attr) && find("dwarf_formudata", dwarf_formudata) &&
            find("dwarf_getsrcfiles", dwarf_getsrcfiles) && find("dwarf_filesrc", dwarf_filesrc) &&
            find("dwfl_standard_find_debuginfo", dwfl_standard_find_debuginfo) &&
            find("dwfl_offline_section_address", dwfl_offline_section_address) && find("dwfl_end", dwfl_end);
    }
};

/// The scopes that the library has listed, which it wants to have freed.
using scope_list = std::unique_ptr<die[], decltype(&std::free)>;

/// One file's debug information.
class opened_file {
  public:
    opened_file(const debug_library &with, const std::string &name) : library_{with} {
        static char *debug_path = nullptr;
        static const callbacks how{find_nothing, with.dwfl_standard_find_debuginfo,
                                   with.dwfl_offline_section_address, &debug_path};
        session_ = library_.dwfl_begin(&how);
        if (session_ != nullptr) {
            library_.dwfl_report_begin(session_);
            module_ = library_.dwfl_report_offline(session_, "", name.c_str(), -1);
            library_.dwfl_report_end(session_, nullptr, nullptr);
        }
    }
    opened_file(const opened_file &) = delete;
    opened_file &operator=(const opened_file &) = delete;
    ~opened_file() {
        if (session_ != nullptr) {
            library_.dwfl_end(session_);
        }
    }

    [[nodiscard]] std::vector<source_place> places_of(std::uint64_t offset) const {
        std::vector<source_place> found;
        const std::uint64_t address = begin() + offset;
        if (module_ == nullptr) {
            return found;
        }
        int number = 0;
        void *const line = library_.dwfl_module_getsrc(module_, address);
        const char *const name =
            line != nullptr ? library_.dwfl_lineinfo(line, nullptr, &number, nullptr, nullptr, nullptr)
                            : nullptr;
        if (name == nullptr || number <= 0) {
            return found;
        }
        found.push_back({name, number});
        add_callers(address, found);
        return found;
    }

    [[nodiscard]] std::string symbol_of(std::uint64_t offset) const {
        const char *const name =
            module_ != nullptr ? library_.dwfl_module_addrname(module_, begin() + offset) : nullptr;
        return name != nullptr ? name : "";
    }

  private:
    /// Where libdw has put the file.
    [[nodiscard]] std::uint64_t begin() const {
        std::uint64_t first = 0;
        if (module_ != nullptr) {
            library_.dwfl_module_info(module_, nullptr, &first, nullptr, nullptr, nullptr, nullptr, nullptr);
        }
        return first;
    }
    /// The calls that the compiler has replaced by the code at this address, from the inside out.
    void add_callers(std::uint64_t address, std::vector<source_place> &found) const {
        std::uint64_t bias = 0;
        die *const unit = library_.dwfl_module_addrdie(module_, address, &bias);
        if (unit == nullptr) {
            return;
        }
        die *list = nullptr;
        const int inner = library_.dwarf_getscopes(unit, address - bias, &list);
        const scope_list scopes{list, &std::free};
        for (die &each : std::span{scopes.get(), inner > 0 ? static_cast<std::size_t>(inner) : 0}) {
            if (is_function(each)) {
                add_callers(each, found);
                return;
            }
        }
    }
    void add_callers(die &function, std::vector<source_place> &found) const {
        die *list = nullptr;
        const int count = library_.dwarf_getscopes_die(&function, &list);
        const scope_list scopes{list, &std::free};
        const std::span around{scopes.get(), count > 0 ? static_cast<std::size_t>(count) : 0};
        void *files = nullptr;
        std::size_t known = 0;
        if (around.empty() || library_.dwarf_getsrcfiles(&around.back(), &files, &known) != 0) {
            return;
        }
        for (die &each : around) {
            if (library_.dwarf_tag(&each) == inlined_subroutine) {
                const char *const name =
                    library_.dwarf_filesrc(files, number_of(each, call_file), nullptr, nullptr);
                const auto line = static_cast<int>(number_of(each, call_line));
                if (name != nullptr && line > 0) {
                    found.push_back({name, line});
                }
            }
        }
    }
    [[nodiscard]] bool is_function(die &scope) const {
        const int tag = library_.dwarf_tag(&scope);
        return tag == subprogram || tag == inlined_subroutine;
    }
    [[nodiscard]] std::uint64_t number_of(die &scope, unsigned which) const {
        attribute room{};
        std::uint64_t value = 0;
        attribute *const found = library_.dwarf_attr(&scope, which, &room);
        return found != nullptr && library_.dwarf_formudata(found, &value) == 0 ? value : 0;
    }

    const debug_library &library_;
    void *session_ = nullptr;
    void *module_ = nullptr;
};

} // namespace

namespace {
const debug_library &library() {
    static const debug_library loaded;
    return loaded;
}
} // namespace

std::vector<source_place> source_places(const std::string &file, std::uint64_t offset) {
    return library().there ? opened_file{library(), file}.places_of(offset) : std::vector<source_place>{};
}

std::string function_name(const std::string &file, std::uint64_t offset) {
    return library().there ? opened_file{library(), file}.symbol_of(offset) : std::string{};
}

} // namespace lisle
