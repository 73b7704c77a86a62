// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/standstill_vote.hpp"

#include <utility>

namespace lisle {

namespace {

// After rounds without a result the next one comes later: the ranks may wait for threads of the program.
constexpr job_milliseconds first_pause{100};
constexpr unsigned most_doublings_in_vain = 6;
// How long ranks may take to answer and to fall asleep again.
constexpr job_milliseconds for_answers{2000};

} // namespace

// ---- the teller ----

bool standstill_vote::all_still(const statements &all) noexcept {
    std::uint64_t sent = 0, received = 0;
    for (const auto &each : all) {
        if (!each || !each->says_still()) {
            return false;
        }
        sent += each->found.sent;
        received += each->found.received;
    }
    return sent == received;
}

void standstill_vote::hear(int node, const node_statement &said, job_milliseconds now) {
    if (said.what == node_statement::sort::word) {
        words_[static_cast<std::size_t>(node)] = said;
        return;
    }
    const auto expected =
        phase_ == phase::asking ? node_statement::sort::answers : node_statement::sort::look;
    if (phase_ == phase::listening || said.what != expected || said.round != round_) {
        return; // too late
    }
    hear_in_round(node, said);
    if (missing_ == 0 && failed_) {
        fail(now);
    }
}

void standstill_vote::hear_in_round(int node, const node_statement &said) {
    std::optional<node_statement> &place = round_statements_[static_cast<std::size_t>(node)];
    --missing_;
    if (phase_ == phase::asking) {
        place = said;
        words_[static_cast<std::size_t>(node)] = said;
        failed_ = failed_ || !said.says_still() || said.certain == 0;
    } else {
        failed_ = failed_ || !said.says_still() || said.found != place->found;
    }
}

void standstill_vote::fail(job_milliseconds now) {
    in_vain_ += in_vain_ < most_doublings_in_vain ? 1 : 0;
    not_before_ = now + first_pause * (1U << in_vain_);
    phase_ = phase::listening;
}

teller_request standstill_vote::next(job_milliseconds now) {
    if (phase_ == phase::listening) {
        if (now < not_before_ || !all_still(words_)) {
            return teller_request::nothing;
        }
        ++round_;
        phase_ = phase::asking;
        missing_ = words_.size();
        failed_ = false;
        return teller_request::ask_ranks;
    }
    if (missing_ != 0) {
        return teller_request::nothing;
    }
    if (phase_ == phase::looking) {
        return teller_request::stands_still;
    }
    if (!all_still(round_statements_)) {
        fail(now);
        return teller_request::nothing;
    }
    phase_ = phase::looking;
    missing_ = words_.size();
    return teller_request::look_again;
}

// ---- a node ----

node_statement node_voice::statement(node_statement::sort what, std::uint32_t round,
                                     const std::optional<wait_table::stillness> &found) {
    return {.what = what,
            .round = round,
            .still = found ? std::uint8_t{1} : std::uint8_t{0},
            .certain = 0,
            .found = found.value_or(wait_table::stillness{})};
}

void node_voice::hear(teller_request request, std::uint32_t round, job_milliseconds now) {
    if (request == teller_request::ask_ranks) {
        asked_ = round;
        give_up_at_ = now + for_answers;
        ranks_.ask();
    } else if (request == teller_request::look_again) {
        look_ = round;
    }
}

std::optional<node_statement> node_voice::answers(job_milliseconds now) {
    const auto before = ranks_.stillness();
    const std::optional<bool> certain = before ? ranks_.read_answers() : std::nullopt;
    if (certain && ranks_.stillness() == before) {
        said_ = before;
        node_statement made = statement(node_statement::sort::answers, asked_, before);
        made.certain = *certain ? 1 : 0;
        asked_ = 0;
        return made;
    }
    if (now < give_up_at_) {
        return std::nullopt;
    }
    said_.reset();
    return statement(node_statement::sort::answers, std::exchange(asked_, 0), std::nullopt);
}

std::optional<node_statement> node_voice::next(job_milliseconds now) {
    if (look_ != 0) {
        return statement(node_statement::sort::look, std::exchange(look_, 0), ranks_.stillness());
    }
    if (asked_ != 0) {
        return answers(now);
    }
    const auto found = ranks_.stillness();
    const bool stays = found == before_;
    before_ = found;
    if (found == said_ || (found && !stays)) {
        return std::nullopt;
    }
    said_ = found;
    return statement(node_statement::sort::word, 0, found);
}

} // namespace lisle
