// SPDX-License-Identifier: Apache-2.0
// Plain values as bytes, for the launcher's processes on other hosts. A struct has one function
// `describe(wire, value)` that names its members in order; it serves both ways. Laid out as in memory: both
// ends are the same version of Lisle, and the frames' mark tells another order of bytes.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "launch/common/launch_error.hpp"

namespace lisle::launch {

template <class Value>
concept plain = std::is_arithmetic_v<Value> || std::is_enum_v<Value>;

class packer {
  public:
    template <class... Values> void operator()(const Values &...values) { (put(values), ...); }
    [[nodiscard]] std::string take() { return std::move(bytes_); }

  private:
    template <plain Value> void put(const Value &value) {
        bytes_.append(reinterpret_cast<const char *>(&value), sizeof value);
    }
    void put(const std::string &text) {
        put(static_cast<std::uint64_t>(text.size()));
        bytes_ += text;
    }
    template <class Value> void put(const std::vector<Value> &values) {
        put(static_cast<std::uint64_t>(values.size()));
        for (const Value &each : values) {
            put(each);
        }
    }
    template <class Value> void put(const std::optional<Value> &value) {
        put(value.has_value());
        if (value) {
            put(*value);
        }
    }
    template <class Value>
    requires(std::is_class_v<Value>) void put(const Value &value) {
        describe(*this, const_cast<Value &>(value)); // which only reads it, given this wire
    }

    std::string bytes_;
};

/// Throws launch_error where the bytes end too early.
class unpacker {
  public:
    explicit unpacker(std::string_view bytes) : rest_{bytes} {}
    template <class... Values> void operator()(Values &...values) { (get(values), ...); }

  private:
    std::string_view next(std::uint64_t length) {
        if (length > rest_.size()) {
            give_up(1, "a message between the launcher and a host is too short: ", rest_.size(),
                    " bytes where ", length, " were to follow");
        }
        const auto piece = rest_.substr(0, length);
        rest_.remove_prefix(length);
        return piece;
    }
    template <plain Value> void get(Value &value) {
        std::memcpy(&value, next(sizeof value).data(), sizeof value);
    }
    void get(std::string &text) {
        std::uint64_t length = 0;
        get(length);
        text = next(length);
    }
    template <class Value> void get(std::vector<Value> &values) {
        std::uint64_t count = 0;
        get(count);
        values.clear();
        for (std::uint64_t i = 0; i < count; ++i) { // each takes bytes, which bounds the number
            get(values.emplace_back());
        }
    }
    template <class Value> void get(std::optional<Value> &value) {
        bool there = false;
        get(there);
        value.reset();
        if (there) {
            get(value.emplace());
        }
    }
    template <class Value>
    requires(std::is_class_v<Value>) void get(Value &value) { describe(*this, value); }

    std::string_view rest_;
};

/// Values as the body of a message, and back.
template <class... Values> [[nodiscard]] std::string packed(const Values &...values) {
    packer wire;
    wire(values...);
    return wire.take();
}
template <class... Values> void unpack(std::string_view bytes, Values &...values) {
    unpacker{bytes}(values...);
}

} // namespace lisle::launch
