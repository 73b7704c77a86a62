// SPDX-License-Identifier: Apache-2.0
#include "launch/host/image/dynamic_tables.hpp"

#include "base/text.hpp"
#include "launch/host/rank/refusal.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <sys/mman.h>

namespace lisle::host {

namespace {

std::vector<std::string> folders_in(std::string_view list) {
    const std::vector<std::string_view> folders = words_of(list, ":");
    return {folders.begin(), folders.end()};
}

} // namespace

dynamic_tables::dynamic_tables(const elf_file &file) : file_(file), entries_(file.dynamic_section()) {
    find_end();
    read_functions();
    refuse_text_relocations();
    read_names();
    read_needed_versions();
}

void dynamic_tables::find_end() {
    const auto end = std::ranges::find(entries_, DT_NULL, &Elf64_Dyn::d_tag);
    if (end == entries_.end()) {
        file_.malformed("its dynamic section has no end");
    }
    entries_ = entries_.first(static_cast<std::size_t>(end - entries_.begin()));
}

// The host calls them itself.
void dynamic_tables::read_functions() {
    const auto functions = [&](std::int64_t tag, std::int64_t size) {
        return function_array{value_of(tag), value_of(size) / sizeof(void *)};
    };
    functions_.before = functions(DT_PREINIT_ARRAY, DT_PREINIT_ARRAYSZ);
    functions_.first = value_of(DT_INIT);
    functions_.constructors = functions(DT_INIT_ARRAY, DT_INIT_ARRAYSZ);
    functions_.destructors = functions(DT_FINI_ARRAY, DT_FINI_ARRAYSZ);
    functions_.last = value_of(DT_FINI);
    const auto check_code = [&](std::size_t address) {
        const bool sound = address == 0 || std::ranges::any_of(file_.segments(), [&](const segment &each) {
                               return (each.protection & PROT_EXEC) != 0 && each.holds(address);
                           });
        if (!sound) {
            file_.malformed("a function to run at its start or end is not in its code");
        }
    };
    check_code(functions_.first);
    check_code(functions_.last);
    for (const function_array &each : {functions_.before, functions_.constructors, functions_.destructors}) {
        if (each.count != 0) {
            static_cast<void>(file_.array<std::size_t>(file_.offset_of(each.address), each.count));
        }
    }
}

void dynamic_tables::refuse_text_relocations() const {
    if (std::ranges::find(entries_, DT_TEXTREL, &Elf64_Dyn::d_tag) != entries_.end() ||
        (value_of(DT_FLAGS) & DF_TEXTREL) != 0) {
        refuse_threads(file_.path(),
                       std::string("its code holds absolute addresses (text relocations); compile it with ") +
                           (file_.as() == role::program ? "-fPIE" : "-fPIC"));
    }
}

std::string_view dynamic_tables::string(std::size_t index) const {
    // Names beyond the table's own segment are those of an edited copy.
    const std::size_t offset =
        index < strings_size_ ? strings_offset_ + index : file_.offset_of(strings_address() + index);
    const char *const text = reinterpret_cast<const char *>(file_.bytes().data() + offset);
    const std::size_t length = strnlen(text, file_.bytes().size() - offset);
    if (length == file_.bytes().size() - offset) {
        file_.malformed("a name has no end");
    }
    return {text, length};
}

std::size_t dynamic_tables::value_of(std::int64_t tag) const noexcept {
    const auto entry = std::ranges::find(entries_, tag, &Elf64_Dyn::d_tag);
    return entry != entries_.end() ? entry->d_un.d_val : 0;
}

void dynamic_tables::read_names() {
    strings_offset_ = file_.offset_of(strings_address());
    const auto around = std::ranges::find_if(
        file_.segments(), [&](const segment &each) { return each.holds(strings_address()); });
    strings_size_ = around->offset + around->file_size - strings_offset_;
    symbols_offset_ = file_.offset_of(value_of(DT_SYMTAB));
    symbols_ = file_.array<Elf64_Sym>(symbols_offset_, symbol_count());
    for (const Elf64_Dyn &each : entries_) {
        if (each.d_tag == DT_NEEDED) {
            needed_.emplace_back(string(each.d_un.d_val));
        }
    }
    if (const std::size_t folders = value_of(DT_RUNPATH); folders != 0) {
        run_folders_ = folders_in(string(folders));
    } else if (const std::size_t old = value_of(DT_RPATH); old != 0) {
        old_folders_ = folders_in(string(old));
    }
}

// No entry says how many symbols there are; the hash tables, which cover all, do so indirectly.
std::size_t dynamic_tables::symbol_count() const {
    if (const std::size_t table = value_of(DT_HASH); table != 0) {
        return file_.at<std::uint32_t>(file_.offset_of(table) +
                                       sizeof(std::uint32_t)); // one chain entry for each
    }
    const std::size_t table = value_of(DT_GNU_HASH);
    if (table == 0) {
        return 0;
    }
    const std::size_t offset = file_.offset_of(table);
    const auto head =
        file_.array<std::uint32_t>(offset, 4); // buckets, first hashed symbol, filter words, shift
    const std::size_t buckets_offset =
        offset + sizeof(std::uint32_t) * 4 + std::size_t{head[2]} * sizeof(void *);
    const auto buckets = file_.array<std::uint32_t>(buckets_offset, head[0]);
    std::size_t last = buckets.empty() ? 0 : std::ranges::max(buckets);
    if (last < head[1]) {
        return head[1]; // nothing is hashed
    }
    const std::size_t chains = buckets_offset + buckets.size_bytes();
    while ((file_.at<std::uint32_t>(chains + (last - head[1]) * sizeof(std::uint32_t)) & 1) == 0) {
        ++last; // a set bit ends the chain; at() ends a chain that never does
    }
    return last + 1;
}

void dynamic_tables::read_needed_versions() {
    const std::size_t address = value_of(DT_VERNEED);
    if (address == 0) {
        return;
    }
    std::size_t count = value_of(DT_VERNEEDNUM);
    needed_versions_.offset = file_.offset_of(address);
    for (std::size_t offset = needed_versions_.offset; count != 0; --count) {
        const auto &entry = file_.at<Elf64_Verneed>(offset);
        static_cast<void>(string(entry.vn_file));
        offset += entry.vn_next;
        needed_versions_.size = offset - needed_versions_.offset + sizeof entry;
        if (entry.vn_next == 0) {
            return;
        }
    }
}

bool dynamic_tables::has_indirect_functions() const noexcept {
    return std::ranges::any_of(symbols_, [](const Elf64_Sym &each) {
        return each.st_shndx != SHN_UNDEF && ELF64_ST_TYPE(each.st_info) == STT_GNU_IFUNC;
    });
}

bool dynamic_tables::has_table_in(const segment &which) const noexcept {
    constexpr std::array<std::int64_t, 10> tables{DT_SYMTAB, DT_STRTAB, DT_RELA,   DT_JMPREL,  DT_GNU_HASH,
                                                  DT_HASH,   DT_RELR,   DT_VERSYM, DT_VERNEED, DT_VERDEF};
    return std::ranges::any_of(tables, [&](std::int64_t tag) {
        const std::size_t address = value_of(tag);
        return address != 0 && which.holds(address);
    });
}

} // namespace lisle::host
