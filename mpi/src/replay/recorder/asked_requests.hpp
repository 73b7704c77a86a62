// SPDX-License-Identifier: Apache-2.0
// The requests of a call as they were before it, and what has become of them.
#pragma once

#include <algorithm>
#include <span>
#include <unordered_map>
#include <vector>

#include "replay/recorder/noted_call.hpp"

namespace lisle::replay {

class asked_requests {
  public:
    /// @param theirs the statuses that the program has given, or MPI_STATUSES_IGNORE
    asked_requests(noted_call &by, int count, const MPI_Request *requests, MPI_Status *theirs)
        : call_{by}, statuses_{theirs} {
        if (!by.is_noted()) {
            return;
        }
        const std::span given{requests, static_cast<std::size_t>(std::max(count, 0))};
        requests_.assign(given.begin(), given.end());
        if (theirs == MPI_STATUSES_IGNORE) {
            own_.resize(requests_.size() + 1);
            statuses_ = own_.data();
        }
    }
    [[nodiscard]] MPI_Status *pass() noexcept { return statuses_; }

    /// Their places, as an argument.
    void note() {
        std::unordered_map<MPI_Request, std::size_t> met; // how many of each handle
        call_.length(requests_.size());
        for (const MPI_Request each : requests_) {
            const std::size_t nth = met[each]++;
            const known_request *const known = call_.record().requests().find(each, nth);
            places_.push_back(known != nullptr ? *known : known_request{});
            call_.request(each, nth);
        }
    }
    /// The request at a place has ended. @param status its place among the statuses
    void done(const MPI_Request *now, int place, int status) {
        const auto at = static_cast<std::size_t>(place);
        const MPI_Status &met = statuses_[status];
        if (places_[at].is_open() && met.MPI_SOURCE >= 0) {
            call_.record().fill_in(places_[at], met);
        }
        if (now[at] == MPI_REQUEST_NULL && requests_[at] != MPI_REQUEST_NULL) {
            call_.record().requests().forget(requests_[at], places_[at].place);
        }
    }

  private:
    noted_call &call_;
    MPI_Status *statuses_;
    std::vector<MPI_Request> requests_;
    std::vector<known_request> places_;
    std::vector<MPI_Status> own_;
};

} // namespace lisle::replay
