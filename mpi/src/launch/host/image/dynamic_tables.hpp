// SPDX-License-Identifier: Apache-2.0
// The dynamic section of a program or library, and the tables that it points to: names, symbols, needed
// libraries and versions, functions to run at the start and the end.
#pragma once

#include "launch/host/image/elf_file.hpp"

#include <string_view>

namespace lisle::host {

/// Functions to call, given as an array in the image.
struct function_array {
    std::size_t address = 0;
    std::size_t count = 0;
};

/// What runs before main and after it; addresses are relative to the image, 0 means none.
struct life_cycle {
    function_array before; ///< DT_PREINIT_ARRAY
    std::size_t first = 0; ///< DT_INIT
    function_array constructors;
    function_array destructors;
    std::size_t last = 0; ///< DT_FINI
};

/// A part of the file, as a place in it.
struct file_range {
    std::size_t offset = 0;
    std::size_t size = 0;
};

class dynamic_tables {
  public:
    /// Reads and checks them. Throws `refusal`. @pre the file outlives it
    explicit dynamic_tables(const elf_file &file);

    /// The entries of the dynamic section; the value of the first with this tag, 0 if there is none.
    [[nodiscard]] std::span<const Elf64_Dyn> entries() const noexcept { return entries_; }
    [[nodiscard]] std::size_t value_of(std::int64_t tag) const noexcept;
    [[nodiscard]] const life_cycle &functions() const noexcept { return functions_; }
    /// Names of the libraries that the file names itself.
    [[nodiscard]] const std::vector<std::string> &needed() const noexcept { return needed_; }
    /// Folders of DT_RUNPATH, as written; of DT_RPATH only if there is no DT_RUNPATH, as loaders do.
    [[nodiscard]] const std::vector<std::string> &run_folders() const noexcept { return run_folders_; }
    [[nodiscard]] const std::vector<std::string> &old_folders() const noexcept { return old_folders_; }
    /// Dynamic symbols, where they lie in the file, and a symbol's name.
    [[nodiscard]] std::span<const Elf64_Sym> symbols() const noexcept { return symbols_; }
    [[nodiscard]] std::size_t symbols_offset() const noexcept { return symbols_offset_; }
    [[nodiscard]] std::string_view name_of(const Elf64_Sym &symbol) const { return string(symbol.st_name); }
    /// The string that starts this far into the table of names; the table's relative address.
    [[nodiscard]] std::string_view string(std::size_t index) const;
    [[nodiscard]] std::size_t strings_address() const noexcept { return value_of(DT_STRTAB); }
    [[nodiscard]] file_range needed_versions() const noexcept { return needed_versions_; }
    /// Whether names are found by DT_GNU_HASH.
    [[nodiscard]] bool has_modern_hash() const noexcept { return value_of(DT_GNU_HASH) != 0; }
    /// Whether one of the symbols stands for what a function of the file returns (STT_GNU_IFUNC).
    [[nodiscard]] bool has_indirect_functions() const noexcept;
    /// Whether a table that the loader reads begins in the segment.
    [[nodiscard]] bool has_table_in(const segment &which) const noexcept;

  private:
    void find_end();
    void read_functions();
    void refuse_text_relocations() const;
    void read_names();
    [[nodiscard]] std::size_t symbol_count() const;
    void read_needed_versions();

    const elf_file &file_;
    std::span<const Elf64_Dyn> entries_;
    life_cycle functions_;
    std::vector<std::string> needed_;
    std::vector<std::string> run_folders_;
    std::vector<std::string> old_folders_;
    std::size_t symbols_offset_ = 0;
    std::span<const Elf64_Sym> symbols_;
    std::size_t strings_offset_ = 0;
    std::size_t strings_size_ = 0; ///< to the end of the segment that it is in
    file_range needed_versions_;
};

} // namespace lisle::host
