// SPDX-License-Identifier: Apache-2.0
#include "launch/host/output/output.hpp"

#include "base/error.hpp"
#include "launch/host/image/private_object.hpp"
#include "launch/host/rank/real.hpp"
#include "launch/host/rank/real_calls.hpp"
#include "launch/host/rank/refusal.hpp"
#include "world/process_record.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <poll.h>
#include <stdio_ext.h>
#include <unistd.h>

namespace lisle::host {

namespace {

// A longer line goes out in parts, so that a rank cannot fill the memory.
constexpr std::size_t longest_line_held = std::size_t{64} << 10;

/// Writes it all, waiting where the descriptor does not. False, with errno, if that fails.
bool write_fully(int descriptor, std::string_view text) {
    while (!text.empty()) {
        const ssize_t done = real_write(descriptor, text.data(), text.size());
        if (done >= 0) {
            text.remove_prefix(static_cast<std::size_t>(done));
        } else if (errno == EAGAIN) {
            pollfd room{descriptor, POLLOUT, 0};
            real_poll(&room, 1, -1);
        } else if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

// The list of files that fflush(nullptr) and exit() go through. Files that are not on it are not flushed by
// other ranks, so one that belongs to a single thread needs no lock.
using list_change = void(std::FILE *);
const real<"_IO_un_link", list_change> take_off_list;
const real<"_IO_link_in", list_change> put_on_list;

/// glibc's mark of a file (_flags2) for which putc and fputc take its lock.
constexpr int needs_lock = 0x80;

bool lists_can_change() {
    return take_off_list.get() != nullptr && put_on_list.get() != nullptr;
}

/// Whether lines of ranks could not be written. Relaxed: nothing else depends on it.
std::atomic<bool> lines_are_lost{false};

int mode_of(buffering mode) {
    return mode == buffering::none ? _IONBF : mode == buffering::lines ? _IOLBF : _IOFBF;
}

/// Called by the C library for each piece printed to the process's own stdout or stderr.
ssize_t hand_over(void *which, const char *text, std::size_t size) {
    const int descriptor = static_cast<int>(reinterpret_cast<std::intptr_t>(which));
    if (const output_stream *const stream = stream_of(descriptor); stream != nullptr) {
        return static_cast<ssize_t>(std::fwrite(text, 1, size, stream->file()));
    }
    return write_fully(descriptor, {text, size}) ? static_cast<ssize_t>(size) : 0;
}

std::FILE *make_file(void *argument, cookie_write_function_t *write, buffering mode) {
    std::FILE *const file = fopencookie(argument, "w", {nullptr, write, nullptr, nullptr});
    if (file == nullptr) {
        throw refusal("no memory for the ranks' standard files");
    }
    real_setvbuf(file, nullptr, mode_of(mode), 0);
    return file;
}

/// As in ranks that are processes (world/printed_output.hpp): lines, so that none is lost if the job is
/// stopped.
buffering default_buffering(int descriptor) {
    return descriptor == STDERR_FILENO ? buffering::none : buffering::lines;
}

std::FILE *make_router(int descriptor) {
    return make_file(reinterpret_cast<void *>(static_cast<std::intptr_t>(descriptor)), &hand_over,
                     buffering::none);
}

} // namespace

/// Holds the file's lock, which the C library holds too when it prints.
class output_stream::guard {
  public:
    explicit guard(std::FILE *file) : file_(file) { flockfile(file_); }
    ~guard() { funlockfile(file_); }
    guard(const guard &) = delete;
    guard &operator=(const guard &) = delete;

  private:
    std::FILE *file_;
};

output_stream::output_stream(int descriptor, buffering mode)
    : descriptor_(descriptor), file_(make_file(this, &take_from_file, mode)),
      unbuffered_(mode == buffering::none) {
    if (lists_can_change()) {
        take_off_list(file_);
        file_->_flags2 &= ~needs_lock;
        is_shared_ = false;
    }
}

void output_stream::share() noexcept {
    if (!is_shared_) {
        is_shared_ = true;
        file_->_flags2 |= needs_lock;
        put_on_list(file_);
    }
}

output_stream::~output_stream() {
    discard();
    std::fclose(file_);
}

ssize_t output_stream::take_from_file(void *stream, const char *text, std::size_t size) {
    auto &self = *static_cast<output_stream *>(stream);
    const bool taken = self.discards_.load(std::memory_order_relaxed) || self.take({text, size});
    return taken ? static_cast<ssize_t>(size) : 0;
}

bool output_stream::take(std::string_view text) {
    if (labels_) {
        return take_labelled(text);
    }
    if (unbuffered_) {
        return write_fully(descriptor_, text);
    }
    const std::size_t last = text.rfind('\n');
    const std::size_t complete = last == std::string_view::npos ? 0 : pending_.size() + last + 1;
    pending_ += text;
    return pass_on(complete == 0 && pending_.size() > longest_line_held ? pending_.size() : complete);
}

/// What the program does not ask about: labelled lines are the host's to write. Once, and behind no label.
void note_lost(int reason) {
    if (!lines_are_lost.exchange(true, std::memory_order_relaxed)) {
        const std::string text =
            sentence("lisle-host: cannot write the output of ranks: ", std::strerror(reason), "\n");
        write_fully(STDERR_FILENO, text);
    }
}

// The lines of all ranks that are labelled here go out one after the other, also those that the kernel would
// mix.
bool output_stream::take_labelled(std::string_view text) {
    static std::mutex one_after_the_other;
    std::string lines;
    labels_->feed(text, lines);
    const std::scoped_lock lock(one_after_the_other);
    const bool good = write_fully(descriptor_, lines);
    if (!good) {
        note_lost(errno);
    }
    return good;
}

// Passes on the first `bytes` of what is pending, in pieces of whole lines that fit into PIPE_BUF where they
// can: the kernel never mixes such writes, so no lock among the ranks is needed.
bool output_stream::pass_on(std::size_t bytes) {
    bool good = true;
    for (std::string_view rest(pending_.data(), bytes); !rest.empty() && good;) {
        std::size_t end = rest.size();
        if (end > PIPE_BUF) {
            const std::size_t last = rest.rfind('\n', PIPE_BUF - 1);
            end = std::min(last != std::string_view::npos ? last : rest.find('\n'), rest.size() - 1) + 1;
        }
        good = write_fully(descriptor_, rest.substr(0, end));
        rest.remove_prefix(end);
    }
    pending_.erase(0, bytes); // what cannot be written is lost, as in a process
    return good;
}

int output_stream::flush_locked() {
    const int flushed = real_fflush(file_);
    if (labels_ || pass_on(pending_.size())) {
        return flushed;
    }
    file_->_flags |= _IO_ERR_SEEN; // so that ferror tells of it
    return EOF;
}

int output_stream::flush() {
    const guard lock(file_);
    return flush_locked();
}

void output_stream::finish() {
    const guard lock(file_);
    flush_locked();
    if (labels_) {
        std::string line;
        labels_->finish(line);
        write_fully(descriptor_, line);
    }
}

void output_stream::discard() noexcept {
    discards_.store(true, std::memory_order_relaxed);
}

bool output_stream::write_through(std::string_view text) {
    const guard lock(file_);
    return flush_locked() == 0 && take(text) && (labels_ || pass_on(pending_.size()));
}

void output_stream::before_input() {
    const guard lock(file_);
    if (__flbf(file_) != 0 && !labels_) {
        flush_locked();
    }
}

void output_stream::label(const std::string &prefix) {
    const guard lock(file_);
    labels_.emplace(prefix);
}

int output_stream::set_buffering(buffering mode, char *buffer, std::size_t size) {
    const guard lock(file_);
    unbuffered_ = mode == buffering::none;
    if (unbuffered_) {
        flush_locked();
    }
    return real_setvbuf(file_, buffer, mode_of(mode), size);
}

void output_stream::redirect(int descriptor) {
    const guard lock(file_);
    flush_locked();
    std::clearerr(file_);
    descriptor_ = descriptor;
    labels_.reset();
    unbuffered_ = false;
    real_setvbuf(file_, nullptr, _IOFBF, 0);
}

bool labels_wanted() {
    return own_record().labels;
}

bool has_lost_output() noexcept {
    return lines_are_lost.load(std::memory_order_relaxed);
}

void route_output() {
    stdout = make_router(STDOUT_FILENO);
    stderr = make_router(STDERR_FILENO);
    route_library_streams();
}

standard_streams::standard_streams()
    : out{STDOUT_FILENO, default_buffering(STDOUT_FILENO)},
      error{STDERR_FILENO, default_buffering(STDERR_FILENO)}, own_output{out.file()} {}

void label_output(hosted_rank &rank) {
    if (labels_wanted()) {
        const std::string prefix = "[" + std::to_string(rank.number) + "] ";
        rank_streams.of(rank).out.label(prefix);
        rank_streams.of(rank).error.label(prefix);
    }
}

void share_output(hosted_rank &rank) noexcept {
    rank_streams.of(rank).out.share();
    rank_streams.of(rank).error.share();
}

void finish_output(hosted_rank &rank) {
    rank_streams.of(rank).out.finish();
    rank_streams.of(rank).error.finish();
}

output_stream *stream_of(int descriptor) {
    hosted_rank *const rank = this_rank();
    if (rank == nullptr) {
        return nullptr;
    }
    standard_streams &own = rank_streams.of(*rank);
    return descriptor == STDOUT_FILENO ? &own.out : descriptor == STDERR_FILENO ? &own.error : nullptr;
}

output_stream *stream_of(const std::FILE *file) {
    hosted_rank *const rank = this_rank();
    if (rank == nullptr) {
        return nullptr;
    }
    standard_streams &own = rank_streams.of(*rank);
    return file == stdout || file == own.out.file()     ? &own.out
           : file == stderr || file == own.error.file() ? &own.error
                                                        : nullptr;
}

std::FILE *this_output() {
    const hosted_rank *const rank = this_rank();
    return rank != nullptr ? *rank_streams.of(*rank).output : stdout;
}

namespace {

const private_objects output_objects{
    {"stdout", sizeof(std::FILE *),
     [](hosted_rank &rank, void *place) {
         standard_streams &own = rank_streams.of(rank);
         own.output = static_cast<std::FILE **>(place);
         *own.output = own.out.file();
     }},
    {"stderr", sizeof(std::FILE *),
     [](hosted_rank &rank, void *place) {
         *static_cast<std::FILE **>(place) = rank_streams.of(rank).error.file();
     }},
};

} // namespace

} // namespace lisle::host
