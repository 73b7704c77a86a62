// SPDX-License-Identifier: Apache-2.0
#include "api/host_variables.hpp"

#include <optional>
#include <string>
#include <utility>

#include "abi/call_address.hpp"
#include "abi/call_place.hpp"
#include "abi/mistakes.hpp"
#include "api/buffer_use.hpp"
#include "api/place_limit.hpp"
#include "base/error.hpp"
#include "datatype/datatype.hpp"
#include "datatype/predefined.hpp"
#include "datatype/type_outline.hpp"
#include "diagnosis/program_variable.hpp"
#include "execution/rank_local.hpp"

namespace lisle::abi {

namespace {

using kind = program_variable::kind;

/// Which calls have been looked at.
const rank_local<place_limit> looked;

/// What elements of a datatype are; nothing: what may be anything, or is of several kinds.
std::optional<kind> kind_of(basic_type type) {
    if (type >= basic_type::int8 && type <= basic_type::uint64) {
        return kind::integer;
    }
    if (type >= basic_type::float16 && type <= basic_type::float128) {
        return kind::real;
    }
    if (type >= basic_type::complex_float16 && type <= basic_type::complex_float128) {
        return kind::complex;
    }
    return std::nullopt;
}

/// True of what no program means. Texts hold anything, and so do single bytes; a complex number is two real
/// ones; and whether an integer has a sign is left aside.
bool fit(const program_variable &has, kind said, std::uint64_t bytes) {
    if (has.element_bytes <= 1 || bytes <= 1 || has.elements == kind::character ||
        has.elements == kind::logical) {
        return true;
    }
    if (has.elements == kind::pointer) {
        return said == kind::integer && bytes == has.element_bytes;
    }
    const bool halves =
        (has.elements == kind::complex && said == kind::real && has.element_bytes == 2 * bytes) ||
        (has.elements == kind::real && said == kind::complex && bytes == 2 * has.element_bytes);
    return halves || (has.elements == said && has.element_bytes == bytes);
}

std::optional<program_variable> variable_at(std::uintptr_t address, const watched_list &used) {
    if (const auto frame = holder_of(used)) {
        const code_place code = place_of(frame->function);
        const auto place = static_cast<std::int64_t>(address - frame->end);
        return code.file.empty() ? std::nullopt : local_variable(code.file, code.offsets.front(), place);
    }
    const code_place place = place_of(reinterpret_cast<const void *>(address));
    return place.file.empty() ? std::nullopt : static_variable(place.file, place.offsets.front());
}

void look_at_buffer(const typed_buffer &buffer, const watched_memory &memory, const call_address &call) {
    const basic_type basic = buffer.type->basic();
    const auto said = kind_of(basic);
    const auto address = memory.address();
    if (!said || !address) {
        return;
    }
    watched_list alone{false};
    alone.add(memory.how(), {buffer});
    const auto found = variable_at(*address, alone);
    const auto bytes = static_cast<std::uint64_t>(size_of(basic));
    if (found && !fit(*found, *said, bytes)) {
        report_mistake(
            sentence(in_words(call), " ", memory.how() == watched_memory::use::reads ? "reads " : "writes ",
                     in_words(outline_of(*buffer.type, buffer.count)), " in the variable ", found->name,
                     ", whose elements are of type ", found->type, ", of ", found->element_bytes, " bytes"));
    }
}

} // namespace

void look_at_variables(const watched_list &used) {
    const call_address call = current_address();
    if (used.all().empty() || !looked->wants(call.site)) {
        return;
    }
    for (const watched_memory &memory : used.all()) {
        if (memory.buffers().size() == 1) {
            look_at_buffer(memory.buffers().front(), memory, call);
        }
    }
}

} // namespace lisle::abi
