// SPDX-License-Identifier: Apache-2.0
// Numbers and texts as the bytes of a trace, and back (report/trace/format.hpp says how a number is written).
#pragma once

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "report/trace/format.hpp"

namespace lisle::replay {

/// What is wrong with a trace, as a sentence.
class trace_error : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

class byte_writer {
  public:
    void number(std::uint64_t value) {
        std::array<std::byte, report::packer::most_bytes> room;
        const std::byte *const end = report::packer{room.data()}.number(value).end();
        bytes_.append(reinterpret_cast<const char *>(room.data()),
                      static_cast<std::size_t>(end - room.data()));
    }
    void signed_number(std::int64_t value) { number(report::packer::folded(value)); }
    void text(std::string_view value) {
        number(value.size());
        bytes_ += value;
    }
    /// In as many bytes as any other int takes: patch() may replace it.
    void wide_number(int value) { bytes_ += wide(value); }
    [[nodiscard]] static std::string wide(int value) {
        std::string bytes;
        std::uint64_t rest = report::packer::folded(value);
        for (std::size_t at = 1; at != wide_bytes; ++at, rest >>= 7) {
            bytes += static_cast<char>((rest & 0x7f) | 0x80);
        }
        return bytes += static_cast<char>(rest & 0x7f);
    }
    static constexpr std::size_t wide_bytes = 5;

    [[nodiscard]] const std::string &bytes() const noexcept { return bytes_; }
    void clear() noexcept { bytes_.clear(); }

  private:
    std::string bytes_;
};

/// Throws trace_error where bytes are missing.
class byte_reader {
  public:
    explicit byte_reader(std::string_view bytes) noexcept : left_{bytes} {}
    [[nodiscard]] bool at_end() const noexcept { return left_.empty(); }
    [[nodiscard]] std::size_t left() const noexcept { return left_.size(); }

    std::uint64_t number() {
        std::uint64_t value = 0;
        for (unsigned shift = 0; !left_.empty() && shift < 64; shift += 7) {
            const auto byte = static_cast<unsigned char>(left_.front());
            left_.remove_prefix(1);
            value |= std::uint64_t{byte & 0x7fU} << shift;
            if ((byte & 0x80) == 0) {
                return value;
            }
        }
        throw trace_error{"a number has no end"};
    }
    std::int64_t signed_number() {
        const std::uint64_t folded = number();
        return static_cast<std::int64_t>(folded >> 1) ^ -static_cast<std::int64_t>(folded & 1);
    }
    std::string_view text() {
        const std::uint64_t length = number();
        if (length > left_.size()) {
            throw trace_error{"a text of " + std::to_string(length) + " bytes, where " +
                              std::to_string(left_.size()) + " are left"};
        }
        const std::string_view value = left_.substr(0, length);
        left_.remove_prefix(length);
        return value;
    }

  private:
    std::string_view left_;
};

} // namespace lisle::replay
