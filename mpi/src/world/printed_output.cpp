// SPDX-License-Identifier: Apache-2.0
#include "world/printed_output.hpp"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <exception>
#include <ext/stdio_filebuf.h>
#include <iostream>
#include <memory>
#include <system_error>
#include <thread>
#include <unistd.h>

#include "base/environment.hpp"
#include "base/spin_lock.hpp"
#include "world/line_buffer.hpp"
#include "world/process_record.hpp"

namespace lisle {

namespace {

// What is printed before MPI_Init counts too, so this comes with the library.
[[maybe_unused]] const bool begun_with_library = [] {
    if (has_process_record()) {
        print_by_lines();
    }
    return true;
}();

/// Passes on what other files hold. One of them may be locked for ever: by a thread that waits for input, for
/// one.
void pass_on_files() noexcept {
    constexpr std::chrono::milliseconds longest{500};
    try {
        // Release and acquire: what has been passed on comes before the end.
        const auto done = std::make_shared<std::atomic<bool>>(false);
        // A plain thread: it inherits the rank, to which the files belong.
        std::thread{[done] {
            std::fflush(nullptr);
            done->store(true, std::memory_order_release);
        }}.detach();
        // A fiber that waited would let others of its worker run, and these may never let it go on.
        const auto end = std::chrono::steady_clock::now() + longest;
        while (!done->load(std::memory_order_acquire) && std::chrono::steady_clock::now() < end) {
            relax();
        }
    } catch (const std::system_error &) {
        // No thread can be had: standard output has been passed on.
    }
}

/// Whether std::cout has the buffer of its own that sync_with_stdio(false) gives it.
bool is_unsynchronised() noexcept {
    auto *const buffer = dynamic_cast<__gnu_cxx::stdio_filebuf<char> *>(std::cout.rdbuf());
    return buffer != nullptr && buffer->fd() == STDOUT_FILENO;
}

} // namespace

void print_by_lines() {
    // stdbuf has chosen already, by a library of its own.
    if (environment_text("_STDBUF_O").empty()) {
        std::setvbuf(stdout, nullptr, _IOLBF, 0);
    }
    if (is_unsynchronised()) {
        std::cout.flush();
        static line_buffer &lines = *new line_buffer{STDOUT_FILENO}; // std::cout prints until the very end
        std::cout.rdbuf(&lines);
    }
}

void pass_on_printed() noexcept {
    try {
        std::cout.flush(); // has a buffer of its own after sync_with_stdio(false)
        std::clog.flush();
    } catch (const std::exception &) {
        // the program asked for exceptions; it ends all the same
    }
    std::fflush(stdout);
    pass_on_files();
}

} // namespace lisle
