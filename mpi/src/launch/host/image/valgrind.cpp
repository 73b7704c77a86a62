// SPDX-License-Identifier: Apache-2.0
#include "launch/host/image/valgrind.hpp"

#include "base/environment.hpp"
#include "base/text.hpp"
#include "launch/host/architecture/pages.hpp"
#include "launch/host/image/mapped_segment.hpp"
#include "launch/host/rank/refusal.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace lisle::host {

namespace {

/// A copy of a file with a path of its own, for as long as this lives.
class file_copy {
  public:
    explicit file_copy(const program_file &original) {
        const std::string_view wanted = environment_text("TMPDIR");
        folder_ = std::string{wanted.empty() ? "/tmp" : wanted} + "/lisle-valgrind-XXXXXX";
        if (mkdtemp(folder_.data()) == nullptr) {
            fail("making a folder", folder_);
        }
        path_ = folder_ + "/" + std::string{base_name(original.path())};
        descriptor_ = open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        for (auto rest = original.bytes(); !rest.empty();) {
            const ssize_t written = write(descriptor_, rest.data(), rest.size());
            if (written <= 0) {
                fail("writing", path_);
            }
            rest = rest.subspan(static_cast<std::size_t>(written));
        }
    }
    ~file_copy() {
        close(descriptor_);
        unlink(path_.c_str());
        rmdir(folder_.c_str());
    }
    file_copy(const file_copy &) = delete;
    file_copy &operator=(const file_copy &) = delete;
    [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

  private:
    [[noreturn]] static void fail(const std::string &what, const std::string &path) {
        throw refusal(what + " for valgrind failed: " + path + ": " + std::strerror(errno));
    }
    std::string folder_;
    std::string path_;
    int descriptor_ = -1;
};

} // namespace

bool under_valgrind() {
    static const bool is = environment_text("LD_PRELOAD").find("/vgpreload_") != std::string_view::npos;
    return is;
}

void show_to_valgrind(const module &which, std::byte *base) {
    const file_copy copy(*which.file);
    // Valgrind wants headers and constants as well, wherever they are, and forgets a file when one of its
    // mappings ends. Those of the image are edited, or there once for all.
    if (mmap(nullptr, which.file->bytes().size(), PROT_READ, MAP_PRIVATE, copy.descriptor(), 0) ==
        MAP_FAILED) {
        throw refusal("mapping a copy for valgrind failed: " + which.file->path() + ": " +
                      std::strerror(errno));
    }
    for (const segment &each : which.file->segments()) {
        if ((each.protection & (PROT_EXEC | PROT_WRITE)) != 0 && each.file_size != 0) {
            const std::size_t first = page_floor(each.address);
            const std::size_t end = page_ceiling(each.address + each.file_size);
            const std::vector<std::byte> values(base + first, base + end);
            map_segment(which, copy.descriptor(), each, base);
            if ((each.protection & PROT_WRITE) != 0) {
                std::ranges::copy(values, base + first);
            }
        }
    }
}

} // namespace lisle::host
