// SPDX-License-Identifier: Apache-2.0
#include "protocol/checking/type_notes.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "base/checks.hpp"
#include "base/error.hpp"
#include "protocol/checking/early_messages.hpp"
#include "protocol/message/operation.hpp"

namespace lisle::protocol {

namespace {

type_signature signature_of_all(const typed_buffer &buffer) noexcept {
    return repeated(buffer.type->signature(), buffer.count);
}

/// Whether a message may be received as the first bytes of what the receive takes.
bool fits(const receive_operation &receive, const type_signature &sent) {
    if (!sent.known()) {
        return true;
    }
    const auto taken = signature_of_first(*receive.buffer.type, receive.result.bytes);
    return taken && fit_together(sent, *taken);
}

bool fits(const receive_operation &receive, basic_type elements, const type_note *note) {
    const datatype &taken = *receive.buffer.type;
    const bool both_mixed = elements == basic_type::mixed && taken.basic() == basic_type::mixed;
    if (elements == basic_type::none || (surely_fit(elements, taken.basic()) && !both_mixed)) {
        return true;
    }
    if (note != nullptr) {
        return fits(receive, note->signature);
    }
    return elements == basic_type::mixed || fits(receive, signature_of(elements, receive.result.bytes));
}

std::string sent_in_words(basic_type elements, MPI_Count bytes, const type_note *note) {
    if (note == nullptr) {
        return in_words(outline_of(elements, bytes));
    }
    const std::string place{note->place, strnlen(note->place, sizeof note->place)};
    return in_words(note->outline) + (place.empty() ? "" : " (" + place + ")");
}

/// With a zero behind it.
void write_end(std::string_view text, std::span<char> to) noexcept {
    text.remove_prefix(text.size() - std::min(text.size(), to.size() - 1));
    std::ranges::copy(text, to.begin());
    to[text.size()] = '\0';
}

} // namespace

void type_notes::write_call(std::span<char> to) {
    if (const std::uint32_t number = number_call(); number != 0) {
        const std::scoped_lock guard{mutex_};
        write_end(places_[number - 1], to);
    }
}

bool type_notes::describes(const datatype &type) noexcept {
    const basic_type basic = type.basic();
    return basic == basic_type::mixed ||
           (checks(check_level::all) && basic != basic_type::none && basic != basic_type::byte);
}

type_note type_notes::note_of(const typed_buffer &message, std::uint32_t place) {
    type_note made{.signature = signature_of_all(message),
                   .outline = outline_of(*message.type, message.count)};
    if (place != 0) {
        const std::scoped_lock guard{mutex_};
        write_end(places_[place - 1], made.place);
    }
    return made;
}

std::uint32_t type_notes::number_call() {
    if (!checks(check_level::all)) {
        return 0;
    }
    const std::uint64_t call = find_call();
    if (call == 0) {
        return 0;
    }
    const std::scoped_lock guard{mutex_};
    if (const auto found = numbers_.find(call); found != numbers_.end()) {
        return found->second;
    }
    places_.push_back(name_call()); // first: a number without memory for its place would lead nowhere
    const auto number = static_cast<std::uint32_t>(places_.size());
    numbers_.emplace(call, number);
    return number;
}

void type_notes::keep(const void *message_or_receive, const type_note &note) {
    const std::scoped_lock guard{mutex_};
    kept_.insert_or_assign(message_or_receive, note);
}

void type_notes::move(const void *message, const receive_operation &receive) {
    const std::scoped_lock guard{mutex_};
    if (auto found = kept_.extract(message)) {
        rank_early_messages->look(found.mapped(), receive);
        found.key() = &receive;
        kept_.erase(&receive);
        kept_.insert(std::move(found));
    }
}

void type_notes::compare_kept(receive_operation &receive, std::uint8_t elements, const void *owner) {
    std::optional<type_note> note;
    {
        const std::scoped_lock guard{mutex_};
        // What was kept for something else that lay there is no note of this message.
        const auto found = kept_.extract(owner);
        if (found && (elements == static_cast<std::uint8_t>(basic_type::mixed) || checks(check_level::all))) {
            note = found.mapped();
            if (owner != &receive) {
                rank_early_messages->look(*note, receive);
            }
        }
    }
    compare(receive, elements, note ? &*note : nullptr);
}

void type_notes::compare(receive_operation &receive, std::uint8_t elements, const type_note *note) {
    const outcome &result = receive.result;
    const auto sent = static_cast<basic_type>(elements);
    if (result.bytes != 0 && result.error == MPI_SUCCESS && !fits(receive, sent, note)) [[unlikely]] {
        refuse(receive, sent, note);
    }
}

void type_notes::refuse(receive_operation &receive, basic_type sent, const type_note *note) {
    outcome &result = receive.result;
    result.error = MPI_ERR_TYPE;
    const std::scoped_lock guard{mutex_};
    if (findings_.size() == most_findings) {
        findings_.erase(findings_.begin());
    }
    findings_.push_back({result.source, result.tag,
                         sentence(sent_in_words(sent, result.bytes, note), ", and the receive takes ",
                                  in_words(outline_of(*receive.buffer.type, receive.buffer.count)))});
}

std::string type_notes::take_finding(int source, int tag) {
    const std::scoped_lock guard{mutex_};
    const auto found = std::ranges::find_if(
        findings_, [source, tag](const finding &each) { return each.source == source && each.tag == tag; });
    if (found == findings_.end()) {
        return {};
    }
    std::string text = std::move(found->text);
    findings_.erase(found);
    return text;
}

} // namespace lisle::protocol
