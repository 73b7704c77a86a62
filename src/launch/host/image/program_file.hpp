// SPDX-License-Identifier: Apache-2.0
// An executable, or a shared library of its own, as the host needs it: where its segments, its start code,
// its constructors and its thread-local image are, and which of its references have to be looked at. Reads
// the file only; nothing in it is trusted, so each offset is checked against the file's size before it is
// followed.
#pragma once

#include "launch/host/image/relocation.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <elf.h>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lisle::host {

/// One loadable segment.
struct segment {
    std::size_t offset;
    std::size_t address;
    std::size_t file_size;
    std::size_t memory_size;
    int protection; ///< PROT_ bits
    [[nodiscard]] bool holds(std::size_t at) const noexcept { return at - address < file_size; }
};

/// The initial image of the program's thread-local variables; `memory_size` 0: it has none.
struct thread_local_image {
    std::size_t address = 0;
    std::size_t file_size = 0;
    std::size_t memory_size = 0;
    std::size_t alignment = 1;
};

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

/// A part of the file, as a place in it.
struct file_range {
    std::size_t offset = 0;
    std::size_t size = 0;
};

/// What a file is to the program.
enum class role { program, library };

class program_file {
  public:
    /// Reads and checks the file. Throws `refusal` for whatever cannot be loaded as an image.
    explicit program_file(std::string path, role as = role::program);
    ~program_file();
    program_file(const program_file &) = delete;
    program_file &operator=(const program_file &) = delete;

    [[nodiscard]] const std::string &path() const noexcept { return path_; }
    [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
    [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return bytes_; }
    [[nodiscard]] const Elf64_Ehdr &header() const noexcept {
        return *reinterpret_cast<const Elf64_Ehdr *>(bytes_.data()); // the size was checked when mapping
    }
    [[nodiscard]] std::span<const Elf64_Phdr> program_headers() const noexcept { return headers_; }
    [[nodiscard]] const std::vector<segment> &segments() const noexcept { return segments_; }
    [[nodiscard]] std::size_t entry() const { return header().e_entry; }
    [[nodiscard]] const thread_local_image &thread_locals() const noexcept { return thread_locals_; }
    [[nodiscard]] const life_cycle &functions() const noexcept { return functions_; }
    [[nodiscard]] const std::vector<outer_reference> &outer_references() const noexcept {
        return references_;
    }
    [[nodiscard]] const std::vector<thread_local_reference> &thread_local_references() const noexcept {
        return thread_local_references_;
    }
    /// Names of the libraries that it names itself.
    [[nodiscard]] const std::vector<std::string> &needed() const noexcept { return needed_; }
    /// Folders of DT_RUNPATH, as written; of DT_RPATH only if there is no DT_RUNPATH, as loaders do.
    [[nodiscard]] const std::vector<std::string> &run_folders() const noexcept { return run_folders_; }
    [[nodiscard]] const std::vector<std::string> &old_folders() const noexcept { return old_folders_; }
    /// Dynamic symbols, and a symbol's name.
    [[nodiscard]] std::span<const Elf64_Sym> symbols() const noexcept { return symbol_table_; }
    [[nodiscard]] std::string_view name_of(const Elf64_Sym &symbol) const { return string(symbol.st_name); }
    /// Where the symbols and the needed versions lie; the string that starts this far into the names.
    [[nodiscard]] std::size_t symbols_offset() const noexcept { return symbols_; }
    [[nodiscard]] file_range needed_versions() const noexcept { return needed_versions_; }
    [[nodiscard]] std::string_view string(std::size_t index) const;
    /// Whether names are found by DT_GNU_HASH.
    [[nodiscard]] bool has_modern_hash() const noexcept { return value_of(DT_GNU_HASH) != 0; }
    /// Relative address of the table of names.
    [[nodiscard]] std::size_t strings_address() const noexcept { return strings_address_; }
    /// Whether it has variables that its code may change, besides the two words that every library has.
    [[nodiscard]] bool has_variables() const noexcept;
    /// Whether its code runs on the stack, too.
    [[nodiscard]] bool needs_executable_stack() const noexcept {
        return std::ranges::any_of(headers_, [](const Elf64_Phdr &each) {
            return each.p_type == PT_GNU_STACK && (each.p_flags & PF_X) != 0;
        });
    }
    /// Whether so many bytes from this address are in one segment.
    [[nodiscard]] bool has_memory(std::size_t address, std::size_t size) const noexcept;
    /// The end of the last segment in memory.
    [[nodiscard]] std::size_t memory_end() const noexcept {
        return segments_.back().address + segments_.back().memory_size;
    }
    /// A table in the file, checked to lie in it.
    template <class T> std::span<const T> array(std::size_t offset, std::size_t count) const;
    /// File offset of the dynamic section, and its entries.
    [[nodiscard]] std::size_t dynamic_offset() const noexcept { return dynamic_offset_; }
    [[nodiscard]] std::span<const Elf64_Dyn> dynamic() const noexcept { return dynamic_; }
    /// Whether loading calls code of the image (IFUNC resolvers), which must then be there at that time.
    [[nodiscard]] bool resolves_by_code() const noexcept { return resolves_by_code_; }
    /// Whether the segment holds tables that the loader reads.
    [[nodiscard]] bool read_by_loader(const segment &which) const noexcept;

  private:
    template <class T> const T &at(std::size_t offset) const { return array<T>(offset, 1)[0]; }
    [[nodiscard]] std::size_t offset_of(std::size_t address) const;
    [[nodiscard]] std::size_t value_of(std::int64_t tag) const noexcept;
    void map();
    void check_header() const;
    void read_segments();
    void check_segment(const Elf64_Phdr &each) const;
    void check_thread_locals() const;
    void check_writable(std::size_t address, std::size_t size) const;
    void check_functions() const;
    void add_thread_local(relocation kind, const Elf64_Rela &entry, const Elf64_Sym &symbol,
                          std::size_t place);
    void read_dynamic();
    void read_names();
    void read_needed_versions();
    [[nodiscard]] std::size_t symbol_count() const;
    void read_relocations(std::size_t address, std::size_t bytes);
    void read_relocation(const Elf64_Rela &entry);
    [[noreturn]] void malformed(const char *what) const;

    std::string path_;
    role role_;
    int descriptor_ = -1;
    std::span<const std::byte> bytes_;
    std::span<const Elf64_Phdr> headers_;
    std::vector<segment> segments_;
    thread_local_image thread_locals_;
    life_cycle functions_;
    std::vector<outer_reference> references_;
    std::vector<thread_local_reference> thread_local_references_;
    std::vector<std::string> needed_;
    std::vector<std::string> run_folders_;
    std::vector<std::string> old_folders_;
    std::vector<std::size_t> loader_tables_;
    std::size_t dynamic_offset_ = 0;
    std::span<const Elf64_Dyn> dynamic_;
    std::span<const Elf64_Sym> symbol_table_;
    std::size_t symbols_ = 0;
    std::size_t strings_ = 0;
    std::size_t strings_address_ = 0;
    file_range needed_versions_;
    bool resolves_by_code_ = false;
};

template <class T> std::span<const T> program_file::array(std::size_t offset, std::size_t count) const {
    if (offset > bytes_.size() || count > (bytes_.size() - offset) / sizeof(T) || offset % alignof(T) != 0) {
        malformed("a table lies outside of the file");
    }
    return {reinterpret_cast<const T *>(bytes_.data() + offset), count};
}

/// Finds the program as execvp would: a name without a slash is looked for in PATH.
[[nodiscard]] std::string find_program(const std::string &name);

/// The parts of a list, without empty ones.
[[nodiscard]] std::vector<std::string> split(std::string_view text, std::string_view separators);

} // namespace lisle::host
