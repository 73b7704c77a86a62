// SPDX-License-Identifier: Apache-2.0
#include "datatype/type_outline.hpp"

#include <algorithm>
#include <limits>

#include "base/error.hpp"
#include "datatype/predefined.hpp"

namespace lisle {

namespace {

using run = type_outline::run;

/// Deeper nests are not followed: they may be deeper than the stack.
constexpr int most_levels = 32;

struct listing {
    type_outline &to;
    std::size_t runs = 0;

    [[nodiscard]] bool full() const noexcept { return to.whole == 0; }

    void add(basic_type basic, MPI_Count count) {
        constexpr MPI_Count most = std::numeric_limits<std::uint32_t>::max();
        if (runs > 0 && to.runs[runs - 1].basic == basic) {
            count += to.runs[runs - 1].count;
            --runs;
        } else if (runs == to.runs.size()) {
            to.whole = 0;
            return;
        }
        to.runs[runs++] = {basic, static_cast<std::uint32_t>(std::min(count, most))};
    }

    void add(const datatype &outer, MPI_Count count, int level) {
        const datatype &type = inside(outer);
        if (type.size() == 0 || count == 0) {
            return;
        }
        if (const auto basic = uniform_basic_type(type)) {
            add(*basic, count * (type.elements() / elements_of(*basic)));
            return;
        }
        if (level == most_levels) {
            to.whole = 0;
        }
        for (MPI_Count i = 0; i < count && !full(); ++i) {
            add_parts(type, level + 1);
        }
    }

  private:
    /// The type itself, without types around it that hold it once.
    static const datatype &inside(const datatype &outer) noexcept {
        const datatype *type = &outer;
        while (type->facts() == nullptr && type->origin().repetitions.empty() && type->size() != 0 &&
               type->origin().types.front()->size() == type->size()) {
            type = type->origin().types.front();
        }
        return *type;
    }
    static MPI_Count elements_of(basic_type basic) noexcept {
        return basic >= basic_type::pair_float32_int32 ? 2 : 1;
    }
    void add_parts(const datatype &type, int level) {
        const type_origin &origin = type.origin();
        if (origin.repetitions.empty()) {
            add(*origin.types.front(), type.size() / origin.types.front()->size(), level);
            return;
        }
        for (std::size_t i = 0; i < origin.repetitions.size() && !full(); ++i) {
            add(*origin.types[i], origin.repetitions[i], level);
        }
    }
};

constexpr std::array names{"nothing",
                           "a structure",
                           "MPI_SIGNED_CHAR",
                           "MPI_SHORT",
                           "MPI_INT",
                           "MPI_LONG",
                           "MPI_INTEGER16",
                           "MPI_UNSIGNED_CHAR",
                           "MPI_UNSIGNED_SHORT",
                           "MPI_UNSIGNED",
                           "MPI_UNSIGNED_LONG",
                           "MPI_REAL2",
                           "MPI_FLOAT",
                           "MPI_DOUBLE",
                           "MPI_LONG_DOUBLE",
                           "MPI_REAL16",
                           "MPI_COMPLEX4",
                           "MPI_C_FLOAT_COMPLEX",
                           "MPI_C_DOUBLE_COMPLEX",
                           "MPI_C_LONG_DOUBLE_COMPLEX",
                           "MPI_COMPLEX32",
                           "MPI_C_BOOL",
                           "MPI_LOGICAL1",
                           "MPI_LOGICAL2",
                           "MPI_LOGICAL4",
                           "MPI_LOGICAL8",
                           "MPI_LOGICAL16",
                           "MPI_BYTE",
                           "MPI_CHAR",
                           "MPI_WCHAR",
                           "MPI_FLOAT_INT",
                           "MPI_DOUBLE_INT",
                           "MPI_LONG_INT",
                           "MPI_2INT",
                           "MPI_SHORT_INT",
                           "MPI_LONG_DOUBLE_INT",
                           "MPI_2REAL",
                           "MPI_2DOUBLE_PRECISION"};
static_assert(names.size() == static_cast<std::size_t>(basic_type::pair_float64_float64) + 1);

/// What another rank has said may be anything.
const char *name_of(basic_type basic) noexcept {
    const auto index = static_cast<std::size_t>(basic);
    return index < names.size() ? names[index] : "an unknown type";
}

std::string in_words(const run &what, std::uint64_t times) {
    const std::uint64_t count = what.count * times;
    return count == 1 ? name_of(what.basic) : sentence(count, " ", name_of(what.basic));
}

} // namespace

type_outline outline_of(const datatype &type, MPI_Count elements) {
    type_outline made;
    made.elements = elements;
    listing{made}.add(type, 1, 0);
    return made;
}

type_outline outline_of(basic_type basic, MPI_Count bytes) {
    type_outline made;
    made.elements = bytes / size_of(basic);
    made.runs.front() = {basic, 1};
    return made;
}

std::string in_words(const type_outline &what) {
    const auto end = std::ranges::find(what.runs, 0U, &run::count);
    const auto runs = end - what.runs.begin();
    if (runs == 0) {
        return what.whole != 0 ? "nothing" : "a type of many levels";
    }
    if (runs == 1 && what.whole != 0) {
        return in_words(what.runs.front(), static_cast<std::uint64_t>(what.elements));
    }
    std::string text = what.elements == 1 ? "{" : sentence(what.elements, " of {");
    for (auto each = what.runs.begin(); each != end; ++each) {
        text += sentence(each == what.runs.begin() ? "" : ", ", in_words(*each, 1));
    }
    return text + (what.whole != 0 ? "}" : ", ...}");
}

} // namespace lisle
