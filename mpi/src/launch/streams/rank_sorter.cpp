// SPDX-License-Identifier: Apache-2.0
#include "launch/streams/rank_sorter.hpp"

#include <charconv>

namespace lisle::launch {

namespace {

constexpr std::size_t longest_label = std::string_view{"[1048575] "}.size();

} // namespace

void rank_sorter::pass_on(std::string_view text) {
    if (current_ != nullptr) {
        current_->feed(text);
    } else {
        others_->waiting() += text;
    }
}

/// Finds whose line `waiting_` begins, and takes the label away.
void rank_sorter::begin_line() {
    in_line_ = true;
    current_ = nullptr;
    int rank = -1;
    const char *const end = waiting_.data() + waiting_.size();
    const auto read = std::from_chars(waiting_.data() + 1, end, rank);
    const bool labelled = waiting_.front() == '[' && read.ec == std::errc{} &&
                          std::string_view{read.ptr, end}.starts_with("] ");
    const auto index = static_cast<std::size_t>(rank - first_);
    if (labelled && rank >= first_ && index < streams_.size()) {
        current_ = &streams_[index];
        waiting_.erase(0, static_cast<std::size_t>(read.ptr - waiting_.data()) + 2);
    }
}

void rank_sorter::feed(std::string_view piece) {
    waiting_ += piece;
    while (!waiting_.empty()) {
        const auto end = waiting_.find('\n');
        if (!in_line_) {
            if (end == std::string::npos && waiting_.size() < longest_label) {
                return;
            }
            begin_line();
            continue; // the label is gone
        }
        const auto length = end == std::string::npos ? waiting_.size() : end + 1;
        pass_on(std::string_view{waiting_}.substr(0, length));
        waiting_.erase(0, length);
        in_line_ = end == std::string::npos;
    }
}

void rank_sorter::finish() {
    if (!in_line_ && !waiting_.empty()) {
        begin_line();
    }
    pass_on(waiting_);
    waiting_.clear();
    for (auto &stream : streams_) {
        stream.finish();
    }
}

} // namespace lisle::launch
