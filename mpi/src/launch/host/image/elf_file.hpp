// SPDX-License-Identifier: Apache-2.0
// An ELF file, mapped to be read: its header, its segments, its thread-local image, and where its dynamic
// section is. Nothing in it is trusted, so each offset is checked against the file's size before it is
// followed.
#pragma once

#include "launch/host/architecture/architecture.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <elf.h>
#include <span>
#include <string>
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
    /// Whether so many bytes from this address are in its memory.
    [[nodiscard]] bool has_memory(std::size_t at, std::size_t size) const noexcept {
        return at - address < memory_size && size <= memory_size - (at - address);
    }
};

/// What a file is to the program.
enum class role { program, library };

class elf_file {
  public:
    /// Maps and checks the file. Throws `refusal` for whatever cannot be loaded as an image.
    elf_file(std::string path, role as);
    ~elf_file();
    elf_file(const elf_file &) = delete;
    elf_file &operator=(const elf_file &) = delete;

    [[nodiscard]] const std::string &path() const noexcept { return path_; }
    [[nodiscard]] role as() const noexcept { return role_; }
    [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
    [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return bytes_; }
    [[nodiscard]] const Elf64_Ehdr &header() const noexcept {
        return *reinterpret_cast<const Elf64_Ehdr *>(bytes_.data()); // the size was checked when mapping
    }
    [[nodiscard]] std::span<const Elf64_Phdr> program_headers() const noexcept { return headers_; }
    [[nodiscard]] const std::vector<segment> &segments() const noexcept { return segments_; }
    [[nodiscard]] std::size_t entry() const { return header().e_entry; }
    [[nodiscard]] const thread_local_image &thread_locals() const noexcept { return thread_locals_; }
    /// Whether its code runs on the stack, too.
    [[nodiscard]] bool needs_executable_stack() const noexcept {
        return std::ranges::any_of(headers_, [](const Elf64_Phdr &each) {
            return each.p_type == PT_GNU_STACK && (each.p_flags & PF_X) != 0;
        });
    }
    /// Whether so many bytes from this address are in one segment with these bits of protection.
    [[nodiscard]] bool has_memory(std::size_t address, std::size_t size, int protection = 0) const noexcept;
    /// The end of the last segment in memory.
    [[nodiscard]] std::size_t memory_end() const noexcept {
        return segments_.back().address + segments_.back().memory_size;
    }
    /// File offset of the dynamic section, and all that may be an entry of it.
    [[nodiscard]] std::size_t dynamic_offset() const noexcept { return dynamic_offset_; }
    [[nodiscard]] std::span<const Elf64_Dyn> dynamic_section() const noexcept { return dynamic_; }

    /// A table in the file, checked to lie in it; one object.
    template <class T> std::span<const T> array(std::size_t offset, std::size_t count) const;
    template <class T> const T &at(std::size_t offset) const { return array<T>(offset, 1)[0]; }
    /// Where in the file an address of the image is.
    [[nodiscard]] std::size_t offset_of(std::size_t address) const;
    /// Refuses the file.
    [[noreturn]] void malformed(const char *what) const;

  private:
    void map();
    void check_header() const;
    void read_segments();
    void check_segment(const Elf64_Phdr &each) const;
    void check_thread_locals() const;

    std::string path_;
    role role_;
    int descriptor_ = -1;
    std::span<const std::byte> bytes_;
    std::span<const Elf64_Phdr> headers_;
    std::vector<segment> segments_;
    thread_local_image thread_locals_;
    std::size_t dynamic_offset_ = 0;
    std::span<const Elf64_Dyn> dynamic_;
};

template <class T> std::span<const T> elf_file::array(std::size_t offset, std::size_t count) const {
    if (offset > bytes_.size() || count > (bytes_.size() - offset) / sizeof(T) || offset % alignof(T) != 0) {
        malformed("a table lies outside of the file");
    }
    return {reinterpret_cast<const T *>(bytes_.data() + offset), count};
}

} // namespace lisle::host
