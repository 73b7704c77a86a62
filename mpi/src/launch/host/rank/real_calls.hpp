// SPDX-License-Identifier: Apache-2.0
// The C library's functions that several files of the host call. Those that one file calls stand there.
#pragma once

#include <cstddef>
#include <cstdio>
#include <ctime>
#include <poll.h>
#include <pthread.h>
#include <sys/types.h>

#include "launch/host/rank/real.hpp"

namespace lisle::host {

inline const real<"_exit", void(int)> real_exit_now;
inline const real<"clock_gettime", int(clockid_t, timespec *)> real_clock_gettime;
inline const real<"clock_nanosleep", int(clockid_t, int, const timespec *, timespec *)> real_clock_nanosleep;
inline const real<"dlclose", int(void *)> real_dlclose;
inline const real<"dlopen", void *(const char *, int)> real_dlopen;
inline const real<"fflush", int(std::FILE *)> real_fflush;
inline const real<"poll", int(pollfd *, nfds_t, int)> real_poll;
inline const real<"pthread_create", int(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *)>
    real_create;
inline const real<"pthread_join", int(pthread_t, void **)> real_join;
inline const real<"send", ssize_t(int, const void *, std::size_t, int)> real_send;
inline const real<"setvbuf", int(std::FILE *, char *, int, std::size_t)> real_setvbuf;
inline const real<"write", ssize_t(int, const void *, std::size_t)> real_write;

} // namespace lisle::host
