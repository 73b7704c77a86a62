// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/debug_information.hpp"

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <span>

#include "diagnosis/debug_library.hpp"

namespace lisle {

namespace {

// The constants of dwarf.h.
constexpr int inlined_subroutine = 0x1d, subprogram = 0x2e;
constexpr unsigned call_file = 0x58, call_line = 0x59;

/// The scopes that the library has listed, which it wants to have freed.
using scope_list = std::unique_ptr<die[], decltype(&std::free)>;

class places_file : public debug_file {
  public:
    using debug_file::debug_file;

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
};

} // namespace

std::vector<source_place> source_places(const std::string &file, std::uint64_t offset) {
    return debug_library::loaded().there ? places_file{file}.places_of(offset) : std::vector<source_place>{};
}

std::string function_name(const std::string &file, std::uint64_t offset) {
    return debug_library::loaded().there ? places_file{file}.symbol_of(offset) : std::string{};
}

} // namespace lisle
