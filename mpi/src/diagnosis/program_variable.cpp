// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/program_variable.hpp"

#include <map>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "diagnosis/debug_types.hpp"

namespace lisle {

namespace {

/// The constants of dwarf.h.
namespace dwarf {
constexpr int formal_parameter = 0x05, lexical_block = 0x0b, common_block = 0x1a, inlined_subroutine = 0x1d,
              module = 0x1e, subprogram = 0x2e, variable = 0x34, name_space = 0x39;
constexpr unsigned location = 0x02, artificial = 0x34, frame_base = 0x40;
constexpr std::uint8_t address_step = 0x03, frame_step = 0x91, canonical_frame_step = 0x9c;
} // namespace dwarf

/// Where a variable lies, and how long it is.
struct extent {
    std::int64_t begin;
    std::uint64_t bytes;
    [[nodiscard]] bool has(std::int64_t place) const noexcept {
        return place >= begin && static_cast<std::uint64_t>(place - begin) < bytes;
    }
};
struct placed_variable {
    extent where;
    std::optional<program_variable> what; ///< nothing: of another type than those that are told
};

class variables_file : public typed_debug_file {
  public:
    using typed_debug_file::typed_debug_file;

    /// All static ones, with addresses as offsets in the file.
    [[nodiscard]] std::vector<placed_variable> static_variables() const {
        std::vector<placed_variable> found;
        std::uint64_t bias = 0;
        for (die *unit = next_unit(nullptr, bias); unit != nullptr; unit = next_unit(unit, bias)) {
            const auto shift = static_cast<std::int64_t>(bias) - static_cast<std::int64_t>(begin());
            each_within(*unit, [&](die &one) {
                if (library_.dwarf_tag(&one) == dwarf::variable) {
                    add(one, dwarf::address_step, shift, found);
                }
            });
        }
        return found;
    }

    /// Those of a function that have a place of their own in its calls.
    [[nodiscard]] std::vector<placed_variable> local_variables(std::uint64_t offset) const {
        std::vector<placed_variable> found;
        std::uint64_t bias = 0;
        const std::uint64_t address = begin() + offset;
        die *const unit =
            module_ != nullptr ? library_.dwfl_module_addrdie(module_, address, &bias) : nullptr;
        if (unit == nullptr) {
            return found;
        }
        each_within(*unit, [&](die &each) {
            if (library_.dwarf_tag(&each) != dwarf::subprogram ||
                library_.dwarf_haspc(&each, address - bias) <= 0 || !counts_from_frame(each)) {
                return;
            }
            // Functions within this one have calls of their own.
            const auto add_one = [&](die &one) {
                if (const int tag = library_.dwarf_tag(&one);
                    tag == dwarf::variable || tag == dwarf::formal_parameter) {
                    add(one, dwarf::frame_step, 0, found);
                }
            };
            each_within(each, add_one, false);
        });
        return found;
    }

  private:
    [[nodiscard]] die *next_unit(die *before, std::uint64_t &bias) const {
        return module_ != nullptr ? library_.dwfl_module_nextcu(module_, before, &bias) : nullptr;
    }
    /// Calls `look` with what a scope and those in it declare. @param into_functions functions within it are
    /// such, too
    template <class Look> void each_within(die &scope, const Look &look, bool into_functions = true) const {
        die child{};
        if (library_.dwarf_child(&scope, &child) != 0) {
            return;
        }
        do {
            look(child);
            if (is_scope(library_.dwarf_tag(&child), into_functions)) {
                each_within(child, look, into_functions);
            }
        } while (library_.dwarf_siblingof(&child, &child) == 0);
    }
    [[nodiscard]] static bool is_scope(int tag, bool functions_are) noexcept {
        switch (tag) {
        case dwarf::subprogram:
            return functions_are;
        case dwarf::lexical_block:
        case dwarf::inlined_subroutine:
        case dwarf::name_space:
        case dwarf::module:
        case dwarf::common_block:
            return true;
        default:
            return false;
        }
    }
    /// The only step of a place that has no other; null: it has none, or several.
    [[nodiscard]] const location_step *only_step(die &of, unsigned which) const {
        attribute room{};
        attribute *const found = library_.dwarf_attr(&of, which, &room);
        location_step *steps = nullptr;
        std::size_t length = 0;
        const bool simple =
            found != nullptr && library_.dwarf_getlocation(found, &steps, &length) == 0 && length == 1;
        return simple ? steps : nullptr;
    }
    [[nodiscard]] bool counts_from_frame(die &function) const {
        const location_step *const step = only_step(function, dwarf::frame_base);
        return step != nullptr && step->what == dwarf::canonical_frame_step;
    }
    void add(die &one, std::uint8_t step, std::int64_t shift, std::vector<placed_variable> &found) const {
        const location_step *const place = only_step(one, dwarf::location);
        if (place == nullptr || place->what != step || number_of(one, dwarf::artificial) != 0) {
            return;
        }
        shape made = shape_of(one);
        if (const char *const name = name_of(one); name == nullptr) {
            made.element.reset();
        } else if (made.element) {
            made.element->name = name;
        }
        found.push_back(
            {{static_cast<std::int64_t>(place->number) + shift, made.bytes}, std::move(made.element)});
    }
};

/// The one that has the place; nothing: none, several of different elements, or one of a type that is not
/// told.
std::optional<program_variable> only_one(std::span<const placed_variable> all, std::int64_t place) {
    const placed_variable *found = nullptr;
    for (const placed_variable &each : all) {
        if (each.where.has(place)) {
            if (found != nullptr && !(found->what == each.what)) {
                return std::nullopt;
            }
            found = &each;
        }
    }
    return found != nullptr ? found->what : std::nullopt;
}

} // namespace

std::optional<program_variable> static_variable(const std::string &file, std::uint64_t offset) {
    if (!debug_library::loaded().there) {
        return std::nullopt;
    }
    static std::mutex one_at_a_time;
    // Never destroyed: a thread of a rank may ask while the process ends.
    static auto &known = *new std::map<std::string, std::vector<placed_variable>>;
    const std::scoped_lock lock{one_at_a_time};
    auto found = known.find(file);
    if (found == known.end()) {
        found = known.emplace(file, variables_file{file}.static_variables()).first;
    }
    return only_one(found->second, static_cast<std::int64_t>(offset));
}

std::optional<program_variable> local_variable(const std::string &file, std::uint64_t function,
                                               std::int64_t place) {
    if (!debug_library::loaded().there) {
        return std::nullopt;
    }
    return only_one(variables_file{file}.local_variables(function), place);
}

} // namespace lisle
