// SPDX-License-Identifier: Apache-2.0
// What ranks print. Each rank has files of the C library of its own for stdout and stderr, with their own
// buffers and error states; what leaves such a file comes here and goes out in whole lines, in writes that
// other ranks' cannot cut. The process's stdout and stderr, which shared libraries print to, are replaced by
// files without a buffer that hand each piece to the rank whose thread prints.
#pragma once

#include "launch/common/line_splicer.hpp"
#include "launch/host/rank/hosted_rank.hpp"

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

namespace lisle::host {

/// When a file passes on what it has.
enum class buffering { none, lines, full };

/// One rank's stdout or stderr. The file's own lock (flockfile) protects the state. Before share() one thread
/// alone prints, and the C library takes no lock for a single character.
class output_stream {
  public:
    output_stream(int descriptor, buffering mode);
    ~output_stream();
    output_stream(const output_stream &) = delete;
    output_stream &operator=(const output_stream &) = delete;

    /// What the rank prints to.
    [[nodiscard]] std::FILE *file() const noexcept { return file_; }
    [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

    /// From now on several threads may print. By the thread that has done so alone. Again: does nothing.
    void share() noexcept;
    /// Puts this in front of each line, and holds incomplete lines back until they are complete.
    void label(const std::string &prefix);
    /// Passes on all, but for an incomplete line if lines are labelled. 0, or EOF with errno set, as fflush.
    int flush();
    /// Passes on all, and ends an incomplete line if lines are labelled.
    void finish();
    /// From now on nothing is passed on: the rank has ended by _exit, and what it had not flushed is lost.
    void discard() noexcept;
    /// Passes on what is there and then this text, behind the file's buffer (write).
    bool write_through(std::string_view text);
    /// A question on a terminal must be there before the answer is waited for.
    void before_input();
    int set_buffering(buffering mode, char *buffer, std::size_t size);
    /// From now on writes to this descriptor, unlabelled (freopen).
    void redirect(int descriptor);

  private:
    class guard;
    static ssize_t take_from_file(void *stream, const char *text, std::size_t size);
    bool take(std::string_view text);
    bool take_labelled(std::string_view text);
    bool pass_on(std::size_t bytes);
    int flush_locked();

    int descriptor_;
    std::FILE *file_;
    bool unbuffered_;
    bool is_shared_ = true;
    std::string pending_;                        ///< the beginning of a line; not if lines are labelled
    std::optional<launch::line_splicer> labels_; ///< which then holds it
    std::atomic<bool> discards_{false};          ///< orders nothing
};

/// A rank's files.
struct standard_streams {
    standard_streams();
    output_stream out;
    output_stream error;
    std::FILE *own_output;
    std::FILE **output = &own_output; ///< where the program has its variable `stdout`
};

inline const rank_slot<standard_streams> rank_streams;

/// Replaces the process's stdout and stderr. @pre no rank runs yet.
void route_output();
/// Does the same for the C++ library's own streams (in streams.cpp).
void route_library_streams();

/// The rank's number is known: labels its streams if the launcher asks for it.
void label_output(hosted_rank &rank);
/// Other threads than the calling one are going to run functions of the rank's.
void share_output(hosted_rank &rank) noexcept;
/// Passes on what the rank has printed, at its end.
void finish_output(hosted_rank &rank);
/// Whether a line that the host labelled could not be written, to a full disk for one. It has been said.
[[nodiscard]] bool has_lost_output() noexcept;
/// Whether lines are labelled.
[[nodiscard]] bool labels_wanted();

/// The calling thread's stream behind its own or the process's stdout or stderr; null for other files and
/// threads.
[[nodiscard]] output_stream *stream_of(const std::FILE *file);
/// The same by descriptor, 1 or 2.
[[nodiscard]] output_stream *stream_of(int descriptor);

/// The file that functions mean which name none, such as printf: what the rank's variable `stdout` says.
[[nodiscard]] std::FILE *this_output();

/// The file that the rank reads as stdin: the process's for the job's first rank, an empty one for others.
[[nodiscard]] std::FILE *input_of(const hosted_rank &rank);

} // namespace lisle::host
