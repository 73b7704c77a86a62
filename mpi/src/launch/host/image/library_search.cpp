// SPDX-License-Identifier: Apache-2.0
#include "launch/host/image/library_search.hpp"

#include "base/environment.hpp"
#include "base/text.hpp"
#include "launch/host/architecture/architecture.hpp"

#include <array>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <unistd.h>

namespace lisle::host {

namespace {

/// The beginning of /etc/ld.so.cache (glibc 2.2 and later), and one library in it.
struct cache_header {
    char magic[20]; ///< "glibc-ld.so.cache1.1"
    std::uint32_t libraries;
    std::uint32_t strings;
    std::uint32_t rest[5];
};
struct cache_entry {
    std::int32_t flags;
    std::uint32_t name; ///< offsets from the file's beginning
    std::uint32_t path;
    std::uint32_t system;
    std::uint64_t processor; ///< 0: for every processor of the kind
};
static_assert(sizeof(cache_header) == 48 && sizeof(cache_entry) == 24);

/// Loaders pass over files that are for another machine, so a folder of 32-bit libraries does no harm.
bool fits(const std::string &path) {
    Elf64_Ehdr head{};
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    const bool complete = file >= 0 && read(file, &head, sizeof head) == sizeof head;
    close(file);
    return complete && std::memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 &&
           head.e_ident[EI_CLASS] == ELFCLASS64 && head.e_machine == architecture::machine;
}

/// The folder with $ORIGIN and $LIB replaced, or nothing if it holds another token.
std::optional<std::string> expand(std::string folder, const program_file &owner) {
    namespace fs = std::filesystem;
    const auto replace = [&folder](const std::string &token, const std::string &value) {
        for (const std::string &form : {"${" + token + "}", "$" + token}) {
            for (std::size_t at; (at = folder.find(form)) != std::string::npos;) {
                folder.replace(at, form.size(), value);
            }
        }
    };
    if (folder.find('$') != std::string::npos) {
        std::error_code none;
        replace("ORIGIN", fs::weakly_canonical(owner.path(), none).parent_path().string());
        const std::string by_processor = architecture::library_folder;
        replace("LIB", fs::exists("/" + by_processor, none) ? by_processor : "lib64");
    }
    return folder.find('$') == std::string::npos ? std::optional(folder) : std::nullopt;
}

std::string find_in(const std::vector<std::string> &folders, const std::string &name,
                    const program_file &owner) {
    for (const std::string &each : folders) {
        const std::optional<std::string> folder = expand(each, owner);
        if (folder && fits(*folder + "/" + name)) {
            return *folder + "/" + name;
        }
    }
    return {};
}

} // namespace

library_search::library_search() : library_search(environment_text("LD_LIBRARY_PATH"), "/etc/ld.so.cache") {}

library_search::library_search(std::string_view path, std::string cache_file)
    : cache_file_(std::move(cache_file)) {
    for (const std::string_view folder : words_of(path, ":;")) {
        path_.emplace_back(folder);
    }
}

void library_search::read_cache() {
    std::ifstream stream(cache_file_, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
    cache_header head{};
    if (bytes.size() < sizeof head) {
        return;
    }
    std::memcpy(&head, bytes.data(), sizeof head);
    if (std::string_view(head.magic, sizeof head.magic) != "glibc-ld.so.cache1.1") {
        return; // an older system's: its libraries are found by the loader alone, and shared
    }
    const auto text = [&bytes](std::size_t offset) {
        return offset < bytes.size() ? std::string(bytes.c_str() + offset) : std::string();
    };
    for (std::size_t i = 0; i != head.libraries; ++i) {
        const std::size_t offset = sizeof head + i * sizeof(cache_entry);
        if (offset + sizeof(cache_entry) > bytes.size()) {
            return;
        }
        cache_entry entry{};
        std::memcpy(&entry, bytes.data() + offset, sizeof entry);
        if (entry.processor == 0) {
            cache_.emplace(text(entry.name), text(entry.path));
        }
    }
}

std::string library_search::find(const std::string &name, std::span<const program_file *const> chain) {
    if (name.find('/') != std::string::npos) {
        const std::optional<std::string> path = expand(name, *chain.front());
        return path && fits(*path) ? *path : std::string();
    }
    // DT_RPATH counts for what a file's libraries need as well, unless the file that asks has DT_RUNPATH.
    std::string found;
    if (chain.front()->tables().run_folders().empty()) {
        for (const program_file *const each : chain) {
            if (found = find_in(each->tables().old_folders(), name, *each); !found.empty()) {
                return found;
            }
        }
    }
    if (found = find_in(path_, name, *chain.back()); !found.empty()) {
        return found;
    }
    if (found = find_in(chain.front()->tables().run_folders(), name, *chain.front()); !found.empty()) {
        return found;
    }
    if (!cache_read_) {
        cache_read_ = true;
        read_cache();
    }
    for (auto [each, end] = cache_.equal_range(name); each != end; ++each) {
        if (fits(each->second)) {
            return each->second;
        }
    }
    return {};
}

bool is_system_library(const std::string &path) {
    static constexpr std::array<std::string_view, 5> standard{"/lib/", "/lib64/", "/lib32/", "/usr/lib/",
                                                              "/usr/lib64/"};
    std::error_code none;
    const std::string real = std::filesystem::weakly_canonical(path, none).string();
    for (const std::string_view each : standard) {
        if (real.starts_with(each)) {
            return true;
        }
    }
    return false;
}

} // namespace lisle::host
