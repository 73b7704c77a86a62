// SPDX-License-Identifier: Apache-2.0
#include "launch/common/line_splicer.hpp"

namespace lisle::launch {

void line_splicer::emit(std::string_view rest, std::string &joined) {
    joined += prefix_;
    joined += begun_;
    joined += rest;
    joined += '\n';
    begun_.clear();
}

void line_splicer::feed(std::string_view piece, std::string &joined) {
    while (!piece.empty()) {
        const auto room = longest_line - begun_.size();
        const auto end = piece.substr(0, room + 1).find('\n');
        if (end != std::string_view::npos) {
            emit(piece.substr(0, end), joined);
            piece.remove_prefix(end + 1);
        } else if (piece.size() > room) {
            emit(piece.substr(0, room), joined);
            piece.remove_prefix(room);
        } else {
            begun_ += piece;
            return;
        }
    }
}

void line_splicer::finish(std::string &joined) {
    if (!begun_.empty()) {
        emit({}, joined);
    }
}

} // namespace lisle::launch
