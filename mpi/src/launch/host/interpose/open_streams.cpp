// SPDX-License-Identifier: Apache-2.0
#include "launch/host/interpose/open_streams.hpp"

#include <stdio_ext.h>

namespace lisle::host {

void open_streams::add(std::FILE *file) {
    const std::scoped_lock lock(mutex_);
    files_.insert(file);
}

void open_streams::remove(std::FILE *file) {
    const std::scoped_lock lock(mutex_);
    files_.erase(file);
}

template <class Call> void open_streams::for_all(Call call) {
    const std::scoped_lock lock(mutex_);
    for (std::FILE *const each : files_) {
        if (ftrylockfile(each) == 0) {
            call(each);
            funlockfile(each);
        }
    }
}

void open_streams::flush_all() {
    for_all([](std::FILE *file) { std::fflush(file); });
}

void open_streams::discard_all() {
    for_all([](std::FILE *file) { __fpurge(file); });
}

} // namespace lisle::host
