// SPDX-License-Identifier: Apache-2.0
#include "launch/host/image/references.hpp"

#include <sys/mman.h>

namespace lisle::host {

reference_list::reference_list(const elf_file &file, const dynamic_tables &tables)
    : file_(file), tables_(tables) {
    read_relocations(tables.value_of(DT_RELA), tables.value_of(DT_RELASZ));
    read_relocations(tables.value_of(DT_JMPREL), tables.value_of(DT_PLTRELSZ));
}

void reference_list::check_writable(std::size_t address, std::size_t size) const {
    if (!file_.has_memory(address, size, PROT_WRITE)) {
        file_.malformed("a reference to a variable lies outside of its data");
    }
}

void reference_list::read_relocations(std::size_t address, std::size_t size) {
    if (size == 0) {
        return;
    }
    for (const Elf64_Rela &each :
         file_.array<Elf64_Rela>(file_.offset_of(address), size / sizeof(Elf64_Rela))) {
        read_relocation(each);
    }
}

void reference_list::read_relocation(const Elf64_Rela &entry) {
    const relocation kind = architecture::kind_of(ELF64_R_TYPE(entry.r_info));
    const std::size_t index = ELF64_R_SYM(entry.r_info);
    const auto &symbol = file_.at<Elf64_Sym>(tables_.symbols_offset() + index * sizeof(Elf64_Sym));
    const bool outer = index != 0 && symbol.st_shndx == SHN_UNDEF;
    const auto place =
        static_cast<std::size_t>(reinterpret_cast<const std::byte *>(&entry) - file_.bytes().data());
    switch (kind) {
    case relocation::copy:
        check_writable(entry.r_offset, symbol.st_size);
        outer_.push_back({entry.r_offset, tables_.name_of(symbol), symbol.st_size, 0, true, place});
        break;
    case relocation::address:
    case relocation::function:
        if (outer) {
            check_writable(entry.r_offset, sizeof(void *));
            outer_.push_back(
                {entry.r_offset, tables_.name_of(symbol), symbol.st_size, entry.r_addend, false, place});
        }
        break;
    case relocation::thread_local_module:
    case relocation::thread_local_offset:
    case relocation::thread_local_position:
    case relocation::thread_local_descriptor:
        add_thread_local(kind, entry, symbol, place);
        break;
    case relocation::by_code:
        has_resolvers_ = true;
        break;
    case relocation::other:
        break;
    }
}

void reference_list::add_thread_local(relocation kind, const Elf64_Rela &entry, const Elf64_Sym &symbol,
                                      std::size_t place) {
    const bool two_words =
        kind == relocation::thread_local_module || kind == relocation::thread_local_descriptor;
    check_writable(entry.r_offset, sizeof(std::uint64_t) * (two_words ? 2 : 1));
    const bool has_symbol = ELF64_R_SYM(entry.r_info) != 0;
    const bool defined = has_symbol && symbol.st_shndx != SHN_UNDEF;
    // A variable that is not visible outside of the file is the file's own.
    const bool own = !has_symbol || (defined && (ELF64_ST_BIND(symbol.st_info) == STB_LOCAL ||
                                                 ELF64_ST_VISIBILITY(symbol.st_other) != STV_DEFAULT));
    const std::int64_t within = own && defined ? static_cast<std::int64_t>(symbol.st_value) : 0;
    thread_locals_.push_back({kind, entry.r_offset, own ? std::string_view() : tables_.name_of(symbol),
                              within + entry.r_addend, place});
}

} // namespace lisle::host
