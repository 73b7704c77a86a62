// SPDX-License-Identifier: Apache-2.0
// The relocations of a program or library that the host has to look at.
#pragma once

#include "launch/host/image/dynamic_tables.hpp"

namespace lisle::host {

/// A relocation that binds a variable or a function of another file by name.
struct outer_reference {
    std::size_t address; ///< of the word to fill or, for a copy, of the program's own object
    std::string_view symbol;
    std::size_t size;    ///< of the object, for a copy
    std::int64_t addend; ///< to be added to the address, otherwise
    bool copy;           ///< the program holds the object itself (R_*_COPY)
    std::size_t entry;   ///< file offset of the relocation itself
};

/// A relocation that says where a thread-local variable is.
struct thread_local_reference {
    relocation kind;
    std::size_t address;     ///< of the word, or of the first of two, to fill
    std::string_view symbol; ///< empty: the file's own, by its place only
    std::int64_t place;      ///< to be added: place in the file's own image, or from the symbol's place
    std::size_t entry;       ///< file offset of the relocation itself
};

class reference_list {
  public:
    /// Reads and checks them. Throws `refusal`. @pre file and tables outlive it
    reference_list(const elf_file &file, const dynamic_tables &tables);

    [[nodiscard]] const std::vector<outer_reference> &outer() const noexcept { return outer_; }
    [[nodiscard]] const std::vector<thread_local_reference> &thread_locals() const noexcept {
        return thread_locals_;
    }
    /// Whether one of them asks code of the image for its value (R_*_IRELATIVE).
    [[nodiscard]] bool has_resolvers() const noexcept { return has_resolvers_; }

  private:
    void read_relocations(std::size_t address, std::size_t bytes);
    void read_relocation(const Elf64_Rela &entry);
    void add_thread_local(relocation kind, const Elf64_Rela &entry, const Elf64_Sym &symbol,
                          std::size_t place);
    void check_writable(std::size_t address, std::size_t size) const;

    const elf_file &file_;
    const dynamic_tables &tables_;
    std::vector<outer_reference> outer_;
    std::vector<thread_local_reference> thread_locals_;
    bool has_resolvers_ = false;
};

} // namespace lisle::host
