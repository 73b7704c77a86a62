// SPDX-License-Identifier: Apache-2.0
#include "fabric/local/wake_pipe.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.hpp"
#include "mpi.h"

namespace lisle::fabric::local {

namespace {

/// A pipe that is opened for both has a reader: writing to it raises no SIGPIPE when its owner has ended.
constexpr int for_both = O_RDWR | O_NONBLOCK;

void write_to(int pipe) noexcept {
    constexpr char word = 0;
    static_cast<void>(!write(pipe, &word, sizeof word)); // a full pipe wakes as well
}

} // namespace

wake_pipe::wake_pipe() {
    int ends[2];
    if (pipe2(ends, O_NONBLOCK | O_CLOEXEC) == 0) {
        const owned_descriptor out{ends[0]}, in{ends[1]};
        end_ = open_of_process(getpid(), out.get(), for_both);
    }
    if (!end_) {
        fail(MPI_ERR_OTHER, "a rank that meets another job needs a pipe to sleep on: ", std::strerror(errno));
    }
}

pipe_name wake_pipe::name() const noexcept {
    struct stat about {};
    return fstat(end_.get(), &about) == 0 ? pipe_name{about.st_ino, end_.get()} : pipe_name{0, -1};
}

void wake_pipe::clear() const noexcept {
    char bytes[64];
    while (read(end_.get(), bytes, sizeof bytes) == sizeof bytes) {
    }
}

void wake_pipe::ring() const noexcept {
    write_to(end_.get());
}

void spare_descriptor::keep() noexcept {
    kept_ = owned_descriptor{epoll_create1(EPOLL_CLOEXEC)};
}

owned_descriptor open_wake_pipe(pid_t process, const pipe_name &name) noexcept {
    owned_descriptor opened = open_of_process(process, name.descriptor, for_both);
    struct stat about {};
    const bool same =
        opened && fstat(opened.get(), &about) == 0 && S_ISFIFO(about.st_mode) && about.st_ino == name.inode;
    return same ? std::move(opened) : owned_descriptor{};
}

void pipe_bell::ring() noexcept {
    int to = opened_.load(std::memory_order_acquire);
    if (to == none) {
        owned_descriptor opened = open_wake_pipe(process_, pipe_);
        if (!opened) {
            if (errno == EMFILE) {
                spare_.without([this] {
                    if (const owned_descriptor now = open_wake_pipe(process_, pipe_)) {
                        write_to(now.get());
                    }
                });
            }
            return; // else the process has ended, and is found to have
        }
        if (opened_.compare_exchange_strong(to, opened.get(), std::memory_order_acq_rel)) {
            to = opened.release();
        }
    }
    write_to(to);
}

} // namespace lisle::fabric::local
