// SPDX-License-Identifier: Apache-2.0
// What ranks print. The C library's stdout and stderr are replaced by files without a buffer that hand each
// piece to the stream of the rank whose thread prints; so everything arrives here that uses them, whichever
// library it is in. A rank's stream passes on whole lines, in writes that other ranks' cannot cut.
#pragma once

#include <cstddef>
#include <cstdio>
#include <mutex>
#include <string>
#include <string_view>

namespace lisle::host {

struct hosted_rank;

/// When a stream passes on what it has.
enum class buffering { none, lines, full };

/// One rank's stdout or stderr. Thread-safe.
class output_stream {
  public:
    output_stream(int descriptor, buffering mode) : descriptor_(descriptor), mode_(mode) {}

    /// Puts this in front of each line, and holds incomplete lines back until they are complete.
    void label(std::string prefix);
    void write(std::string_view text);
    /// Passes on all, but for an incomplete line if lines are labelled.
    void flush();
    /// Passes on all, and ends an incomplete line if lines are labelled.
    void finish();
    /// A question on a terminal must be there before the answer is waited for.
    void before_input();
    void set_buffering(buffering mode);
    /// From now on writes to this descriptor, unlabelled (freopen).
    void redirect(int descriptor);
    [[nodiscard]] int descriptor() const { return descriptor_; }

  private:
    void pass_on(std::size_t bytes);
    std::size_t complete_lines() const;

    std::mutex mutex_; ///< protects all below
    int descriptor_;
    buffering mode_;
    std::string prefix_;
    std::string pending_;
};

/// The buffering that the C library would choose for this descriptor.
[[nodiscard]] buffering default_buffering(int descriptor);

/// Replaces the process's stdout and stderr. @pre no rank runs yet.
void route_output();
/// Does the same for the C++ library's own streams (in streams.cpp).
void route_library_streams();

/// The rank's number is known: labels its streams if the environment (LISLE_LABEL) asks for it.
void label_output(hosted_rank &rank);
/// Passes on what the rank has printed, at its end.
void finish_output(hosted_rank &rank);
/// Whether lines are labelled.
[[nodiscard]] bool labels_wanted();

/// The calling thread's stream behind the process's stdout or stderr; null for other files and threads.
[[nodiscard]] output_stream *stream_of(const std::FILE *file);
/// The same by descriptor, 1 or 2.
[[nodiscard]] output_stream *stream_of(int descriptor);

/// The file that the rank reads as stdin: the process's for the job's first rank, an empty one for others.
[[nodiscard]] std::FILE *input_of(const hosted_rank &rank);

} // namespace lisle::host
