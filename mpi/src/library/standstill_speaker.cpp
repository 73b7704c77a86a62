// SPDX-License-Identifier: Apache-2.0
#include "library/standstill_speaker.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <poll.h>
#include <system_error>

#include "base/own_thread.hpp"
#include "base/settings.hpp"
#include "diagnosis/wait_report.hpp"
#include "library/end_in_deadlock.hpp"
#include "tcp/connecting.hpp"

namespace lisle {

using tcp::socket_address;

namespace {

constexpr std::string_view teller_key = "standstill-teller";
constexpr int between_looks = 100;     // milliseconds
constexpr int while_ranks_answer = 10; // milliseconds
using state = wait_table::state;

/// Where a thread that moves messages on may be about to end the wait of a rank that sleeps, and where ranks
/// go on after failures, nobody looks.
bool is_wanted(const job &here) {
    return here.places().nodes() > 1 && value_of(setting::deadlock) != 0 &&
           value_of(setting::recovery) == 0 && !has_progress_threads();
}

} // namespace

// ---- the ranks of this node ----

standstill_speaker::own_ranks::own_ranks(job &of) : job_{of}, table_{of.waits()} {}

std::optional<bool> standstill_speaker::own_ranks::read_answers() {
    if (!table_.all_answered(question_)) {
        return std::nullopt;
    }
    const locality &places = job_.places();
    const int node = places.node_of_process(job_.process());
    const job_waits read = read_waits(table_, question_);
    waits_.clear();
    bool certain = true;
    for (int index = 0; index < table_.ranks(); ++index) {
        const rank_wait &each = read[static_cast<std::size_t>(index)];
        waits_.push_back({places.rank_on(node, index), static_cast<std::uint32_t>(each.state), each.note});
        certain = certain && (each.state == state::gone || each.note.only_ranks != 0);
    }
    return certain;
}

// ---- beginning ----

std::unique_ptr<standstill_speaker> standstill_speaker::announce(job &speaking, socket_address interface,
                                                                 const shared_secret &secret) {
    const locality &places = speaking.places();
    const int self = speaking.process();
    if (!is_wanted(speaking) || places.process_index_on_node(self) != 0) {
        return nullptr;
    }
    const tcp::greeter greets{
        .with = tcp::service::speaker, .secret = secret, .listens = {}, .wants = tcp::wanted_protection()};
    std::unique_ptr<tcp::reception> reception;
    if (self == 0) {
        interface.set_port(0);
        if (interface.exists()) {
            reception = std::make_unique<tcp::reception>(interface, greets);
        }
        const bool listens = reception && *reception;
        const socket_address at = listens ? reception->address() : socket_address{};
        speaking.start().put(teller_key, std::as_bytes(std::span{&at, 1}));
        if (!listens) {
            return nullptr;
        }
    }
    return std::unique_ptr<standstill_speaker>{
        new standstill_speaker{speaking, greets, std::move(reception)}};
}

standstill_speaker::standstill_speaker(job &speaking, const tcp::greeter &self,
                                       std::unique_ptr<tcp::reception> reception)
    : job_{speaking}, node_{speaking.places().node_of_process(speaking.process())}, self_{self},
      ranks_{speaking}, reception_{std::move(reception)} {
    if (reception_) {
        vote_.emplace(speaking.places().nodes());
        all_waits_.resize(static_cast<std::size_t>(speaking.size()));
    }
}

void standstill_speaker::begin(std::unique_ptr<standstill_speaker> speaker) {
    if (!speaker) {
        return;
    }
    try {
        begin_own_thread([own = std::move(speaker)] {
            try {
                own->run();
            } catch (const std::exception &) {
                // No memory: the job goes on without a speaker.
            }
        }).detach();
    } catch (const std::system_error &) {
        // No thread: likewise.
    }
}

// ---- speaking ----

job_milliseconds standstill_speaker::now() {
    using namespace std::chrono;
    return duration_cast<job_milliseconds>(steady_clock::now().time_since_epoch());
}

void standstill_speaker::run() {
    while (!over_) {
        wait_for_news();
        hear_links();
        if (const auto said = voice_.next(now())) {
            say(*said);
        }
        if (tells()) {
            serve_as_teller();
        }
    }
}

void standstill_speaker::wait_for_news() {
    std::vector<pollfd> polled;
    for (const speaker_link &each : links_) {
        polled.push_back({each.descriptor(), POLLIN, 0});
    }
    if (reception_) {
        polled.push_back({reception_->descriptor(), POLLIN, 0});
    }
    poll(polled.data(), polled.size(), voice_.awaits_answers() ? while_ranks_answer : between_looks);
    if (!reception_) {
        return;
    }
    while (std::optional<tcp::reception::caller> met = reception_->next()) {
        add_link(tcp::greeting::side::listener, std::move(met->socket), met->greeted);
    }
}

void standstill_speaker::hear_links() {
    const auto ended = [this](speaker_link &link) {
        const bool goes_on = link.take_in();
        while (const auto message = link.next(static_cast<std::size_t>(job_.size()))) {
            hear(*message);
        }
        return !goes_on || link.broken();
    };
    const bool any = std::erase_if(links_, ended) != 0;
    over_ = any && !tells();
}

void standstill_speaker::hear(const speaker_link::heard &message) {
    const speaker_message &head = message.head;
    if (!tells()) {
        voice_.hear(head.request, head.round, now());
    } else if (head.node >= 0 && head.node < job_.places().nodes()) {
        keep(message.waits);
        vote_->hear(head.node, head.said, now());
    }
}

void standstill_speaker::keep(const std::vector<spoken_wait> &waits) {
    for (const spoken_wait &each : waits) {
        if (each.rank >= 0 && each.rank < job_.size()) {
            rank_wait &place = all_waits_[static_cast<std::size_t>(each.rank)];
            place = {each.state == static_cast<std::uint32_t>(state::gone) ? state::gone : state::waiting,
                     each.note};
            make_sound(place.note);
        }
    }
}

void standstill_speaker::add_link(tcp::greeting::side is, owned_descriptor met,
                                  const tcp::greeting &greeted) {
    tcp::stream made{std::move(met)};
    made.protect(is, greeted, self_.wants);
    links_.emplace_back(std::move(made));
}

bool standstill_speaker::meet_teller() {
    if (links_.empty()) {
        tcp::begun_connection begun = tcp::begin_connecting(socket_address{job_.start().get(0, teller_key)});
        tcp::greeting greeted{tcp::greeting::side::caller, self_};
        if (begun.failure != 0 || !tcp::wait_connected(begun.socket.get()) ||
            !tcp::wait_proven(begun.socket.get(), greeted)) {
            return false;
        }
        add_link(tcp::greeting::side::caller, std::move(begun.socket), greeted);
    }
    return true;
}

void standstill_speaker::say(const node_statement &said) {
    const bool answers = said.what == node_statement::sort::answers && said.says_still();
    if (tells()) {
        if (answers) {
            keep(ranks_.waits());
        }
        vote_->hear(node_, said, now());
        return;
    }
    speaker_message message{.node = node_,
                            .request = teller_request::nothing,
                            .round = said.round,
                            .said = said,
                            .waits = answers ? ranks_.waits().size() : 0};
    over_ = !meet_teller() || !links_.front().send(message, answers ? std::span{ranks_.waits()}
                                                                    : std::span<const spoken_wait>{});
}

void standstill_speaker::serve_as_teller() {
    const teller_request request = vote_->next(now());
    if (request == teller_request::nothing) {
        return;
    }
    if (request == teller_request::stands_still) {
        end_job_in_deadlock(job_, job_.first_rank(), [this] { return deadlock_report(all_waits_); });
    }
    voice_.hear(request, vote_->round(), now());
    const speaker_message message{
        .node = node_, .request = request, .round = vote_->round(), .said = {}, .waits = 0};
    std::erase_if(links_, [&message](speaker_link &each) { return !each.send(message); });
}

} // namespace lisle
