// SPDX-License-Identifier: Apache-2.0
#include "tile/rmpi/version3.hpp"

#include <algorithm>

namespace lisle::tile::rmpi {

version3::version3(core &here, const rank_map &tiles, int rank) : endpoint{here, tiles, rank, format3} {
    here_.set_handler(this);
}

version3::~version3() {
    here_.set_handler(nullptr);
}

void version3::words_arrived(core &here) {
    while (here.waiting() != 0) {
        read_some();
    }
}

void version3::read_some() {
    const cycle each = here_.costs().receive_word_cycles;
    switch (state_) {
    case reading::sender: {
        word first = 0;
        here_.receive_waiting({&first, 1}, each);
        sender_known(first);
        break;
    }
    case reading::header: {
        incoming &from = by_sender_[sender_];
        from.header_left -= here_.receive_waiting(std::span(from.header).last(from.header_left), each);
        if (from.header_left == 0) {
            envelope_known();
        }
        break;
    }
    case reading::payload:
        payload_step();
        break;
    case reading::part:
        part_step();
        break;
    }
}

void version3::sender_known(word first) {
    if ((first & part_mark) != 0) {
        sender_ = part_sender(first);
        payload_left_ = part_words(first);
        part_.clear();
        state_ = reading::part;
        return;
    }
    sender_ = first;
    incoming &from = by_sender_[sender_];
    if (from.active) {
        payload_left_ = static_cast<std::size_t>(format_.next_payload(from.left));
        state_ = reading::payload;
    } else {
        from.active = true;
        from.header_left = from.header.size();
        state_ = reading::header;
    }
}

void version3::envelope_known() {
    incoming &from = by_sender_[sender_];
    from.of = {static_cast<int>(sender_), static_cast<int>(from.header[1]), static_cast<int>(from.header[2]),
               from.header[0] / 4};
    from.left = from.of.words;
    here_.work(here_.costs().match_cycles);
    if (matches_posted(from.of)) {
        posted_.armed = false;
        posted_.matched = from.of;
        from.into = posted_.into;
        from.kept = nullptr;
        ++counts_.posted_matches;
    } else {
        here_.work(here_.costs().allocate_cycles + here_.costs().match_cycles);
        from.kept = std::make_shared<unexpected_message>();
        from.kept->of = from.of;
        from.kept->words.resize(from.of.words);
        from.kept->left = from.of.words;
        from.into = from.kept->words;
        table_.insert(from.kept);
    }
    payload_left_ = static_cast<std::size_t>(format_.first_payload(from.left));
    state_ = reading::payload;
    if (from.left == 0) {
        message_complete(from);
    }
}

void version3::payload_step() {
    incoming &from = by_sender_[sender_];
    std::array<word, most_payload_words> dropped; // words beyond the end of the buffer
    const std::size_t fits = std::min(payload_left_, from.into.size());
    const std::span<word> into = fits != 0 ? from.into.first(fits) : std::span(dropped).first(payload_left_);
    const std::size_t read = here_.receive_waiting(into, here_.costs().receive_word_cycles);
    from.into = from.into.subspan(std::min(read, fits));
    payload_left_ -= read;
    from.left -= static_cast<std::uint32_t>(read);
    if (from.kept != nullptr) {
        from.kept->left = from.left;
    }
    if (from.left == 0) {
        message_complete(from);
    } else if (payload_left_ == 0) {
        state_ = reading::sender;
    }
}

void version3::message_complete(incoming &of) {
    if (of.kept == nullptr) {
        posted_.done = true;
    }
    of.kept = nullptr;
    of.active = false;
    state_ = reading::sender;
}

bool version3::matches_posted(const envelope &of) const noexcept {
    return posted_.armed && posted_.context == of.context &&
           (posted_.source == any || posted_.source == of.source) &&
           (posted_.tag == any || posted_.tag == of.tag);
}

receive_status version3::receive(int from, int tag, int context, std::span<word> into) {
    const in_phase booked{here_, phase::library};
    const parameters &costs = here_.costs();
    here_.work(costs.call_cycles);
    // No interrupt between the search and the posting, or a message could come between the two.
    here_.set_handler(nullptr);
    here_.work(costs.match_cycles);
    const message_table::message found = table_.find(from, tag, context);
    if (found != nullptr) {
        here_.set_handler(this);
        while (found->left != 0) { // case 3
            here_.rest(tile_of(found->of.source));
        }
        table_.take(found);
        copy(found->words, into);
        return {found->of.source, found->of.tag, found->of.words, found->of.words > into.size()};
    }
    posted_ = {from, tag, context, into, {}, true, false};
    here_.set_handler(this);
    while (!posted_.done) {
        here_.rest(tile_of(from));
    }
    const envelope &of = posted_.matched;
    return {of.source, of.tag, of.words, of.words > into.size()};
}

void version3::keep_own(const envelope &of, std::span<const word> payload) {
    auto message = std::make_shared<unexpected_message>();
    message->of = of;
    message->words.assign(payload.begin(), payload.end());
    here_.work(here_.costs().allocate_cycles + here_.costs().copy_word_cycles * of.words);
    table_.insert(message);
}

// ---- parts of collectives ----

void version3::begin_streams() {
    here_.set_handler(nullptr);
}

void version3::end_streams() {
    here_.set_handler(this);
}

void version3::part_step() {
    const std::size_t before = part_.size();
    part_.resize(before + payload_left_);
    const std::size_t read =
        here_.receive_waiting(std::span(part_).last(payload_left_), here_.costs().receive_word_cycles);
    part_.resize(before + read);
    payload_left_ -= read;
    if (payload_left_ == 0) {
        early_parts_[sender_].push_back(part_);
        state_ = reading::sender;
    }
}

std::size_t version3::receive_part(int from, std::span<word> into) {
    auto &early = early_parts_[static_cast<std::size_t>(from)];
    while (early.empty()) {
        if (here_.waiting() == 0) {
            here_.rest(tile_of(from));
        }
        read_some();
    }
    const std::vector<word> part = std::move(early.front());
    early.pop_front();
    std::copy(part.begin(), part.end(), into.begin());
    return part.size();
}

void version3::send_part(int to, std::span<const word> part) {
    const word header = make_part_header(rank_, part.size());
    here_.work(here_.costs().packet_cycles);
    send_packet(here_, tile_of(to), {&header, 1}, part, here_.costs().send_word_cycles);
}

} // namespace lisle::tile::rmpi
