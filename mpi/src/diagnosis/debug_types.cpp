// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/debug_types.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <memory>

namespace lisle {

namespace {

/// The constants of dwarf.h.
namespace dwarf {
constexpr int array_type = 0x01, pointer_type = 0x0f, typedef_type = 0x16, subrange_type = 0x21,
              base_type = 0x24, const_type = 0x26, volatile_type = 0x35, atomic_type = 0x47;
constexpr unsigned byte_size = 0x0b, upper_bound = 0x2f, count = 0x37, encoding = 0x3e, type = 0x49;
} // namespace dwarf

using kind = program_variable::kind;

std::optional<kind> kind_of(std::uint64_t encoded) {
    switch (encoded) {
    case 0x02:
        return kind::logical;
    case 0x03:
        return kind::complex;
    case 0x04:
        return kind::real;
    case 0x05:
    case 0x07:
        return kind::integer;
    case 0x06:
    case 0x08:
    case 0x10:
        return kind::character;
    default:
        return std::nullopt;
    }
}

} // namespace

std::optional<die> typed_debug_file::type_of(die &one) const {
    attribute room{};
    attribute *const found = library_.dwarf_attr_integrate(&one, dwarf::type, &room);
    die named{};
    return found != nullptr && library_.dwarf_formref_die(found, &named) != nullptr ? std::optional{named}
                                                                                    : std::nullopt;
}

typed_debug_file::shape typed_debug_file::shape_of(die &variable) const {
    const char *name = nullptr;
    std::uint64_t elements = 1;
    constexpr int longest_chain = 16;
    std::optional<die> now = type_of(variable);
    for (int i = 0; now && i < longest_chain; ++i, now = type_of(*now)) {
        switch (library_.dwarf_tag(&*now)) {
        case dwarf::typedef_type:
            name = name != nullptr ? name : name_of(*now);
            break;
        case dwarf::const_type:
        case dwarf::volatile_type:
        case dwarf::atomic_type:
            break;
        case dwarf::array_type:
            elements *= length_of(*now);
            break;
        default:
            return made_of(*now, name, elements);
        }
    }
    return {};
}

typed_debug_file::shape typed_debug_file::made_of(die &element, const char *name,
                                                  std::uint64_t elements) const {
    const int tag = library_.dwarf_tag(&element);
    const std::uint64_t said = number_of(element, dwarf::byte_size);
    const std::uint64_t bytes = tag == dwarf::pointer_type && said == 0 ? sizeof(void *) : said;
    const auto what = tag == dwarf::pointer_type ? std::optional{kind::pointer}
                      : tag == dwarf::base_type  ? kind_of(number_of(element, dwarf::encoding))
                                                 : std::nullopt;
    shape made{.bytes = elements * bytes};
    if (what) {
        name = name != nullptr ? name : tag == dwarf::pointer_type ? "pointer" : name_of(element);
        made.element = program_variable{{}, name != nullptr ? name : "", *what, bytes};
    }
    return made;
}

std::uint64_t typed_debug_file::length_of(die &array) const {
    std::uint64_t product = 1;
    die dimension{};
    if (library_.dwarf_child(&array, &dimension) != 0) {
        return 0;
    }
    do {
        if (library_.dwarf_tag(&dimension) == dwarf::subrange_type) {
            product *= length_of_dimension(dimension);
        }
    } while (library_.dwarf_siblingof(&dimension, &dimension) == 0);
    return product;
}

std::uint64_t typed_debug_file::length_of_dimension(die &dimension) const {
    constexpr unsigned lower_bound = 0x22;
    attribute room{};
    std::uint64_t bound = 0;
    if (attribute *const said = library_.dwarf_attr(&dimension, dwarf::count, &room);
        said != nullptr && library_.dwarf_formudata(said, &bound) == 0) {
        return bound;
    }
    attribute *const last = library_.dwarf_attr(&dimension, dwarf::upper_bound, &room);
    if (last == nullptr || library_.dwarf_formudata(last, &bound) != 0) {
        return 0;
    }
    attribute begin_room{};
    std::uint64_t first = 0;
    if (attribute *const said = library_.dwarf_attr(&dimension, lower_bound, &begin_room); said != nullptr) {
        library_.dwarf_formudata(said, &first);
    } else {
        first = is_of_fortran(dimension) ? 1 : 0;
    }
    return bound + 1 - first;
}

bool typed_debug_file::is_of_fortran(die &one) const {
    constexpr unsigned language = 0x13;
    constexpr std::uint64_t fortran[] = {0x07, 0x08, 0x0e, 0x22, 0x23, 0x2d};
    die *list = nullptr;
    const int scopes = library_.dwarf_getscopes_die(&one, &list);
    const std::unique_ptr<die[], decltype(&std::free)> owned{list, &std::free};
    if (scopes <= 0) {
        return false;
    }
    return std::ranges::find(fortran, number_of(list[scopes - 1], language)) != std::end(fortran);
}

} // namespace lisle
