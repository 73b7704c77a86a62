// SPDX-License-Identifier: Apache-2.0
// How long a rank has waited, over the time of its run, in memory that does not grow.
#pragma once

#include <array>
#include <cstddef>

#include <mpi.h>

namespace lisle::couple::detail {

/// Seconds of waiting by stretches of the run. When the run is longer than all stretches, each two become
/// one.
class activity {
  public:
    static constexpr std::size_t stretches = 512;
    using waits = std::array<double, stretches>;

    /// The run begins now.
    void begin() noexcept { begin_ = MPI_Wtime(); }
    /// Of wall-clock times, as MPI_Wtime() tells them.
    void add_wait(double from, double to) noexcept {
        from -= begin_;
        to -= begin_;
        widen_to(to);
        while (from < to) {
            const auto at = stretch_of(from);
            const double end = at + 1 < stretches ? static_cast<double>(at + 1) * width_ : to;
            const double part = (end < to ? end : to) - from;
            if (!(part > 0)) {
                break; // rounding
            }
            waited_[at] += part;
            from += part;
        }
    }
    /// The run has ended, unless it has before.
    void end() noexcept {
        if (length_ == 0) {
            length_ = MPI_Wtime() - begin_;
            widen_to(length_);
        }
    }
    /// Of a stretch, in seconds.
    [[nodiscard]] double width() const noexcept { return width_; }
    /// @param width that a rank with the longest run has
    void widen(double width) noexcept {
        while (width_ < width) {
            merge();
        }
    }
    [[nodiscard]] const waits &waited() const noexcept { return waited_; }
    [[nodiscard]] double length() const noexcept { return length_; }

  private:
    [[nodiscard]] std::size_t stretch_of(double time) const noexcept {
        const auto at = static_cast<std::size_t>(time > 0 ? time / width_ : 0);
        return at < stretches ? at : stretches - 1;
    }
    void widen_to(double time) noexcept {
        while (time > width_ * static_cast<double>(stretches)) {
            merge();
        }
    }
    void merge() noexcept {
        for (std::size_t at = 0; at != stretches; ++at) {
            waited_[at] = at < stretches / 2 ? waited_[2 * at] + waited_[2 * at + 1] : 0;
        }
        width_ *= 2;
    }

    double begin_ = 0, length_ = 0;
    double width_ = 1.0 / 65536; ///< of a stretch, in seconds; by two only, so that ranks' stretches agree
    waits waited_{};
};

/// What passes while this lives is waiting.
class wait_mark {
  public:
    /// @param into nullptr: nobody asks
    explicit wait_mark(activity *into) noexcept : into_{into}, from_{into != nullptr ? MPI_Wtime() : 0} {}
    wait_mark(const wait_mark &) = delete;
    wait_mark &operator=(const wait_mark &) = delete;
    ~wait_mark() {
        if (into_ != nullptr) {
            into_->add_wait(from_, MPI_Wtime());
        }
    }

  private:
    activity *into_;
    double from_;
};

} // namespace lisle::couple::detail
