// SPDX-License-Identifier: Apache-2.0
// The dynamic section of a program or library and the tables that it points to: names, symbols, needed
// libraries and versions, relocations.
#include "launch/host/image/architecture.hpp"
#include "launch/host/image/program_file.hpp"
#include "launch/host/life/refusal.hpp"

#include <algorithm>
#include <cstring>
#include <sys/mman.h>

namespace lisle::host {

namespace {

/// Open MPI's and MPICH's own binary interfaces. Each rank would find itself alone in its world.
bool is_other_mpi(const std::string &library) {
    return library.starts_with("libmpi.so.") || library.starts_with("libmpich.so.");
}

} // namespace

std::string_view program_file::string(std::size_t index) const {
    if (index >= bytes_.size() || strings_ >= bytes_.size() - index) {
        malformed("a name lies outside of the file");
    }
    const std::size_t offset = strings_ + index;
    const char *const text = reinterpret_cast<const char *>(bytes_.data() + offset);
    const std::size_t length = strnlen(text, bytes_.size() - offset);
    if (length == bytes_.size() - offset) {
        malformed("a name has no end");
    }
    return {text, length};
}

std::size_t program_file::value_of(std::int64_t tag) const noexcept {
    const auto entry = std::ranges::find(dynamic_, tag, &Elf64_Dyn::d_tag);
    return entry != dynamic_.end() ? entry->d_un.d_val : 0;
}

void program_file::read_dynamic() {
    const auto end = std::ranges::find(dynamic_, DT_NULL, &Elf64_Dyn::d_tag);
    if (end == dynamic_.end()) {
        malformed("its dynamic section has no end");
    }
    dynamic_ = dynamic_.first(static_cast<std::size_t>(end - dynamic_.begin()));
    const auto functions = [&](std::int64_t tag, std::int64_t size) {
        return function_array{value_of(tag), value_of(size) / sizeof(void *)};
    };
    functions_.before = functions(DT_PREINIT_ARRAY, DT_PREINIT_ARRAYSZ);
    functions_.first = value_of(DT_INIT);
    functions_.constructors = functions(DT_INIT_ARRAY, DT_INIT_ARRAYSZ);
    functions_.destructors = functions(DT_FINI_ARRAY, DT_FINI_ARRAYSZ);
    functions_.last = value_of(DT_FINI);
    check_functions();
    for (const std::int64_t tag : {DT_SYMTAB, DT_STRTAB, DT_RELA, DT_JMPREL, DT_GNU_HASH, DT_HASH, DT_RELR,
                                   DT_VERSYM, DT_VERNEED, DT_VERDEF}) {
        if (const std::size_t address = value_of(tag); address != 0) {
            loader_tables_.push_back(address);
        }
    }
    if (std::ranges::find(dynamic_, DT_TEXTREL, &Elf64_Dyn::d_tag) != dynamic_.end() ||
        (value_of(DT_FLAGS) & DF_TEXTREL) != 0) {
        refuse_threads(path_,
                       std::string("its code holds absolute addresses (text relocations); compile it with ") +
                           (role_ == role::program ? "-fPIE" : "-fPIC"));
    }
    read_names();
    read_needed_versions();
    read_relocations(value_of(DT_RELA), value_of(DT_RELASZ));
    read_relocations(value_of(DT_JMPREL), value_of(DT_PLTRELSZ));
}

// The host calls them itself.
void program_file::check_functions() const {
    const auto check_code = [&](std::size_t address) {
        const bool sound = address == 0 || std::ranges::any_of(segments_, [&](const segment &each) {
                               return (each.protection & PROT_EXEC) != 0 && each.holds(address);
                           });
        if (!sound) {
            malformed("a function to run at its start or end is not in its code");
        }
    };
    check_code(functions_.first);
    check_code(functions_.last);
    for (const function_array &each : {functions_.before, functions_.constructors, functions_.destructors}) {
        if (each.count != 0) {
            static_cast<void>(array<std::size_t>(offset_of(each.address), each.count));
        }
    }
}

void program_file::read_names() {
    strings_address_ = value_of(DT_STRTAB);
    strings_ = offset_of(strings_address_);
    symbols_ = offset_of(value_of(DT_SYMTAB));
    symbol_table_ = array<Elf64_Sym>(symbols_, symbol_count());
    for (const Elf64_Sym &each : symbol_table_) {
        resolves_by_code_ |= each.st_shndx != SHN_UNDEF && ELF64_ST_TYPE(each.st_info) == STT_GNU_IFUNC;
    }
    for (const Elf64_Dyn &each : dynamic_) {
        if (each.d_tag == DT_NEEDED) {
            needed_.emplace_back(string(each.d_un.d_val));
            if (is_other_mpi(needed_.back())) {
                throw refusal(path_ + " is linked with " + needed_.back() +
                              ", the library of another MPI; compile it with Lisle's mpicc or mpicxx");
            }
        }
    }
    if (const std::size_t folders = value_of(DT_RUNPATH); folders != 0) {
        run_folders_ = split(string(folders), ":");
    } else if (const std::size_t old = value_of(DT_RPATH); old != 0) {
        old_folders_ = split(string(old), ":");
    }
}

// No entry says how many symbols there are; the hash tables, which cover all, do so indirectly.
std::size_t program_file::symbol_count() const {
    if (const std::size_t table = value_of(DT_HASH); table != 0) {
        return at<std::uint32_t>(offset_of(table) + sizeof(std::uint32_t)); // one chain entry for each
    }
    const std::size_t table = value_of(DT_GNU_HASH);
    if (table == 0) {
        return 0;
    }
    const std::size_t offset = offset_of(table);
    const auto head = array<std::uint32_t>(offset, 4); // buckets, first hashed symbol, filter words, shift
    const std::size_t buckets_offset =
        offset + sizeof(std::uint32_t) * 4 + std::size_t{head[2]} * sizeof(void *);
    const auto buckets = array<std::uint32_t>(buckets_offset, head[0]);
    std::size_t last = buckets.empty() ? 0 : std::ranges::max(buckets);
    if (last < head[1]) {
        return head[1]; // nothing is hashed
    }
    const std::size_t chains = buckets_offset + buckets.size_bytes();
    while ((at<std::uint32_t>(chains + (last - head[1]) * sizeof(std::uint32_t)) & 1) == 0) {
        ++last; // a set bit ends the chain; at() ends a chain that never does
    }
    return last + 1;
}

void program_file::read_needed_versions() {
    const std::size_t address = value_of(DT_VERNEED);
    if (address == 0) {
        return;
    }
    std::size_t count = value_of(DT_VERNEEDNUM);
    needed_versions_.offset = offset_of(address);
    for (std::size_t offset = needed_versions_.offset; count != 0; --count) {
        const auto &entry = at<Elf64_Verneed>(offset);
        static_cast<void>(string(entry.vn_file));
        offset += entry.vn_next;
        needed_versions_.size = offset - needed_versions_.offset + sizeof entry;
        if (entry.vn_next == 0) {
            return;
        }
    }
}

void program_file::check_writable(std::size_t address, std::size_t size) const {
    const bool writable = std::ranges::any_of(segments_, [&](const segment &each) {
        const std::size_t inside = address - each.address;
        return (each.protection & PROT_WRITE) != 0 && inside < each.memory_size &&
               size <= each.memory_size - inside;
    });
    if (!writable) {
        malformed("a reference to a variable lies outside of its data");
    }
}

void program_file::read_relocations(std::size_t address, std::size_t size) {
    if (size == 0) {
        return;
    }
    for (const Elf64_Rela &each : array<Elf64_Rela>(offset_of(address), size / sizeof(Elf64_Rela))) {
        read_relocation(each);
    }
}

void program_file::read_relocation(const Elf64_Rela &entry) {
    const relocation kind = architecture::kind_of(ELF64_R_TYPE(entry.r_info));
    const std::size_t index = ELF64_R_SYM(entry.r_info);
    const auto &symbol = at<Elf64_Sym>(symbols_ + index * sizeof(Elf64_Sym));
    const bool outer = index != 0 && symbol.st_shndx == SHN_UNDEF;
    const auto place = static_cast<std::size_t>(reinterpret_cast<const std::byte *>(&entry) - bytes_.data());
    switch (kind) {
    case relocation::copy:
        check_writable(entry.r_offset, symbol.st_size);
        references_.push_back({entry.r_offset, name_of(symbol), symbol.st_size, 0, true, place});
        break;
    case relocation::address:
    case relocation::function:
        if (outer) {
            check_writable(entry.r_offset, sizeof(void *));
            references_.push_back(
                {entry.r_offset, name_of(symbol), symbol.st_size, entry.r_addend, false, place});
        }
        break;
    case relocation::thread_local_module:
    case relocation::thread_local_offset:
    case relocation::thread_local_position:
    case relocation::thread_local_descriptor:
        add_thread_local(kind, entry, symbol, place);
        break;
    case relocation::by_code:
        resolves_by_code_ = true;
        break;
    case relocation::other:
        break;
    }
}

void program_file::add_thread_local(relocation kind, const Elf64_Rela &entry, const Elf64_Sym &symbol,
                                    std::size_t place) {
    const bool two_words =
        kind == relocation::thread_local_module || kind == relocation::thread_local_descriptor;
    check_writable(entry.r_offset, sizeof(std::uint64_t) * (two_words ? 2 : 1));
    const bool has_symbol = ELF64_R_SYM(entry.r_info) != 0;
    const bool defined = has_symbol && symbol.st_shndx != SHN_UNDEF;
    // Nobody else's variable can stand for one that is not visible.
    const bool own = !has_symbol || (defined && (ELF64_ST_BIND(symbol.st_info) == STB_LOCAL ||
                                                 ELF64_ST_VISIBILITY(symbol.st_other) != STV_DEFAULT));
    const std::int64_t within = own && defined ? static_cast<std::int64_t>(symbol.st_value) : 0;
    thread_local_references_.push_back(
        {kind, entry.r_offset, own ? std::string_view() : name_of(symbol), within + entry.r_addend, place});
}

} // namespace lisle::host
