// SPDX-License-Identifier: Apache-2.0
// The file of a trace: put together from what the ranks have recorded, and read.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "replay/trace/bytes.hpp"
#include "replay/trace/format.hpp"

namespace lisle::replay {

/// Puts the records in a folder together in one file. Throws trace_error. @return the names of what the ranks
/// have left out, with ", " between
std::string join_records(const std::filesystem::path &folder, const std::filesystem::path &file);

/// A file that is checked as a whole: its sizes, and on demand each record.
class trace {
  public:
    /// Throws trace_error.
    explicit trace(const std::filesystem::path &file);

    [[nodiscard]] int ranks() const noexcept { return static_cast<int>(sections_.size()); }
    [[nodiscard]] std::string_view left_out() const noexcept { return left_out_; }
    /// Throws trace_error if it is not what was written, or its items have no end.
    [[nodiscard]] std::string_view record_of(int rank) const;

  private:
    struct unmap {
        std::size_t bytes;
        void operator()(const char *memory) const noexcept;
    };

    std::unique_ptr<const char, unmap> file_;
    std::vector<trace_section> sections_;
    std::string_view left_out_;
};

} // namespace lisle::replay
