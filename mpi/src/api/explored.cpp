// SPDX-License-Identifier: Apache-2.0
#include "api/explored.hpp"

#include <algorithm>

#include "api/active_requests.hpp"
#include "execution/rank_local.hpp"
#include "protocol/message/awaited.hpp"
#include "protocol/send_buffer.hpp"
#include "rma/window.hpp"

namespace lisle::api {

using choice::kind;
using exploration::open_choice;

namespace {

const rank_local<protocol::send_buffer> buffer_of_rank;

class probe_choice final : public open_choice {
  public:
    probe_choice(kind what, protocol::engine &about, const protocol::envelope &pattern)
        : open_choice{what, about}, pattern_{pattern} {}

    [[nodiscard]] std::vector<int> could_take() override {
        const auto here = exploration::run::read(about());
        sources_.clear();
        numbers_.clear();
        for (const std::size_t each : exploration::visible(pattern_, here.patterns, here.messages)) {
            const auto &message = here.messages[each];
            sources_.push_back(message.source);
            numbers_.push_back(
                exploration::number_in_job(about().core().self.owner, message.context, message.source));
        }
        return numbers_;
    }
    [[nodiscard]] std::optional<protocol::envelope> awaits() const override {
        return what() == kind::probe ? std::optional{pattern_} : std::nullopt;
    }
    /// The rank of the communicator that has this number.
    [[nodiscard]] int source_of(int number) const {
        const auto found = std::ranges::find(numbers_, number);
        return found == numbers_.end() ? choice::nothing
                                       : sources_[static_cast<std::size_t>(found - numbers_.begin())];
    }

  private:
    const protocol::envelope pattern_;
    std::vector<int> sources_, numbers_; ///< of the messages that there were last
};

class completion_choice final : public open_choice {
  public:
    completion_choice(kind what, protocol::engine &about, int count, const MPI_Request *requests,
                      completes how_many)
        : open_choice{what, about}, count_{count}, requests_{requests}, how_many_{how_many} {}

    [[nodiscard]] std::vector<int> could_take() override {
        std::vector<int> found = places(true);
        if (how_many_ == completes::all && !places(false).empty()) {
            return {};
        }
        if (how_many_ == completes::all) {
            return {count_};
        }
        if (how_many_ == completes::some && found.size() > 1) {
            found.insert(found.begin(), count_);
        }
        return found;
    }
    [[nodiscard]] std::vector<int> could_take_later() override {
        return what() == kind::completion ? places(false) : std::vector<int>{};
    }

  private:
    [[nodiscard]] std::vector<int> places(bool complete) const {
        std::vector<int> found;
        for (int place = 0; place != count_; ++place) {
            const request *const each = active(requests_[place]);
            if (each != nullptr && each->is_complete() == complete) {
                found.push_back(place);
            }
        }
        return found;
    }
    const int count_;
    const MPI_Request *const requests_;
    const completes how_many_;
};

} // namespace

void note_source(std::uint64_t context, int wanted, int source, std::uint32_t posting) {
    if (is_recorded() && wanted == MPI_ANY_SOURCE) {
        exploration::recorded_matches::of_process()->took(context, source, posting);
    }
}

void refuse_other_jobs_if_explored() {
    if (exploration::run *const open = explored()) {
        open->end_refused();
    }
}

protocol::send_buffer *explored_buffer(std::int64_t bytes) {
    exploration::run *const open = explored();
    return open != nullptr && open->buffers_send(this_rank().number(), bytes) ? &*buffer_of_rank : nullptr;
}

int explored_source(communicator &comm, int source, int tag, bool waits) {
    const protocol::envelope pattern{comm.point_to_point.context, source, tag};
    probe_choice open{waits ? kind::probe : kind::poll, *comm.point_to_point.home, pattern};
    return open.source_of(explored()->ask(open, protocol::awaited_probe{pattern}));
}

int explored_place(int count, const MPI_Request *requests, completes how_many, bool waits) {
    completion_choice open{waits ? kind::completion : kind::test, home_of(count, requests), count, requests,
                           how_many};
    return explored()->ask(open, awaited_requests{count, requests, how_many != completes::all});
}

namespace {

exploration::turn_place place_of(const rma::window &win, int target, bool keeps) {
    return {win.members.comm().context(), win.members.number_of(target), keeps};
}

} // namespace

void await_turn(const rma::window &win, int target) {
    explored()->ask_for_turn(win.members.home(), place_of(win, target, false));
}

void await_lock(const rma::window &win, int target) {
    explored()->ask_for_turn(win.members.home(), place_of(win, target, true));
}

void end_turn(const rma::window &win, int target) {
    explored()->give_turn_back(place_of(win, target, true), this_rank().number());
}

} // namespace lisle::api
