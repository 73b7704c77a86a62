// SPDX-License-Identifier: Apache-2.0
// The C library's functions that are about a standard file as a whole, for ranks: what they ask for
// happens to the rank's own stream, also if they name the process's.
#include "launch/host/interpose/open_streams.hpp"
#include "launch/host/output/output.hpp"
#include "launch/host/rank/real.hpp"
#include "launch/host/rank/real_calls.hpp"
#include "launch/host/waiting/descriptors.hpp"

#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

using lisle::host::buffering;
using lisle::host::output_stream;
using lisle::host::real;
using lisle::host::real_fflush;
using lisle::host::real_setvbuf;
using lisle::host::stream_of;

namespace {

/// open(2)'s flags for a mode of fopen that writes; -1 for others.
int open_flags(const char *mode) {
    const int access = std::strchr(mode, '+') != nullptr ? O_RDWR : O_WRONLY;
    switch (mode[0]) {
    case 'w':
        return access | O_CREAT | O_TRUNC | O_CLOEXEC;
    case 'a':
        return access | O_CREAT | O_APPEND | O_CLOEXEC;
    default:
        return -1;
    }
}

const real<"fileno", int(std::FILE *)> real_fileno;
const real<"fclose", int(std::FILE *)> real_fclose;
const real<"freopen", std::FILE *(const char *, const char *, std::FILE *)> real_freopen;
const real<"freopen64", std::FILE *(const char *, const char *, std::FILE *)> real_freopen64;

template <class Real>
std::FILE *reopen(const Real &pass_on, const char *path, const char *mode, std::FILE *file) {
    output_stream *const stream = stream_of(file);
    if (stream == nullptr || open_flags(mode) < 0) {
        return pass_on(path, mode, file);
    }
    if (path == nullptr) { // another mode for the same file
        return file;
    }
    const int descriptor = open(path, open_flags(mode), 0666);
    if (descriptor < 0) {
        return nullptr;
    }
    if (stream->descriptor() > STDERR_FILENO) { // of an earlier freopen
        close(stream->descriptor());
    }
    stream->redirect(descriptor);
    return file;
}

} // namespace

extern "C" {

int fflush(std::FILE *file) {
    if (output_stream *const stream = file != nullptr ? stream_of(file) : nullptr) {
        return stream->flush();
    }
    int result = 0;
    if (file == nullptr) {
        for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO}) {
            if (output_stream *const stream = stream_of(descriptor);
                stream != nullptr && stream->flush() != 0) {
                result = EOF;
            }
        }
    }
    return real_fflush(file) == 0 ? result : EOF;
}

int fflush_unlocked(std::FILE *file) {
    return fflush(file);
}

int fileno(std::FILE *file) noexcept {
    if (const output_stream *const stream = stream_of(file); stream != nullptr) {
        return stream->descriptor();
    }
    return file == stdout ? STDOUT_FILENO : file == stderr ? STDERR_FILENO : real_fileno(file);
}

int fileno_unlocked(std::FILE *file) noexcept {
    return fileno(file);
}

int setvbuf(std::FILE *file, char *buffer, int mode, std::size_t size) noexcept {
    output_stream *const stream = stream_of(file);
    if (stream == nullptr) {
        return real_setvbuf(file, buffer, mode, size);
    }
    return stream->set_buffering(mode == _IONBF   ? buffering::none
                                 : mode == _IOLBF ? buffering::lines
                                                  : buffering::full,
                                 buffer, size);
}

void setbuffer(std::FILE *file, char *buffer, std::size_t size) noexcept {
    setvbuf(file, buffer, buffer != nullptr ? _IOFBF : _IONBF, size);
}

void setbuf(std::FILE *file, char *buffer) noexcept {
    setbuffer(file, buffer, BUFSIZ);
}

void setlinebuf(std::FILE *file) noexcept {
    setvbuf(file, nullptr, _IOLBF, 0);
}

// The file stays: the process's is all ranks', and the rank's own is printed to until its very end.
int fclose(std::FILE *file) {
    if (output_stream *const stream = stream_of(file); stream != nullptr) {
        return stream->flush() == 0 && std::ferror(stream->file()) == 0 ? 0 : EOF;
    }
    lisle::host::rank_files.current().remove(file);
    return real_fclose(file);
}

std::FILE *freopen(const char *path, const char *mode, std::FILE *file) {
    return reopen(real_freopen, path, mode, file);
}

std::FILE *freopen64(const char *path, const char *mode, std::FILE *file) {
    return reopen(real_freopen64, path, mode, file);
}

ssize_t write(int descriptor, const void *data, std::size_t size) {
    if (lisle::host::labels_wanted() && (descriptor == STDOUT_FILENO || descriptor == STDERR_FILENO)) {
        if (output_stream *const stream = stream_of(descriptor); stream != nullptr) {
            const bool written = stream->write_through({static_cast<const char *>(data), size});
            return written ? static_cast<ssize_t>(size) : -1;
        }
    }
    return lisle::host::write_to(descriptor, data, size, __builtin_return_address(0));
}

} // extern "C"
