// SPDX-License-Identifier: Apache-2.0
#include "base/mapped_file.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/unnamed_file.hpp"
#include "mpi.h"

namespace lisle {

namespace {

void *map(int descriptor, std::size_t offset, std::size_t bytes, std::string_view what) {
    // Of a large job's private memory little is touched: the kernel is not to count it as if it were.
    const int flags = descriptor >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *const base =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, descriptor, static_cast<off_t>(offset));
    if (base == MAP_FAILED) {
        const int reason = errno;
        fail(MPI_ERR_NO_MEM, "cannot map the ", bytes / 1024, " KiB that ", what,
             " needs: ", std::strerror(reason));
    }
    return base;
}

} // namespace

int mapped_file::make(const char *name) {
    const int descriptor = make_unnamed_file(name, file_content::data);
    if (descriptor < 0) {
        fail(MPI_ERR_NO_MEM, "cannot create shared memory for the job: memfd_create: ", std::strerror(errno),
             ", and no file could be made in /dev/shm or the folder for temporary files (TMPDIR)");
    }
    return descriptor;
}

bool mapped_file::lengthen(int descriptor, std::size_t bytes) noexcept {
    rlimit limit{}; // a process that exceeds it gets a signal
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || bytes > limit.rlim_cur) {
        errno = EFBIG;
        return false;
    }
    return ftruncate(descriptor, static_cast<off_t>(bytes)) == 0;
}

mapped_file mapped_file::reserve(int descriptor, std::size_t offset, std::size_t bytes,
                                 std::string_view what) {
    // posix_fallocate would report success on file systems that only promise; this call reserves.
    const bool sized = lengthen(descriptor, offset + bytes);
    if (!sized || fallocate(descriptor, 0, static_cast<off_t>(offset), static_cast<off_t>(bytes)) != 0) {
        const int reason = errno;
        close(descriptor);
        fail(MPI_ERR_NO_MEM, what, " needs ", bytes / 1024,
             " KiB of shared memory, which the system does not give: ", std::strerror(reason),
             " (raise the limits of memory and of file sizes, or start fewer ranks)");
    }
    return of(descriptor, offset, bytes, what);
}

mapped_file mapped_file::private_memory(std::size_t bytes, std::string_view what) {
    return {-1, map(-1, 0, bytes, what), bytes};
}

mapped_file mapped_file::of(int descriptor, std::size_t offset, std::size_t bytes, std::string_view what) {
    try {
        return {descriptor, map(descriptor, offset, bytes, what), bytes};
    } catch (...) {
        close(descriptor);
        throw;
    }
}

mapped_file::~mapped_file() {
    if (base_ != nullptr) {
        munmap(base_, bytes_);
    }
    if (descriptor_ >= 0) {
        close(descriptor_);
    }
}

} // namespace lisle
