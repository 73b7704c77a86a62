// SPDX-License-Identifier: Apache-2.0
// Data in a type that MPIX_Type_create_section has made: the elements of another type, which a program counts
// as if they followed each other. They are converted in that form, and passed in it to conversion functions
// of the program.
#pragma once

#include <cstddef>
#include <vector>

#include "datatype/typed_buffer.hpp"
#include "mpix.h"

namespace lisle::file {

[[nodiscard]] inline bool is_section(const datatype &type) noexcept {
    return type.origin().combiner == MPIX_COMBINER_SECTION;
}

/// Memory for the elements of a section's type, one after the other.
class element_sequence {
  public:
    /// @pre is_section(*of.type), and there are data
    explicit element_sequence(const typed_buffer &of);

    [[nodiscard]] const typed_buffer &elements() const noexcept { return elements_; }

  private:
    std::vector<std::byte> memory_;
    typed_buffer elements_;
};

} // namespace lisle::file
