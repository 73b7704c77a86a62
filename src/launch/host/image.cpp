// SPDX-License-Identifier: Apache-2.0
#include "launch/host/image.hpp"

#include "launch/host/real.hpp"
#include "launch/host/refusal.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <filesystem>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

namespace lisle::host {

namespace {

// A tag that no loader knows, so that the entry is passed over.
constexpr std::int64_t inert_tag = 0x6000115e;

constexpr std::size_t page = 4096;
std::size_t page_floor(std::size_t at) {
    return at & ~(page - 1);
}
std::size_t page_ceiling(std::size_t at) {
    return page_floor(at + page - 1);
}

/// A descriptor of an anonymous file that is closed at the end of the scope; mappings keep the file.
class anonymous_file {
  public:
    explicit anonymous_file(const program_file &program) : program_(program) {
        const std::size_t slash = program.path().rfind('/');
        const std::string name = program.path().substr(slash == std::string::npos ? 0 : slash + 1, 200);
        descriptor_ = memfd_create(name.c_str(), MFD_CLOEXEC);
        if (descriptor_ < 0 || ftruncate(descriptor_, static_cast<off_t>(program.bytes().size())) != 0) {
            fail("creating it");
        }
    }
    ~anonymous_file() { close(descriptor_); }
    anonymous_file(const anonymous_file &) = delete;
    anonymous_file &operator=(const anonymous_file &) = delete;

    [[nodiscard]] int descriptor() const { return descriptor_; }

    void write(const void *data, std::size_t size, std::size_t offset) const {
        const char *from = static_cast<const char *>(data);
        while (size != 0) {
            const ssize_t done = pwrite(descriptor_, from, size, static_cast<off_t>(offset));
            if (done <= 0) {
                fail("writing it");
            }
            from += done;
            size -= static_cast<std::size_t>(done);
            offset += static_cast<std::size_t>(done);
        }
    }

    [[noreturn]] void fail(const char *what) const {
        throw refusal("an image of " + program_.path() + " needs an anonymous file; " + what +
                      " failed: " + std::strerror(errno));
    }

  private:
    const program_file &program_;
    int descriptor_;
};

/// The loader refuses executables and would give each image thread-local memory of its own, for which
/// there is room for about 430 images; constructors are run by the rank. RELRO would split a mapping.
void write_edited_headers(const anonymous_file &copy, const program_file &program) {
    Elf64_Ehdr header = program.header();
    header.e_shoff = 0;
    header.e_shnum = 0;
    header.e_shstrndx = SHN_UNDEF;
    copy.write(&header, sizeof header, 0);

    std::vector<Elf64_Phdr> headers(program.program_headers().begin(), program.program_headers().end());
    for (Elf64_Phdr &each : headers) {
        if (each.p_type == PT_TLS || each.p_type == PT_GNU_RELRO) {
            each.p_type = PT_NULL;
        }
    }
    copy.write(headers.data(), headers.size() * sizeof(Elf64_Phdr), program.header().e_phoff);

    std::vector<Elf64_Dyn> entries(program.dynamic().begin(), program.dynamic().end());
    for (Elf64_Dyn &each : entries) {
        switch (each.d_tag) {
        case DT_FLAGS_1:
            each.d_un.d_val &= ~static_cast<Elf64_Xword>(DF_1_PIE);
            break;
        case DT_INIT:
        case DT_INIT_ARRAY:
        case DT_INIT_ARRAYSZ:
        case DT_FINI:
        case DT_FINI_ARRAY:
        case DT_FINI_ARRAYSZ:
        case DT_PREINIT_ARRAY:
        case DT_PREINIT_ARRAYSZ:
            each.d_tag = inert_tag;
            break;
        default:
            break;
        }
    }
    copy.write(entries.data(), entries.size() * sizeof(Elf64_Dyn), program.dynamic_offset());
}

/// A name of the file that no other image ever had: the loader takes equal names for equal files, and
/// descriptors are reused. "./" and "/" say the index in binary, which the kernel does not mind.
std::string distinct_name(const anonymous_file &copy, int index) {
    std::string name = "/proc/" + std::to_string(getpid()) + "/fd/";
    for (; index != 0; index /= 2) {
        name += index % 2 != 0 ? "./" : "/";
    }
    return name + std::to_string(copy.descriptor());
}

/// Puts the file's own pages, which all images and processes share, in place of the copy's.
void share_segment(const program_file &program, const segment &which, std::byte *base) {
    const std::size_t first = page_floor(which.address);
    const std::size_t size = page_ceiling(which.address + which.file_size) - first;
    void *const where = base + first;
    if (mmap(where, size, which.protection, MAP_PRIVATE | MAP_FIXED, program.descriptor(),
             static_cast<off_t>(page_floor(which.offset))) != where) {
        throw refusal("mapping code of " + program.path() + " failed: " + std::strerror(errno));
    }
}

bool is_shared(const program_file &program, const segment &which) {
    return !program.read_by_loader(which) && which.file_size == which.memory_size && which.file_size != 0;
}

using plain_function = void (*)();
using main_function = void (*)(int, char **, char **);

template <class Function> Function function_at(const std::byte *address) {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
    return reinterpret_cast<Function>(reinterpret_cast<std::uintptr_t>(address));
}

} // namespace

image::image(const program_file &program, int index) {
    const anonymous_file copy(program);
    for (const segment &each : program.segments()) {
        if (!is_shared(program, each)) {
            copy.write(program.bytes().data() + each.offset, each.file_size, each.offset);
        }
    }
    write_edited_headers(copy, program);

    handle_ = dlopen(distinct_name(copy, index).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr) {
        throw refusal("loading an image of " + program.path() + " failed: " + dlerror());
    }
    link_map *map = nullptr;
    dlinfo(handle_, RTLD_DI_LINKMAP, &map);
    base_ = reinterpret_cast<std::byte *>(map->l_addr);
    size_ = page_ceiling(program.segments().back().address + program.segments().back().memory_size);
    // Debuggers and sanitizers look for symbols under this name, whatever folder they are in.
    char *const name = realpath(program.path().c_str(), nullptr);
    map->l_name = name != nullptr ? name : strdup(program.path().c_str());
    for (const segment &each : program.segments()) {
        if (is_shared(program, each)) {
            share_segment(program, each, base_);
        }
    }
}

void image::construct(const program_file &program, int argc, char **argv, char **environment) const {
    const life_cycle &functions = program.functions();
    const auto call_all = [&](const function_array &array) {
        for (std::size_t i = 0; i != array.count; ++i) {
            reinterpret_cast<main_function *>(base_ + array.address)[i](argc, argv, environment);
        }
    };
    call_all(functions.before);
    if (functions.first != 0) {
        function_at<main_function>(base_ + functions.first)(argc, argv, environment);
    }
    call_all(functions.constructors);
}

void image::destruct(const program_file &program) const {
    const life_cycle &functions = program.functions();
    for (std::size_t i = functions.destructors.count; i != 0; --i) {
        reinterpret_cast<plain_function *>(base_ + functions.destructors.address)[i - 1]();
    }
    if (functions.last != 0) {
        function_at<plain_function>(base_ + functions.last)();
    }
}

void load_neighbour_libraries(const program_file &program) {
    namespace fs = std::filesystem;
    const std::string origin = fs::weakly_canonical(program.path()).parent_path().string();
    for (const std::string &folder : program.library_folders()) {
        std::string place = folder;
        bool relative = false;
        for (const std::string_view token : {std::string_view("${ORIGIN}"), std::string_view("$ORIGIN")}) {
            for (std::size_t at; (at = place.find(token)) != std::string::npos; relative = true) {
                place.replace(at, token.size(), origin);
            }
        }
        for (const std::string &library : program.needed()) {
            if (relative && access((place + "/" + library).c_str(), R_OK) == 0) {
                // A failure shows when the image is loaded, with the loader's own words.
                static_cast<void>(dlopen((place + "/" + library).c_str(), RTLD_NOW | RTLD_LOCAL));
            }
        }
    }
}

} // namespace lisle::host
