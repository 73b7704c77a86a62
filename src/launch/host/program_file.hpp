// SPDX-License-Identifier: Apache-2.0
// An executable file as the host needs it: where its segments, its start code, its constructors and its
// thread-local image are, and which of its references to data have to be looked at. Reads the file only;
// nothing in it is trusted, so each offset is checked against the file's size before it is followed.
#pragma once

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

/// A relocation that binds a variable of a shared library by name.
struct data_reference {
    std::size_t address; ///< of the word to fill or, for a copy, of the program's own object
    std::string_view symbol;
    std::size_t size; ///< of the object, for a copy
    bool copy;        ///< the program holds the object itself (R_*_COPY)
};

class program_file {
  public:
    /// Reads and checks the file. Throws `refusal` for whatever cannot be loaded as an image.
    explicit program_file(std::string path);
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
    [[nodiscard]] const std::vector<data_reference> &data_references() const noexcept { return references_; }
    /// Sonames of the libraries that it names itself.
    [[nodiscard]] const std::vector<std::string> &needed() const noexcept { return needed_; }
    /// Folders of DT_RUNPATH (or DT_RPATH), as written.
    [[nodiscard]] const std::vector<std::string> &library_folders() const noexcept { return folders_; }
    /// File offset of the dynamic section, and its entries.
    [[nodiscard]] std::size_t dynamic_offset() const noexcept { return dynamic_offset_; }
    [[nodiscard]] std::span<const Elf64_Dyn> dynamic() const noexcept { return dynamic_; }
    /// Whether loading calls code of the image (IFUNC resolvers), which must then be there at that time.
    [[nodiscard]] bool resolves_by_code() const noexcept { return resolves_by_code_; }
    /// Whether the segment holds tables that the loader reads.
    [[nodiscard]] bool read_by_loader(const segment &which) const noexcept;

  private:
    template <class T> const T &at(std::size_t offset) const;
    template <class T> std::span<const T> array(std::size_t offset, std::size_t count) const;
    [[nodiscard]] std::size_t offset_of(std::size_t address) const;
    [[nodiscard]] std::string_view string(std::size_t index) const;
    void map();
    void check_header() const;
    void read_segments();
    void check_thread_locals() const;
    void add_reference(const Elf64_Rela &relocation, const Elf64_Sym &symbol, bool copy);
    void read_dynamic();
    void read_relocations(std::size_t address, std::size_t bytes);
    [[noreturn]] void malformed(const char *what) const;

    std::string path_;
    int descriptor_ = -1;
    std::span<const std::byte> bytes_;
    std::span<const Elf64_Phdr> headers_;
    std::vector<segment> segments_;
    thread_local_image thread_locals_;
    life_cycle functions_;
    std::vector<data_reference> references_;
    std::vector<std::string> needed_;
    std::vector<std::string> folders_;
    std::vector<std::size_t> loader_tables_;
    std::size_t dynamic_offset_ = 0;
    std::span<const Elf64_Dyn> dynamic_;
    std::size_t symbols_ = 0;
    std::size_t strings_ = 0;
    bool resolves_by_code_ = false;
};

/// Finds the program as execvp would: a name without a slash is looked for in PATH.
[[nodiscard]] std::string find_program(const std::string &name);

} // namespace lisle::host
