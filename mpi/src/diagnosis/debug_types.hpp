// SPDX-License-Identifier: Apache-2.0
// What a file's debug information says of the types of variables: of what elements they are made.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "diagnosis/debug_library.hpp"
#include "diagnosis/program_variable.hpp"

namespace lisle {

class typed_debug_file : public debug_file {
  public:
    using debug_file::debug_file;

  protected:
    /// Of a variable.
    struct shape {
        std::uint64_t bytes = 0; ///< 0: not known
        std::optional<program_variable> element{};
    };
    [[nodiscard]] shape shape_of(die &variable) const;
    [[nodiscard]] const char *name_of(die &one) const { return library_.dwarf_diename(&one); }

  private:
    [[nodiscard]] std::optional<die> type_of(die &one) const;
    /// @param name of the type, if it has got one already
    [[nodiscard]] shape made_of(die &element, const char *name, std::uint64_t elements) const;
    /// Elements of an array; 0: not known.
    [[nodiscard]] std::uint64_t length_of(die &array) const;
    [[nodiscard]] std::uint64_t length_of_dimension(die &dimension) const;
    /// Where arrays begin with 1 unless they say something else.
    [[nodiscard]] bool is_of_fortran(die &one) const;
};

} // namespace lisle
