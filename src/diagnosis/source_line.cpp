// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/source_line.hpp"

#include <cstdio>
#include <dlfcn.h>
#include <map>
#include <mutex>
#include <string_view>
#include <utility>

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

/// What is used of libdw (elfutils/libdwfl.h), which is loaded when it is first needed: it need not be
/// installed, neither here nor where Lisle was built.
class debug_library {
  public:
    [[nodiscard]] static const debug_library &instance() {
        static const debug_library only;
        return only;
    }

    /// Empty: nothing is known of the place.
    [[nodiscard]] std::string line(const std::string &file, std::uint64_t offset) const {
        if (end == nullptr) {
            return {};
        }
        static char *debug_path = nullptr;
        static const callbacks how{find_nothing, find_debug_information, section_address, &debug_path};
        void *const session = begin(&how);
        if (session == nullptr) {
            return {};
        }
        report_begin(session);
        void *const module = report_offline(session, "", file.c_str(), -1);
        report_end(session, nullptr, nullptr);
        std::string found;
        std::uint64_t first = 0;
        if (module != nullptr &&
            module_info(module, nullptr, &first, nullptr, nullptr, nullptr, nullptr, nullptr) != nullptr) {
            int number = 0;
            void *const line = module_getsrc(module, first + offset);
            const char *const name =
                line != nullptr ? line_info(line, nullptr, &number, nullptr, nullptr, nullptr) : nullptr;
            if (name != nullptr && number > 0) {
                found = last_part(name) + ":" + std::to_string(number);
            }
        }
        end(session);
        return found;
    }

  private:
    struct callbacks { // Dwfl_Callbacks
        int (*find_elf)(void *, void **, const char *, std::uint64_t, char **, void **);
        int (*find_debuginfo)(void *, void **, const char *, std::uint64_t, const char *, const char *,
                              std::uint32_t, char **);
        int (*section_address)(void *, void **, const char *, std::uint64_t, const char *, std::uint32_t,
                               const void *, std::uint64_t *);
        char **debuginfo_path;
    };

    static int find_nothing(void *, void **, const char *, std::uint64_t, char **, void **) { return -1; }

    debug_library() {
        void *const library = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
        if (library == nullptr) {
            return;
        }
        const auto find = [library](const char *name, auto &function) {
            function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
            return function != nullptr;
        };
        const bool whole = find("dwfl_begin", begin) && find("dwfl_report_begin", report_begin) &&
                           find("dwfl_report_offline", report_offline) &&
                           find("dwfl_report_end", report_end) && find("dwfl_module_info", module_info) &&
                           find("dwfl_module_getsrc", module_getsrc) && find("dwfl_lineinfo", line_info) &&
                           find("dwfl_standard_find_debuginfo", find_debug_information) &&
                           find("dwfl_offline_section_address", section_address);
        if (whole) {
            find("dwfl_end", end);
        }
    }

    void *(*begin)(const callbacks *) = nullptr;
    void (*report_begin)(void *) = nullptr;
    void *(*report_offline)(void *, const char *, const char *, int) = nullptr;
    int (*report_end)(void *, int (*)(void *), void *) = nullptr;
    const char *(*module_info)(void *, void ***, std::uint64_t *, std::uint64_t *, std::uint64_t *,
                               std::uint64_t *, const char **, const char **) = nullptr;
    void *(*module_getsrc)(void *, std::uint64_t) = nullptr;
    const char *(*line_info)(void *, std::uint64_t *, int *, int *, std::uint64_t *,
                             std::uint64_t *) = nullptr;
    decltype(callbacks::find_debuginfo) find_debug_information = nullptr;
    decltype(callbacks::section_address) section_address = nullptr;
    void (*end)(void *) = nullptr; ///< null: the library is not there
};

} // namespace

std::string source_line(const std::string &file, std::uint64_t offset) {
    static std::mutex one_at_a_time;
    static std::map<std::pair<std::string, std::uint64_t>, std::string> known;
    const std::scoped_lock lock{one_at_a_time};
    auto &text = known[{file, offset}];
    if (text.empty()) {
        text = debug_library::instance().line(file, offset);
        text = text.empty() ? place_in_file(file, offset) : text;
    }
    return text;
}

} // namespace lisle
