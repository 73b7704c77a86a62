// SPDX-License-Identifier: Apache-2.0
#include "launch/host/output/output.hpp"

#include "launch/host/life/hosted_rank.hpp"
#include "launch/host/interpose/real.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace lisle::host {

namespace {

constexpr std::size_t full_at = std::size_t{16} << 10;
constexpr std::size_t longest_line_held = std::size_t{64} << 10;

const real<"write", ssize_t(int, const void *, std::size_t)> real_write;
const real<"setvbuf", int(std::FILE *, char *, int, std::size_t)> real_setvbuf;

/// Writes it all, waiting where the descriptor does not.
void write_fully(int descriptor, std::string_view text) {
    while (!text.empty()) {
        const ssize_t done = real_write(descriptor, text.data(), text.size());
        if (done > 0) {
            text.remove_prefix(static_cast<std::size_t>(done));
        } else if (errno == EAGAIN) {
            usleep(1000);
        } else if (errno != EINTR) {
            return; // nobody reads any more: as a process, whose printf would fail unnoticed
        }
    }
}

/// Called by the C library for each piece printed to stdout or stderr.
ssize_t hand_over(void *which, const char *text, std::size_t size) {
    const int descriptor = static_cast<int>(reinterpret_cast<std::intptr_t>(which));
    if (output_stream *const stream = stream_of(descriptor); stream != nullptr) {
        stream->write({text, size});
    } else {
        write_fully(descriptor, {text, size});
    }
    return static_cast<ssize_t>(size);
}

std::FILE *make_router(int descriptor) {
    std::FILE *const file = fopencookie(reinterpret_cast<void *>(static_cast<std::intptr_t>(descriptor)), "w",
                                        {nullptr, &hand_over, nullptr, nullptr});
    real_setvbuf(file, nullptr, _IONBF, 0);
    return file;
}

} // namespace

std::size_t output_stream::complete_lines() const {
    const std::size_t last = pending_.rfind('\n');
    return last == std::string::npos ? 0 : last + 1;
}

void output_stream::label(std::string prefix) {
    const std::scoped_lock lock(mutex_);
    prefix_ = std::move(prefix);
}

void output_stream::write(std::string_view text) {
    const std::scoped_lock lock(mutex_);
    pending_ += text;
    const bool hold_lines = mode_ == buffering::full && pending_.size() < full_at;
    if (hold_lines) {
        return;
    }
    const bool whole = (mode_ == buffering::none && prefix_.empty()) || pending_.size() > longest_line_held;
    pass_on(whole ? pending_.size() : complete_lines());
}

void output_stream::flush() {
    const std::scoped_lock lock(mutex_);
    pass_on(prefix_.empty() ? pending_.size() : complete_lines());
}

void output_stream::finish() {
    const std::scoped_lock lock(mutex_);
    if (!prefix_.empty() && !pending_.empty() && pending_.back() != '\n') {
        pending_ += '\n';
    }
    pass_on(pending_.size());
}

void output_stream::before_input() {
    const std::scoped_lock lock(mutex_);
    if (mode_ == buffering::lines && prefix_.empty()) {
        pass_on(pending_.size());
    }
}

void output_stream::set_buffering(buffering mode) {
    const std::scoped_lock lock(mutex_);
    mode_ = mode;
}

void output_stream::redirect(int descriptor) {
    const std::scoped_lock lock(mutex_);
    pass_on(pending_.size());
    descriptor_ = descriptor;
    prefix_.clear();
    mode_ = buffering::full;
}

// Passes on the first `bytes` of what is pending, in pieces of whole lines that fit into PIPE_BUF where they
// can: the kernel never mixes such writes, so no lock among the ranks is needed.
void output_stream::pass_on(std::size_t bytes) {
    std::string piece;
    for (std::string_view rest(pending_.data(), bytes); !rest.empty();) {
        const std::string_view line = rest.substr(0, std::min(rest.find('\n'), rest.size() - 1) + 1);
        if (!piece.empty() && piece.size() + prefix_.size() + line.size() > PIPE_BUF) {
            write_fully(descriptor_, piece);
            piece.clear();
        }
        piece.append(prefix_).append(line);
        rest.remove_prefix(line.size());
    }
    write_fully(descriptor_, piece);
    pending_.erase(0, bytes);
}

buffering default_buffering(int descriptor) {
    return descriptor == STDERR_FILENO ? buffering::none
           : isatty(descriptor) != 0   ? buffering::lines
                                       : buffering::full;
}

bool labels_wanted() {
    static const bool wanted = [] {
        const char *const value = std::getenv("LISLE_LABEL");
        return value != nullptr && std::strcmp(value, "1") == 0;
    }();
    return wanted;
}

void route_output() {
    stdout = make_router(STDOUT_FILENO);
    stderr = make_router(STDERR_FILENO);
    route_library_streams();
}

void label_output(hosted_rank &rank) {
    if (labels_wanted()) {
        const std::string prefix = "[" + std::to_string(rank.number) + "] ";
        rank.out.label(prefix);
        rank.error.label(prefix);
        rank.out.set_buffering(buffering::lines);
    }
}

void finish_output(hosted_rank &rank) {
    rank.out.finish();
    rank.error.finish();
}

output_stream *stream_of(int descriptor) {
    hosted_rank *const rank = this_rank();
    if (rank == nullptr) {
        return nullptr;
    }
    return descriptor == STDOUT_FILENO ? &rank->out : descriptor == STDERR_FILENO ? &rank->error : nullptr;
}

output_stream *stream_of(const std::FILE *file) {
    return file == stdout ? stream_of(STDOUT_FILENO) : file == stderr ? stream_of(STDERR_FILENO) : nullptr;
}

} // namespace lisle::host
