// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <elf.h>
#include <link.h>
#include <string_view>

namespace lisle {

/// The address of a symbol that a loaded file exports; null: it has none. dlsym() needs a handle, and
/// dlopen() finds files by their names, of which thread ranks have several of one name.
[[nodiscard]] inline void *symbol_in_file(const link_map &file, std::string_view name) noexcept {
    const ElfW(Sym) *symbols = nullptr;
    const char *texts = nullptr;
    const std::uint32_t *table = nullptr;
    for (const ElfW(Dyn) *each = file.l_ld; each->d_tag != DT_NULL; ++each) {
        // The loader has made addresses of most of these, but not where it cannot write.
        const ElfW(Addr) place = each->d_un.d_ptr + (each->d_un.d_ptr < file.l_addr ? file.l_addr : 0);
        if (each->d_tag == DT_SYMTAB) {
            symbols = reinterpret_cast<const ElfW(Sym) *>(place);
        } else if (each->d_tag == DT_STRTAB) {
            texts = reinterpret_cast<const char *>(place);
        } else if (each->d_tag == DT_GNU_HASH) {
            table = reinterpret_cast<const std::uint32_t *>(place);
        }
    }
    if (symbols == nullptr || texts == nullptr || table == nullptr) {
        return nullptr;
    }
    std::uint32_t hash = 5381;
    for (const char letter : name) {
        hash = hash * 33 + static_cast<unsigned char>(letter);
    }
    const std::uint32_t bucket_count = table[0], first_symbol = table[1], filter_words = table[2];
    const std::uint32_t *const buckets = table + 4 + filter_words * (sizeof(ElfW(Addr)) / sizeof *table);
    const std::uint32_t *const hashes = buckets + bucket_count;
    std::uint32_t at = bucket_count != 0 ? buckets[hash % bucket_count] : 0;
    for (bool last = at < first_symbol; !last; ++at) {
        const std::uint32_t found = hashes[at - first_symbol];
        if ((found | 1) == (hash | 1) && texts + symbols[at].st_name == name) {
            return symbols[at].st_shndx != SHN_UNDEF
                       ? reinterpret_cast<void *>(file.l_addr + symbols[at].st_value)
                       : nullptr;
        }
        last = (found & 1) != 0;
    }
    return nullptr;
}

} // namespace lisle
