// SPDX-License-Identifier: Apache-2.0
// Files in which a program reads about itself: /proc/self/exe, cmdline, environ and comm are the program's,
// its arguments', its variables' and its thread's. The kernel's are the host's.
#include "launch/host/image/loaded_code.hpp"
#include "launch/host/interpose/identity.hpp"
#include "launch/host/interpose/open_streams.hpp"
#include "launch/host/process/number.hpp"
#include "launch/host/rank/calls.hpp"
#include "launch/host/rank/real.hpp"

#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace lisle::host {

namespace {

const real<"open", int(const char *, int, mode_t)> real_open;
const real<"openat", int(int, const char *, int, mode_t)> real_openat;
const real<"fopen", std::FILE *(const char *, const char *)> real_fopen;
const real<"stat", int(const char *, struct stat *)> real_stat;
const real<"access", int(const char *, int)> real_access;
const real<"getauxval", unsigned long(unsigned long)> real_auxiliary;

/// What follows /proc/self/ in a path, or null.
const char *own_entry(const char *path) {
    if (path == nullptr || std::strncmp(path, "/proc/", 6) != 0) {
        return nullptr;
    }
    const std::string number = std::to_string(known_number());
    for (const std::string_view self : {std::string_view("self"), std::string_view(number)}) {
        if (std::strncmp(path + 6, self.data(), self.size()) == 0 && path[6 + self.size()] == '/') {
            return path + 7 + self.size();
        }
    }
    return nullptr;
}

/// The words with a zero behind each, as the kernel has them.
std::string zero_separated(char *const *words) {
    std::string all;
    for (; *words != nullptr; ++words) {
        all.append(*words).push_back('\0');
    }
    return all;
}

int file_with(const std::string &content) {
    const int file = memfd_create("own file of a rank", MFD_CLOEXEC);
    if (file >= 0 && (write(file, content.data(), content.size()) < 0 || lseek(file, 0, SEEK_SET) < 0)) {
        close(file);
        return -1;
    }
    return file;
}

/// A file that stands for one of the rank's own, or -1.
int open_own(const char *path) {
    const char *const entry = own_entry(path);
    hosted_rank &rank = *this_rank();
    if (entry != nullptr && std::strcmp(entry, "cmdline") == 0) {
        std::string all;
        for (const std::string &each : rank.arguments) {
            all.append(each.c_str()).push_back('\0');
        }
        return file_with(all);
    }
    if (entry != nullptr && std::strcmp(entry, "environ") == 0) {
        return file_with(zero_separated(rank.variables.array()));
    }
    return -1;
}

/// The path by which the kernel finds what the rank means.
const char *meant_by(const char *path) {
    const char *const entry = own_entry(path);
    if (entry != nullptr && std::strcmp(entry, "comm") == 0) {
        return "/proc/thread-self/comm";
    }
    return path_of_program(path);
}

bool names_own_file(const char *path, const void *caller) {
    return path != nullptr && std::strncmp(path, "/proc/", 6) == 0 && is_call_of_rank(caller);
}

int open_for(const void *caller, int folder, const char *path, int flags, mode_t mode) {
    if (!names_own_file(path, caller)) {
        return folder == AT_FDCWD ? real_open(path, flags, mode) : real_openat(folder, path, flags, mode);
    }
    const int own = (flags & O_ACCMODE) == O_RDONLY ? open_own(path) : -1;
    return own >= 0 ? own : real_open(meant_by(path), flags, mode);
}

std::FILE *open_stream(const void *caller, const char *path, const char *mode) {
    if (!is_call_of_rank(caller)) {
        return real_fopen(path, mode);
    }
    const int own = names_own_file(path, caller) ? open_own(path) : -1;
    std::FILE *const opened = own >= 0 ? fdopen(own, mode) : real_fopen(meant_by(path), mode);
    if (opened != nullptr) {
        rank_files.current().add(opened);
    }
    return opened;
}

mode_t mode_of(int flags, std::va_list rest) {
    return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
}

} // namespace

} // namespace lisle::host

using namespace lisle::host;

extern "C" {

int open(const char *path, int flags, ...) {
    std::va_list rest;
    va_start(rest, flags);
    const mode_t mode = mode_of(flags, rest);
    va_end(rest);
    return open_for(__builtin_return_address(0), AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    std::va_list rest;
    va_start(rest, flags);
    const mode_t mode = mode_of(flags, rest);
    va_end(rest);
    return open_for(__builtin_return_address(0), AT_FDCWD, path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...) {
    std::va_list rest;
    va_start(rest, flags);
    const mode_t mode = mode_of(flags, rest);
    va_end(rest);
    return open_for(__builtin_return_address(0), folder, path, flags, mode);
}

int openat64(int folder, const char *path, int flags, ...) {
    std::va_list rest;
    va_start(rest, flags);
    const mode_t mode = mode_of(flags, rest);
    va_end(rest);
    return open_for(__builtin_return_address(0), folder, path, flags, mode);
}

// Their names in programs compiled with _FORTIFY_SOURCE.
int __open_2(const char *path, int flags) {
    return open_for(__builtin_return_address(0), AT_FDCWD, path, flags, 0);
}
int __open64_2(const char *path, int flags) {
    return open_for(__builtin_return_address(0), AT_FDCWD, path, flags, 0);
}

std::FILE *fopen(const char *path, const char *mode) {
    return open_stream(__builtin_return_address(0), path, mode);
}
std::FILE *fopen64(const char *path, const char *mode) {
    return open_stream(__builtin_return_address(0), path, mode);
}

int stat(const char *path, struct stat *into) noexcept {
    return real_stat(names_own_file(path, __builtin_return_address(0)) ? meant_by(path) : path, into);
}
int stat64(const char *path, struct stat64 *into) noexcept {
    return real_stat(names_own_file(path, __builtin_return_address(0)) ? meant_by(path) : path,
                     reinterpret_cast<struct stat *>(into));
}

int access(const char *path, int mode) noexcept {
    return real_access(names_own_file(path, __builtin_return_address(0)) ? meant_by(path) : path, mode);
}

// What the kernel tells a program at its start.
unsigned long getauxval(unsigned long which) noexcept {
    if (!is_call_of_rank(__builtin_return_address(0))) {
        return real_auxiliary(which);
    }
    const image &code = image_of(*lisle::host::this_rank());
    const program_file &program = code.unit().program();
    switch (which) {
    case AT_PHDR:
        return reinterpret_cast<unsigned long>(code.base()) + program.header().e_phoff;
    case AT_PHNUM:
        return program.program_headers().size();
    case AT_ENTRY:
        return reinterpret_cast<unsigned long>(code.base()) + program.entry();
    case AT_EXECFN:
        return reinterpret_cast<unsigned long>(program.path().c_str());
    default:
        return real_auxiliary(which);
    }
}

} // extern "C"
