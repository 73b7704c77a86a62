// SPDX-License-Identifier: Apache-2.0
#include "launch/host/image/elf_file.hpp"

#include "launch/host/architecture/pages.hpp"
#include "launch/host/rank/refusal.hpp"

#include <bit>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace lisle::host {

namespace {

int protection_of(std::uint32_t flags) {
    return ((flags & PF_R) != 0 ? PROT_READ : 0) | ((flags & PF_W) != 0 ? PROT_WRITE : 0) |
           ((flags & PF_X) != 0 ? PROT_EXEC : 0);
}

} // namespace

elf_file::elf_file(std::string path, role as) : path_(std::move(path)), role_(as) {
    map();
    check_header();
    read_segments();
}

elf_file::~elf_file() {
    munmap(const_cast<std::byte *>(bytes_.data()), bytes_.size());
    close(descriptor_);
}

void elf_file::malformed(const char *what) const {
    throw refusal(path_ +
                  (role_ == role::program ? " is not a sound executable: " : " is not a sound library: ") +
                  what);
}

std::size_t elf_file::offset_of(std::size_t address) const {
    for (const segment &each : segments_) {
        if (each.holds(address)) {
            return each.offset + (address - each.address);
        }
    }
    malformed("an address lies outside of its segments");
}

void elf_file::map() {
    descriptor_ = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor_ < 0) {
        throw refusal(path_ + " cannot be opened: " + std::strerror(errno), errno == ENOENT ? 127 : 126);
    }
    struct stat status {};
    if (fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) {
        throw refusal(path_ + " is not a regular file", 126);
    }
    if (role_ == role::program && access(path_.c_str(), X_OK) != 0) {
        throw refusal(path_ + " is not executable by this user", 126);
    }
    if (role_ == role::program && (status.st_mode & (S_ISUID | S_ISGID)) != 0) {
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

void elf_file::check_header() const {
    const Elf64_Ehdr &head = header();
    if (std::memcmp(head.e_ident, "#!", 2) == 0) {
        refuse_threads(path_, "it is a script (its first line names an interpreter)");
    }
    if (std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0) {
        refuse_threads(path_, "it is not an ELF executable");
    }
    if (architecture::machine == EM_NONE) {
        refuse_threads(path_, "ranks are threads or fibers on x86-64 and 64-bit ARM alone");
    }
    if (head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_machine != architecture::machine) {
        refuse_threads(path_, std::string("it is built for another machine than this one, which is ") +
                                  architecture::name);
    }
    if (head.e_type == ET_EXEC) {
        refuse_threads(path_, "it is linked for a fixed address (-no-pie or -static); link it with -pie");
    }
    if (head.e_type != ET_DYN || head.e_phnum == 0 || head.e_phentsize != sizeof(Elf64_Phdr)) {
        refuse_threads(path_, "it is not an executable");
    }
}

void elf_file::read_segments() {
    headers_ = array<Elf64_Phdr>(header().e_phoff, header().e_phnum);
    bool has_interpreter = false;
    const Elf64_Phdr *dynamic = nullptr;
    for (const Elf64_Phdr &each : headers_) {
        switch (each.p_type) {
        case PT_LOAD:
            check_segment(each);
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
    if (role_ == role::program && (!has_interpreter || dynamic == nullptr)) {
        refuse_threads(path_, "it is linked statically; link it dynamically");
    }
    if (dynamic == nullptr || segments_.empty() || (role_ == role::program && header().e_entry == 0)) {
        malformed("it has no start address, no segments or no dynamic section");
    }
    if (segments_.front().offset != 0 || segments_.front().file_size < sizeof(Elf64_Ehdr) ||
        header().e_phoff > segments_.front().file_size ||
        headers_.size_bytes() > segments_.front().file_size - header().e_phoff) {
        malformed("its headers do not lie in its first segment");
    }
    check_thread_locals();
    dynamic_offset_ = offset_of(dynamic->p_vaddr);
    dynamic_ = array<Elf64_Dyn>(dynamic_offset_, dynamic->p_filesz / sizeof(Elf64_Dyn));
}

// The loader maps segments where they say, so they must be in order and of a size that can be.
void elf_file::check_segment(const Elf64_Phdr &each) const {
    constexpr std::size_t most = std::size_t{1} << 46;
    static_cast<void>(array<std::byte>(each.p_offset, each.p_filesz));
    if (each.p_filesz > each.p_memsz || each.p_vaddr > most || each.p_memsz > most ||
        (each.p_vaddr - each.p_offset) % page != 0) {
        malformed("a segment has an impossible place or size");
    }
    if (!segments_.empty() && (page_floor(each.p_vaddr) < memory_end())) {
        malformed("its segments overlap or are not in order");
    }
}

// The initial values are copied from a segment, so they must be in one.
void elf_file::check_thread_locals() const {
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

bool elf_file::has_memory(std::size_t address, std::size_t size, int protection) const noexcept {
    return std::ranges::any_of(segments_, [&](const segment &each) {
        return (each.protection & protection) == protection && each.has_memory(address, size);
    });
}

} // namespace lisle::host
