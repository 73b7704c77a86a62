// SPDX-License-Identifier: Apache-2.0
#include "launch/plan/linked_mpi.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <string_view>
#include <type_traits>
#include <unistd.h>
#include <vector>

#include "launch/common/descriptor.hpp"
#include "launch/common/other_mpi.hpp"

namespace lisle::launch {

namespace {

/// Reads an executable as far as the names of its libraries. Whatever the file says is taken as a claim: what
/// lies outside of it reads as nothing.
class executable {
  public:
    explicit executable(const std::string &path) : file_{open(path.c_str(), O_RDONLY | O_CLOEXEC)} {}

    std::vector<std::string> libraries() {
        read_segments();
        for (const auto &segment : segments_) {
            if (segment.p_type == PT_DYNAMIC) {
                return named_in(segment);
            }
        }
        return {};
    }

    std::string loader() {
        read_segments();
        for (const auto &segment : segments_) {
            if (segment.p_type == PT_INTERP) {
                return text_at(segment.p_offset);
            }
        }
        return {};
    }

  private:
    void read_segments() {
        const auto header = read_at<Elf64_Ehdr>(0);
        if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
            header.e_phentsize != sizeof(Elf64_Phdr)) {
            return;
        }
        for (std::uint64_t i = 0; i < header.e_phnum; ++i) {
            segments_.push_back(read_at<Elf64_Phdr>(header.e_phoff + i * sizeof(Elf64_Phdr)));
        }
    }

    template <class Value> Value read_at(std::uint64_t offset) const {
        static_assert(std::is_trivially_copyable_v<Value>);
        Value value{};
        const auto got = pread(file_.get(), &value, sizeof value, static_cast<off_t>(offset));
        return got == static_cast<ssize_t>(sizeof value) ? value : Value{};
    }

    [[nodiscard]] std::uint64_t offset_of(std::uint64_t address) const {
        for (const auto &segment : segments_) {
            if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
                address - segment.p_vaddr < segment.p_filesz) {
                return segment.p_offset + (address - segment.p_vaddr);
            }
        }
        return 0;
    }

    [[nodiscard]] std::string text_at(std::uint64_t offset) const {
        char text[256] = {};
        const auto got = pread(file_.get(), text, sizeof text - 1, static_cast<off_t>(offset));
        return got > 0 ? text : std::string{};
    }

    [[nodiscard]] std::vector<std::string> named_in(const Elf64_Phdr &dynamic) const {
        constexpr std::uint64_t most_entries = 4096;
        std::vector<std::uint64_t> names;
        std::uint64_t strings = 0;
        for (std::uint64_t i = 0; i < std::min(most_entries, dynamic.p_filesz / sizeof(Elf64_Dyn)); ++i) {
            const auto entry = read_at<Elf64_Dyn>(dynamic.p_offset + i * sizeof(Elf64_Dyn));
            if (entry.d_tag == DT_NULL) {
                break;
            }
            if (entry.d_tag == DT_NEEDED) {
                names.push_back(entry.d_un.d_val);
            } else if (entry.d_tag == DT_STRTAB) {
                strings = offset_of(entry.d_un.d_ptr);
            }
        }
        std::vector<std::string> libraries;
        for (const auto name : names) {
            libraries.push_back(text_at(strings + name));
        }
        return libraries;
    }

    descriptor file_;
    std::vector<Elf64_Phdr> segments_;
};

} // namespace

std::vector<std::string> libraries_of_others(const std::string &path) {
    auto libraries = executable{path}.libraries();
    std::erase_if(libraries, [](const std::string &library) { return !is_other_mpi(library); });
    return libraries;
}

std::string loader_of(const std::string &path) {
    return executable{path}.loader();
}

bool is_linked_with_lisle(const std::string &path) {
    const auto libraries = executable{path}.libraries();
    return std::ranges::find(libraries, "libmpi_abi.so.1") != libraries.end();
}

} // namespace lisle::launch
