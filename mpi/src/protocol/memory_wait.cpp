// SPDX-License-Identifier: Apache-2.0
#include "protocol/memory_wait.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <unistd.h>

namespace lisle::protocol {

namespace {

constexpr std::chrono::seconds soon_enough{5}; // people who watch the job are still there

} // namespace

void memory_wait::refused(int rank) noexcept {
    const clock::time_point now = clock::now();
    if (first_ == clock::time_point{}) {
        first_ = now;
    }
    if (said_ || now - first_ < soon_enough) {
        return;
    }
    said_ = true;
    char sentence[256];
    const int length = std::snprintf(sentence, sizeof sentence,
                                     "lisle: rank %d waits for memory, which the system has refused for %lld "
                                     "seconds; other ranks count on it, so its call cannot fail. It goes on "
                                     "when there is memory: end other programs, or this job\n",
                                     rank, static_cast<long long>(soon_enough.count()));
    const auto whole = std::min(static_cast<std::size_t>(length), sizeof sentence - 1);
    [[maybe_unused]] const auto written = write(STDERR_FILENO, sentence, whole);
}

} // namespace lisle::protocol
