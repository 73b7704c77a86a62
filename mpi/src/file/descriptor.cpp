// SPDX-License-Identifier: Apache-2.0
#include "file/descriptor.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/error.hpp"
#include "execution/clock.hpp"
#include "execution/file_times.hpp"
#include "execution/rank.hpp"
#include "world/job.hpp"

namespace lisle::file {

namespace {

/// The most bytes of one system call: the kernel takes no more than 2 GiB.
constexpr std::size_t most_at_once = std::size_t{1} << 30;

std::string reason_of(int error) {
    return std::generic_category().message(error);
}

/// The flags of open(2), except for the access mode.
int creation_flags(int amode) noexcept {
    return O_CLOEXEC | ((amode & MPI_MODE_CREATE) != 0 ? O_CREAT : 0) |
           ((amode & MPI_MODE_EXCL) != 0 ? O_EXCL : 0);
}

int open_retrying(const std::string &name, int flags) noexcept {
    constexpr mode_t everybody = 0666; // less the user's mask
    int opened = -1;
    do {
        opened = open(name.c_str(), flags, everybody);
    } while (opened < 0 && errno == EINTR);
    return opened;
}

bool is_on_local_system(int descriptor) noexcept {
    // linux/magic.h has no constants for XFS and ZFS.
    constexpr long xfs = 0x58465342, zfs = 0x2fc12fc1;
    constexpr long known[] = {TMPFS_MAGIC,       RAMFS_MAGIC,           EXT4_SUPER_MAGIC, xfs,
                              BTRFS_SUPER_MAGIC, OVERLAYFS_SUPER_MAGIC, F2FS_SUPER_MAGIC, zfs};
    struct statfs facts {};
    return fstatfs(descriptor, &facts) == 0 &&
           std::ranges::find(known, static_cast<long>(facts.f_type)) != std::end(known);
}

/// On a simulated machine a file takes time, too. A thread of the library's own has none there.
void take_time(std::size_t bytes) noexcept {
    rank *const self = rank_at_once();
    if (self == nullptr || !self->get_job().clock().simulated()) {
        return;
    }
    if (auto *const times = dynamic_cast<file_times *>(&self->get_job().clock())) {
        times->accesses(self->number(), bytes);
    }
}

} // namespace

int class_of_errno(int error) noexcept {
    switch (error) {
    case ENOENT:
        return MPI_ERR_NO_SUCH_FILE;
    case EEXIST:
        return MPI_ERR_FILE_EXISTS;
    case EACCES:
    case EPERM:
        return MPI_ERR_ACCESS;
    case EROFS:
        return MPI_ERR_READ_ONLY;
    case ENOSPC:
        return MPI_ERR_NO_SPACE;
    case EDQUOT:
        return MPI_ERR_QUOTA;
    case EBUSY:
    case ETXTBSY:
        return MPI_ERR_FILE_IN_USE;
    case ENAMETOOLONG:
    case ENOTDIR:
    case EISDIR:
    case ELOOP:
        return MPI_ERR_BAD_FILE;
    default:
        return MPI_ERR_IO;
    }
}

descriptor::descriptor(const std::string &name, int amode) : name_{name} {
    const int flags = creation_flags(amode);
    if ((amode & MPI_MODE_RDONLY) != 0) {
        number_ = open_retrying(name, flags | O_RDONLY);
    } else {
        number_ = open_retrying(name, flags | O_RDWR);
    }
    readable_ = number_ >= 0;
    if ((amode & MPI_MODE_WRONLY) != 0 && number_ < 0 && errno == EACCES) {
        number_ = open_retrying(name, flags | O_WRONLY);
    }
    if (number_ < 0) {
        fail_with(errno, "opened");
    }
    struct stat facts {};
    if (fstat(number_, &facts) == 0 && S_ISDIR(facts.st_mode)) {
        close(std::exchange(number_, -1));
        fail_with(EISDIR, "opened");
    }
    local_ = is_on_local_system(number_);
}

descriptor::~descriptor() {
    if (number_ >= 0) {
        close(number_);
    }
}

void descriptor::fail_with(int error, const char *what) const {
    fail(class_of_errno(error), "the file \"", name_, "\" cannot be ", what, ": ", reason_of(error));
}

std::size_t descriptor::read(std::span<std::byte> into, MPI_Offset offset) const {
    std::size_t done = 0;
    while (done < into.size()) {
        const ssize_t got = pread(number_, into.data() + done, std::min(into.size() - done, most_at_once),
                                  offset + static_cast<MPI_Offset>(done));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            fail_with(errno, "read");
        }
        if (got == 0) {
            break;
        }
        done += static_cast<std::size_t>(got);
    }
    take_time(done);
    return done;
}

void descriptor::write(std::span<const std::byte> data, MPI_Offset offset) const {
    std::size_t done = 0;
    while (done < data.size()) {
        const ssize_t taken = pwrite(number_, data.data() + done, std::min(data.size() - done, most_at_once),
                                     offset + static_cast<MPI_Offset>(done));
        if (taken < 0 && errno == EINTR) {
            continue;
        }
        if (taken <= 0) {
            fail_with(taken < 0 ? errno : EIO, "written");
        }
        done += static_cast<std::size_t>(taken);
    }
    take_time(done);
}

MPI_Offset descriptor::size() const {
    struct stat facts {};
    if (fstat(number_, &facts) != 0) {
        fail_with(errno, "asked for its size");
    }
    return facts.st_size;
}

void descriptor::set_size(MPI_Offset size) const {
    while (ftruncate(number_, size) != 0) {
        if (errno != EINTR) {
            fail_with(errno, "given another size");
        }
    }
}

void descriptor::preallocate(MPI_Offset size) const {
    int error = 0;
    do {
        error = size > 0 ? posix_fallocate(number_, 0, size) : 0;
    } while (error == EINTR);
    if (error != 0) {
        fail_with(error, "given room");
    }
}

void descriptor::sync() const {
    while (fsync(number_) != 0) {
        if (errno == EINVAL || errno == EROFS) { // a pipe or a device, which keeps nothing back
            return;
        }
        if (errno != EINTR) {
            fail_with(errno, "brought to its device");
        }
    }
}

void descriptor::remove() const {
    remove_file(name_);
}

lock_answer descriptor::try_lock(const file_run &range, lock_kind kind) const {
    if (locked_.exchange(true, std::memory_order_acquire)) {
        return lock_answer::busy;
    }
    struct flock wanted {};
    wanted.l_type = kind == lock_kind::shared ? F_RDLCK : F_WRLCK;
    wanted.l_whence = SEEK_SET;
    wanted.l_start = range.offset;
    wanted.l_len = range.bytes;
    int refused = 0;
    do {
        refused = fcntl(number_, F_OFD_SETLK, &wanted) != 0 ? errno : 0;
    } while (refused == EINTR);
    if (refused == 0) {
        return lock_answer::taken;
    }
    locked_.store(false, std::memory_order_release);
    return refused == EAGAIN || refused == EACCES ? lock_answer::busy : lock_answer::unsupported;
}

void descriptor::unlock(const file_run &range) const noexcept {
    struct flock free {};
    free.l_type = F_UNLCK;
    free.l_whence = SEEK_SET;
    free.l_start = range.offset;
    free.l_len = range.bytes;
    fcntl(number_, F_OFD_SETLK, &free);
    locked_.store(false, std::memory_order_release);
}

void remove_file(const std::string &name) {
    if (unlink(name.c_str()) != 0) {
        const int error = errno;
        fail(class_of_errno(error), "the file \"", name, "\" cannot be deleted: ", reason_of(error));
    }
}

std::string plain_name(const char *name) {
    static constexpr std::string_view kinds[] = {"ufs",   "nfs", "xfs",  "lustre", "gpfs",    "panfs",
                                                 "pvfs2", "ime", "daos", "testfs", "gridftp", "quobyte"};
    const std::string_view whole{name};
    const std::size_t colon = whole.find(':');
    if (colon != std::string_view::npos &&
        std::ranges::find(kinds, whole.substr(0, colon)) != std::end(kinds)) {
        return std::string{whole.substr(colon + 1)};
    }
    return std::string{whole};
}

} // namespace lisle::file
