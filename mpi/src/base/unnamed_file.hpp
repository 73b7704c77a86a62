// SPDX-License-Identifier: Apache-2.0
// A file without a name, for memory that processes share by its descriptor.
#pragma once

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace lisle {

/// Whether the file's bytes are to be executed: some file systems forbid that.
enum class file_content : unsigned char { data, code };

namespace detail {

inline bool suits(const char *folder, file_content content) noexcept {
    struct statvfs about {};
    return statvfs(folder, &about) == 0 && (content == file_content::data || (about.f_flag & ST_NOEXEC) == 0);
}

inline int make_in(const char *folder) noexcept {
    constexpr mode_t own = 0600;
    if (const int made = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, own); made >= 0) {
        return made;
    }
    // A file system that makes none without a name: the name goes at once.
    std::array<char, 4096> path{};
    if (std::snprintf(path.data(), path.size(), "%s/lisle-XXXXXX", folder) >= static_cast<int>(path.size())) {
        errno = ENAMETOOLONG;
        return -1;
    }
    const int made = mkostemp(path.data(), O_CLOEXEC);
    if (made >= 0) {
        unlink(path.data());
    }
    return made;
}

} // namespace detail

/// Makes one in memory or, where the system refuses memfd_create (some containers do), in /dev/shm or the
/// folder for temporary files. Close-on-exec is set. @param purpose for /proc/PID/maps @return -1 with errno
/// if there can be none
[[nodiscard]] inline int make_unnamed_file(const char *purpose, file_content content) noexcept {
    if (const int made = memfd_create(purpose, MFD_CLOEXEC); made >= 0) {
        return made;
    }
    const int refused = errno;
    const char *const temporary = std::getenv("TMPDIR");
    for (const char *const folder : {"/dev/shm", temporary != nullptr ? temporary : "/tmp", "/tmp"}) {
        if (detail::suits(folder, content)) {
            if (const int made = detail::make_in(folder); made >= 0) {
                return made;
            }
        }
    }
    errno = refused;
    return -1;
}

} // namespace lisle
