// SPDX-License-Identifier: Apache-2.0
#include "launch/host/image/loading_stub.hpp"

#include "launch/host/architecture/architecture.hpp"

#include <array>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>

namespace lisle::host {

namespace {

constexpr std::size_t header_count = 3;

/// What lies before the dynamic section.
struct stub_head {
    Elf64_Ehdr header{};
    std::array<Elf64_Phdr, header_count> segments{};
    Elf64_Sym no_symbol{};
    std::uint32_t hash[4] = {1, 1, 0, 0}; ///< one bucket, one symbol, nothing in it
};

template <class T> void append(std::vector<std::byte> &to, const T &value) {
    const auto *const bytes = reinterpret_cast<const std::byte *>(&value);
    to.insert(to.end(), bytes, bytes + sizeof value);
}

} // namespace

std::vector<std::byte> loading_stub(std::span<const std::string> needed) {
    std::string names(1, '\0');
    std::vector<Elf64_Dyn> entries;
    for (const std::string &each : needed) {
        entries.push_back({DT_NEEDED, {names.size()}});
        names += each;
        names += '\0';
    }
    constexpr std::size_t fixed_entries = 6;
    const std::size_t names_at = sizeof(stub_head) + (entries.size() + fixed_entries) * sizeof(Elf64_Dyn);
    entries.push_back({DT_HASH, {offsetof(stub_head, hash)}});
    entries.push_back({DT_SYMTAB, {offsetof(stub_head, no_symbol)}});
    entries.push_back({DT_SYMENT, {sizeof(Elf64_Sym)}});
    entries.push_back({DT_STRTAB, {names_at}});
    entries.push_back({DT_STRSZ, {names.size()}});
    entries.push_back({DT_NULL, {0}});

    stub_head head;
    std::memcpy(head.header.e_ident, ELFMAG, SELFMAG);
    head.header.e_ident[EI_CLASS] = ELFCLASS64;
    head.header.e_ident[EI_DATA] = ELFDATA2LSB;
    head.header.e_ident[EI_VERSION] = EV_CURRENT;
    head.header.e_type = ET_DYN;
    head.header.e_machine = architecture::machine;
    head.header.e_version = EV_CURRENT;
    head.header.e_phoff = offsetof(stub_head, segments);
    head.header.e_ehsize = sizeof(Elf64_Ehdr);
    head.header.e_phentsize = sizeof(Elf64_Phdr);
    head.header.e_phnum = header_count;
    const std::size_t size = names_at + names.size();
    head.segments[0] = {PT_LOAD, PF_R | PF_W, 0,    0,
                        0,       size,        size, 4096}; // the loader writes to the dynamic section
    head.segments[1] = {PT_DYNAMIC,
                        PF_R | PF_W,
                        sizeof(stub_head),
                        sizeof(stub_head),
                        sizeof(stub_head),
                        entries.size() * sizeof(Elf64_Dyn),
                        entries.size() * sizeof(Elf64_Dyn),
                        8};
    head.segments[2] = {PT_GNU_STACK, PF_R | PF_W, 0, 0, 0, 0, 0, 16};

    std::vector<std::byte> file;
    append(file, head);
    for (const Elf64_Dyn &each : entries) {
        append(file, each);
    }
    const auto *const text = reinterpret_cast<const std::byte *>(names.data());
    file.insert(file.end(), text, text + names.size());
    return file;
}

void unname_stub(void *handle) noexcept {
    link_map *map = nullptr;
    if (handle != nullptr && dlinfo(handle, RTLD_DI_LINKMAP, static_cast<void *>(&map)) == 0) {
        map->l_name = strdup("");
    }
}

} // namespace lisle::host
