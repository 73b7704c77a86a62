// SPDX-License-Identifier: Apache-2.0
#include "launch/host/image/program_file.hpp"

#include "base/text.hpp"
#include "launch/host/rank/refusal.hpp"

#include <algorithm>
#include <cstdlib>
#include <sys/mman.h>
#include <unistd.h>

namespace lisle::host {

// What is writable, without what the loader protects after relocation and the table of functions' addresses.
bool program_file::has_variables() const noexcept {
    constexpr std::size_t of_every_library = 2 * sizeof(void *); // __dso_handle, and a mark that it has ended
    constexpr std::size_t head_of_table = 3 * sizeof(void *);
    std::size_t protected_from = 0;
    std::size_t protected_to = 0;
    for (const Elf64_Phdr &each : program_headers()) {
        if (each.p_type == PT_GNU_RELRO) {
            protected_from = each.p_vaddr;
            protected_to = each.p_vaddr + each.p_memsz;
        }
    }
    std::size_t bytes = thread_locals().memory_size;
    for (const segment &each : segments()) {
        if ((each.protection & PROT_WRITE) != 0) {
            const std::size_t end = each.address + each.memory_size;
            const std::size_t from = std::clamp(protected_from, each.address, end);
            bytes += each.memory_size - (std::clamp(protected_to, from, end) - from);
        }
    }
    if (const std::size_t table = tables_.value_of(DT_PLTGOT); table != 0) {
        const std::size_t end =
            table + head_of_table + tables_.value_of(DT_PLTRELSZ) / sizeof(Elf64_Rela) * sizeof(void *);
        const std::size_t open = end - std::min(end, std::max(table, protected_to));
        bytes -= std::min(bytes, open);
    }
    return bytes > of_every_library;
}

bool program_file::read_by_loader(const segment &which) const noexcept {
    return references_.has_resolvers() || tables_.has_indirect_functions() || which.offset == 0 ||
           (which.protection & PROT_WRITE) != 0 || tables_.has_table_in(which);
}

std::string find_program(const std::string &name) {
    if (name.find('/') != std::string::npos) {
        return name;
    }
    const char *const search = std::getenv("PATH");
    for (const std::string_view folder : words_of(search != nullptr ? search : "/usr/bin:/bin", ":")) {
        std::string candidate = std::string(folder) + "/" + name;
        if (access(candidate.c_str(), X_OK) == 0) {
            return candidate;
        }
    }
    throw refusal(name + " was not found in PATH", 127);
}

} // namespace lisle::host
