// SPDX-License-Identifier: Apache-2.0
#include "launch/host/program_file.hpp"

#include "launch/host/architecture.hpp"
#include "launch/host/refusal.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace lisle::host {

namespace {

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(separator), text.size());
        if (end != 0) {
            parts.emplace_back(text.substr(0, end));
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return parts;
}

/// Open MPI's and MPICH's own binary interfaces. Each rank would find itself alone in its world.
bool is_other_mpi(const std::string &library) {
    return library.starts_with("libmpi.so.") || library.starts_with("libmpich.so.");
}

int protection_of(std::uint32_t flags) {
    return ((flags & PF_R) != 0 ? PROT_READ : 0) | ((flags & PF_W) != 0 ? PROT_WRITE : 0) |
           ((flags & PF_X) != 0 ? PROT_EXEC : 0);
}

} // namespace

std::string find_program(const std::string &name) {
    if (name.find('/') != std::string::npos) {
        return name;
    }
    const char *const search = std::getenv("PATH");
    for (const std::string &folder : split(search != nullptr ? search : "/usr/bin:/bin", ':')) {
        std::string candidate = folder + "/" + name;
        if (access(candidate.c_str(), X_OK) == 0) {
            return candidate;
        }
    }
    throw refusal(name + " was not found in PATH", 127);
}

program_file::program_file(std::string path) : path_(std::move(path)) {
    map();
    check_header();
    read_segments();
    read_dynamic();
}

program_file::~program_file() {
    munmap(const_cast<std::byte *>(bytes_.data()), bytes_.size());
    close(descriptor_);
}

template <class T> const T &program_file::at(std::size_t offset) const {
    return array<T>(offset, 1)[0];
}

template <class T> std::span<const T> program_file::array(std::size_t offset, std::size_t count) const {
    if (offset > bytes_.size() || count > (bytes_.size() - offset) / sizeof(T) || offset % alignof(T) != 0) {
        malformed("a table lies outside of the file");
    }
    return {reinterpret_cast<const T *>(bytes_.data() + offset), count};
}

void program_file::malformed(const char *what) const {
    throw refusal(path_ + " is not a sound executable: " + what);
}

std::size_t program_file::offset_of(std::size_t address) const {
    for (const segment &each : segments_) {
        if (each.holds(address)) {
            return each.offset + (address - each.address);
        }
    }
    malformed("an address lies outside of its segments");
}

std::string_view program_file::string(std::size_t index) const {
    const std::size_t offset = strings_ + index;
    if (offset >= bytes_.size()) {
        malformed("a name lies outside of the file");
    }
    const char *const text = reinterpret_cast<const char *>(bytes_.data() + offset);
    return {text, strnlen(text, bytes_.size() - offset)};
}

void program_file::map() {
    descriptor_ = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor_ < 0) {
        throw refusal(path_ + " cannot be opened: " + std::strerror(errno), errno == ENOENT ? 127 : 126);
    }
    struct stat status {};
    if (fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) {
        throw refusal(path_ + " is not a regular file", 126);
    }
    if (access(path_.c_str(), X_OK) != 0) {
        throw refusal(path_ + " is not executable by this user", 126);
    }
    if ((status.st_mode & (S_ISUID | S_ISGID)) != 0) {
        refuse_threads(path_, "it changes its user or group when started (setuid or setgid)");
    }
    const auto size = static_cast<std::size_t>(status.st_size);
    if (size < sizeof(Elf64_Ehdr)) {
        refuse_threads(path_, "it is not an ELF executable");
    }
    void *const base = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor_, 0);
    if (base == MAP_FAILED) {
        throw refusal(path_ + " cannot be mapped: " + std::strerror(errno), 126);
    }
    bytes_ = {static_cast<const std::byte *>(base), size};
}

void program_file::check_header() const {
    const Elf64_Ehdr &head = header();
    if (std::memcmp(head.e_ident, "#!", 2) == 0) {
        refuse_threads(path_, "it is a script (its first line names an interpreter)");
    }
    if (std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0) {
        refuse_threads(path_, "it is not an ELF executable");
    }
    if (head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_machine != architecture::machine) {
        refuse_threads(path_, std::string("it is built for another machine than this one, which is ") +
                                  architecture::name);
    }
    if (head.e_type == ET_EXEC) {
        refuse_threads(path_, "it is linked for a fixed address (-no-pie or -static); link it with -pie");
    }
    if (head.e_type != ET_DYN || head.e_phentsize != sizeof(Elf64_Phdr)) {
        refuse_threads(path_, "it is not an executable");
    }
}

void program_file::read_segments() {
    headers_ = array<Elf64_Phdr>(header().e_phoff, header().e_phnum);
    bool has_interpreter = false;
    const Elf64_Phdr *dynamic = nullptr;
    for (const Elf64_Phdr &each : headers_) {
        switch (each.p_type) {
        case PT_LOAD:
            static_cast<void>(array<std::byte>(each.p_offset, each.p_filesz));
            segments_.push_back(
                {each.p_offset, each.p_vaddr, each.p_filesz, each.p_memsz, protection_of(each.p_flags)});
            break;
        case PT_TLS:
            thread_locals_ = {each.p_vaddr, each.p_filesz, each.p_memsz,
                              std::max<std::size_t>(each.p_align, 1)};
            break;
        case PT_INTERP:
            has_interpreter = true;
            break;
        case PT_DYNAMIC:
            dynamic = &each;
            break;
        default:
            break;
        }
    }
    if (!has_interpreter || dynamic == nullptr) {
        refuse_threads(path_, "it is linked statically; link it dynamically");
    }
    if (header().e_entry == 0 || segments_.empty()) {
        malformed("it has no start address or no segments");
    }
    check_thread_locals();
    dynamic_offset_ = dynamic->p_offset;
    dynamic_ = array<Elf64_Dyn>(dynamic_offset_, dynamic->p_filesz / sizeof(Elf64_Dyn));
}

// The initial values are copied from a segment, so they must be in one.
void program_file::check_thread_locals() const {
    const thread_local_image &image = thread_locals_;
    if (image.memory_size == 0) {
        return;
    }
    const bool in_segment = std::ranges::any_of(segments_, [&](const segment &each) {
        return image.address >= each.address && image.address - each.address <= each.file_size &&
               image.file_size <= each.file_size - (image.address - each.address);
    });
    if (!in_segment || image.file_size > image.memory_size || !std::has_single_bit(image.alignment)) {
        malformed("its thread-local variables lie outside of its segments");
    }
}

void program_file::read_dynamic() {
    const auto find = [this](std::int64_t tag) -> std::size_t {
        const auto entry = std::ranges::find(dynamic_, tag, &Elf64_Dyn::d_tag);
        return entry != dynamic_.end() ? entry->d_un.d_val : 0;
    };
    const auto functions = [&](std::int64_t tag, std::int64_t size) {
        return function_array{find(tag), find(size) / sizeof(void *)};
    };
    functions_.before = functions(DT_PREINIT_ARRAY, DT_PREINIT_ARRAYSZ);
    functions_.first = find(DT_INIT);
    functions_.constructors = functions(DT_INIT_ARRAY, DT_INIT_ARRAYSZ);
    functions_.destructors = functions(DT_FINI_ARRAY, DT_FINI_ARRAYSZ);
    functions_.last = find(DT_FINI);
    for (const std::int64_t tag : {DT_SYMTAB, DT_STRTAB, DT_RELA, DT_JMPREL, DT_GNU_HASH, DT_HASH, DT_RELR,
                                   DT_VERSYM, DT_VERNEED, DT_VERDEF}) {
        if (const std::size_t address = find(tag); address != 0) {
            loader_tables_.push_back(address);
        }
    }
    if (find(DT_TEXTREL) != 0 || (find(DT_FLAGS) & DF_TEXTREL) != 0) {
        refuse_threads(path_, "its code holds absolute addresses (text relocations); compile it with -fPIE");
    }
    symbols_ = offset_of(find(DT_SYMTAB));
    strings_ = offset_of(find(DT_STRTAB));
    for (const Elf64_Dyn &each : dynamic_) {
        if (each.d_tag == DT_NEEDED) {
            needed_.emplace_back(string(each.d_un.d_val));
            if (is_other_mpi(needed_.back())) {
                throw refusal(path_ + " is linked with " + needed_.back() +
                              ", the library of another MPI; compile it with Lisle's mpicc or mpicxx");
            }
        }
    }
    const std::size_t folders = find(DT_RUNPATH) != 0 ? find(DT_RUNPATH) : find(DT_RPATH);
    if (folders != 0) {
        folders_ = split(string(folders), ':');
    }
    read_relocations(find(DT_RELA), find(DT_RELASZ));
    read_relocations(find(DT_JMPREL), find(DT_PLTRELSZ));
}

void program_file::add_reference(const Elf64_Rela &relocation, const Elf64_Sym &symbol, bool copy) {
    const std::size_t size = copy ? symbol.st_size : sizeof(void *);
    const bool writable = std::ranges::any_of(segments_, [&](const segment &each) {
        const std::size_t inside = relocation.r_offset - each.address;
        return (each.protection & PROT_WRITE) != 0 && inside < each.memory_size &&
               size <= each.memory_size - inside;
    });
    if (!writable) {
        malformed("a reference to a variable lies outside of its data");
    }
    references_.push_back({relocation.r_offset, string(symbol.st_name), symbol.st_size, copy});
}

void program_file::read_relocations(std::size_t address, std::size_t size) {
    if (size == 0) {
        return;
    }
    for (const Elf64_Rela &each : array<Elf64_Rela>(offset_of(address), size / sizeof(Elf64_Rela))) {
        const architecture::relocation kind = architecture::kind_of(ELF64_R_TYPE(each.r_info));
        const std::size_t index = ELF64_R_SYM(each.r_info);
        const auto &symbol = at<Elf64_Sym>(symbols_ + index * sizeof(Elf64_Sym));
        switch (kind) {
        case architecture::relocation::copy:
            add_reference(each, symbol, true);
            break;
        case architecture::relocation::address:
            if (index != 0 && symbol.st_shndx == SHN_UNDEF && ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT) {
                add_reference(each, symbol, false);
            }
            break;
        case architecture::relocation::thread_local_variable:
            if (index == 0 || symbol.st_shndx != SHN_UNDEF) {
                refuse_threads(path_,
                               "its thread-local variables are reached through the loader (linked with "
                               "--no-relax?)");
            }
            break;
        case architecture::relocation::by_code:
            resolves_by_code_ = true;
            break;
        case architecture::relocation::other:
            break;
        }
    }
}

bool program_file::read_by_loader(const segment &which) const noexcept {
    return resolves_by_code_ || which.offset == 0 || (which.protection & PROT_WRITE) != 0 ||
           std::ranges::any_of(loader_tables_, [&](std::size_t table) { return which.holds(table); });
}

} // namespace lisle::host
