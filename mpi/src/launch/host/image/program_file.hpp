// SPDX-License-Identifier: Apache-2.0
// An executable, or a shared library of its own, as the host needs it: its segments, its tables and its
// references.
#pragma once

#include "launch/host/image/dynamic_tables.hpp"
#include "launch/host/image/elf_file.hpp"
#include "launch/host/image/references.hpp"

#include <string>

namespace lisle::host {

class program_file : public elf_file {
  public:
    /// Reads and checks the file. Throws `refusal` for whatever cannot be loaded as an image.
    explicit program_file(std::string path, role as = role::program)
        : elf_file(std::move(path), as), tables_(*this), references_(*this, tables_) {}

    [[nodiscard]] const dynamic_tables &tables() const noexcept { return tables_; }
    [[nodiscard]] const reference_list &references() const noexcept { return references_; }
    /// Whether it has variables that its code may change, besides the two words that every library has.
    [[nodiscard]] bool has_variables() const noexcept;
    /// Whether the segment holds what the loader reads, or code that it calls (IFUNC resolvers): this must be
    /// there when the file is loaded.
    [[nodiscard]] bool read_by_loader(const segment &which) const noexcept;

  private:
    dynamic_tables tables_;
    reference_list references_;
};

/// Finds the program as execvp would: a name without a slash is looked for in PATH.
[[nodiscard]] std::string find_program(const std::string &name);

} // namespace lisle::host
