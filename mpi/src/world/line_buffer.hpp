// SPDX-License-Identifier: Apache-2.0
// A buffer for std::cout that passes on each line when it is complete. The buffers of the C++ library pass on
// 8 KiB at a time once they are no longer synchronised with stdio.
#pragma once

#include <cerrno>
#include <streambuf>
#include <string>
#include <string_view>
#include <unistd.h>

namespace lisle {

class line_buffer final : public std::streambuf {
  public:
    explicit line_buffer(int descriptor) noexcept : descriptor_{descriptor} {}

  protected:
    // There is no room that the stream could write to itself, so each character comes here.
    int_type overflow(int_type letter) override {
        if (traits_type::eq_int_type(letter, traits_type::eof())) {
            return traits_type::not_eof(letter);
        }
        const char one = traits_type::to_char_type(letter);
        return xsputn(&one, 1) == 1 ? letter : traits_type::eof();
    }
    std::streamsize xsputn(const char *text, std::streamsize count) override {
        constexpr std::size_t longest_line_held = std::size_t{64} << 10;
        const std::string_view added{text, static_cast<std::size_t>(count)};
        const std::size_t last = added.rfind('\n');
        const std::size_t complete = last == std::string_view::npos ? 0 : held_.size() + last + 1;
        held_ += added;
        return pass_on(held_.size() > longest_line_held ? held_.size() : complete) ? count : 0;
    }
    int sync() override { return pass_on(held_.size()) ? 0 : -1; }

  private:
    /// What cannot be written is lost, as with other buffers.
    bool pass_on(std::size_t bytes) {
        bool good = true;
        for (std::string_view rest{held_.data(), bytes}; good && !rest.empty();) {
            const ssize_t done = write(descriptor_, rest.data(), rest.size());
            good = done >= 0 || errno == EINTR;
            rest.remove_prefix(done > 0 ? static_cast<std::size_t>(done) : 0);
        }
        held_.erase(0, bytes);
        return good;
    }

    int descriptor_;
    std::string held_; ///< the beginning of a line
};

} // namespace lisle
