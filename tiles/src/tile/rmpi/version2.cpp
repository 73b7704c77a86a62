// SPDX-License-Identifier: Apache-2.0
#include "tile/rmpi/version2.hpp"

#include <algorithm>

namespace lisle::tile::rmpi {

version2::version2(core &here, const rank_map &tiles, int rank) : endpoint{here, tiles, rank, format2} {
    here_.set_handler(this);
}

version2::~version2() {
    here_.set_handler(nullptr);
}

void version2::words_arrived(core &here) {
    const cycle each = here.costs().receive_word_cycles;
    while (here.waiting() != 0) {
        if (into_ != nullptr) {
            const std::size_t place = into_->of.words - into_->left;
            const std::size_t read =
                here.receive_waiting(std::span(into_->words).subspan(place, payload_left_), each);
            payload_left_ -= read;
            into_->left -= static_cast<std::uint32_t>(read);
        } else {
            // Length and source say whether a message is incomplete, and so how long this header is.
            constexpr std::size_t least = 2;
            const std::size_t wanted = (header_words_ == 0 ? least : header_words_) - header_read_;
            header_read_ += here.receive_waiting(std::span(header_).subspan(header_read_, wanted), each);
            if (header_read_ == least) {
                const bool first = incomplete_[header_[1]] == nullptr;
                header_words_ = static_cast<std::size_t>(first ? format_.first_header : format_.next_header);
            } else if (header_read_ == header_words_) {
                header_complete();
            }
        }
        if (into_ != nullptr && payload_left_ == 0) {
            if (into_->left == 0) {
                incomplete_[static_cast<std::size_t>(into_->of.source)] = nullptr;
            }
            into_ = nullptr;
        }
    }
}

void version2::header_complete() {
    const auto source = static_cast<std::size_t>(header_[1]);
    here_.work(here_.costs().match_cycles);
    if (incomplete_[source] == nullptr) {
        const envelope of{static_cast<int>(source), static_cast<int>(header_[2]),
                          static_cast<int>(header_[5]), header_[3]};
        auto message = std::make_shared<unexpected_message>();
        message->of = of;
        message->words.resize(of.words);
        message->left = of.words;
        table_.insert(message);
        here_.work(2 * here_.costs().match_cycles); // into two more tables
        incomplete_[source] = std::move(message);
    }
    into_ = incomplete_[source].get();
    payload_left_ = header_[0] - header_words_;
    header_read_ = header_words_ = 0;
}

receive_status version2::receive(int from, int tag, int context, std::span<word> into) {
    const in_phase booked{here_, phase::library};
    here_.work(here_.costs().call_cycles);
    message_table::message found;
    for (;;) {
        // Interrupts are off while tables are searched; as one is due whenever a word waits, none is lost.
        here_.set_handler(nullptr);
        here_.work(here_.costs().match_cycles);
        found = table_.find(from, tag, context);
        here_.set_handler(this);
        if (found != nullptr) {
            break;
        }
        here_.rest(tile_of(from));
    }
    while (found->left != 0) {
        here_.rest(tile_of(found->of.source));
    }
    table_.take(found);
    copy(found->words, into);
    return {found->of.source, found->of.tag, found->of.words, found->of.words > into.size()};
}

void version2::keep_own(const envelope &of, std::span<const word> payload) {
    auto message = std::make_shared<unexpected_message>();
    message->of = of;
    message->words.assign(payload.begin(), payload.end());
    here_.work(here_.costs().copy_word_cycles * of.words);
    table_.insert(message);
}

} // namespace lisle::tile::rmpi
