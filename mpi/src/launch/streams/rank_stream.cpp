// SPDX-License-Identifier: Apache-2.0
#include "launch/streams/rank_stream.hpp"

#include <chrono>
#include <cstdio>
#include <ctime>
#include <utility>

namespace lisle::launch {

namespace {

/// 2026-11-23 09:30:00.123 and a space, in local time.
std::string time_of_day() {
    const auto now = std::chrono::system_clock::now();
    const auto seconds = std::chrono::system_clock::to_time_t(now);
    const auto part =
        std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000;
    std::tm local{};
    localtime_r(&seconds, &local);
    char text[64];
    auto length = std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &local);
    length += static_cast<std::size_t>(
        std::snprintf(text + length, sizeof text - length, ".%03d ", static_cast<int>(part)));
    return {text, length};
}

} // namespace

rank_stream::rank_stream(outlet *to, line_label label, std::vector<std::shared_ptr<output_file>> files)
    : to_{to}, label_{std::move(label)}, lines_{label_.text}, files_{std::move(files)} {}

void rank_stream::feed(std::string_view piece) {
    for (const auto &file : files_) {
        file->write(piece);
    }
    if (to_ == nullptr || to_->broken()) {
        return;
    }
    if (!label_.any()) {
        to_->waiting() += piece;
        return;
    }
    if (label_.timestamp) {
        lines_.set_prefix(time_of_day() + label_.text);
    }
    lines_.feed(piece, to_->waiting());
}

void rank_stream::finish() {
    if (to_ != nullptr) {
        lines_.finish(to_->waiting());
    }
}

int rank_stream::only_target() const noexcept {
    if (label_.any() || files_.size() + (to_ != nullptr ? 1 : 0) != 1) {
        return -1;
    }
    return to_ != nullptr ? to_->descriptor() : files_.front()->descriptor();
}

} // namespace lisle::launch
