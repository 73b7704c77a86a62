// SPDX-License-Identifier: Apache-2.0
#include <lisle/couple/exchange.hpp>

#include <lisle/detail/error.hpp>

#include "couple/message_type.hpp"

namespace lisle::couple {

using lisle::detail::check;

/// Persistent requests, receives first, and their types, which an implementation may use until the requests
/// are freed.
class exchange::state {
  public:
    state() = default;
    state(const state &) = delete;
    state &operator=(const state &) = delete;
    ~state() {
        for (MPI_Request &each : requests_) {
            MPI_Request_free(&each);
        }
    }

    void add_receive(const route &from, const std::vector<field_place> &fields, std::int64_t places, int tag,
                     MPI_Comm all) {
        types_.emplace_back(fields, from, places);
        check(MPI_Recv_init(MPI_BOTTOM, 1, types_.back().handle(), from.rank, tag, all,
                            &requests_.emplace_back(MPI_REQUEST_NULL)),
              "MPI_Recv_init");
    }
    void add_send(const route &to, const std::vector<field_place> &fields, std::int64_t places, int tag,
                  MPI_Comm all) {
        types_.emplace_back(fields, to, places);
        // Of a standard send that is over nobody knows whether it has been received: components could run
        // away from others, and what they have given away would pile up there.
        check(MPI_Ssend_init(MPI_BOTTOM, 1, types_.back().handle(), to.rank, tag, all,
                             &requests_.emplace_back(MPI_REQUEST_NULL)),
              "MPI_Ssend_init");
    }
    void start() {
        check(MPI_Startall(static_cast<int>(requests_.size()), requests_.data()), "MPI_Startall");
    }
    void wait() {
        check(MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE),
              "MPI_Waitall");
    }

    [[nodiscard]] bool is_done() {
        int done = 0;
        check(MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done, MPI_STATUSES_IGNORE),
              "MPI_Testall");
        return done != 0;
    }

  private:
    std::vector<detail::message_type> types_;
    std::vector<MPI_Request> requests_;
};

exchange::exchange(MPI_Comm all, const router &routes, const decomposition &offered,
                   const decomposition &wanted, const std::vector<field_place> &sent,
                   const std::vector<field_place> &received, int tag)
    : state_{std::make_unique<state>()} {
    if (!received.empty()) {
        for (const route &each : routes.receives()) {
            state_->add_receive(each, received, wanted.places(), tag, all);
        }
    }
    if (!sent.empty()) {
        for (const route &each : routes.sends()) {
            state_->add_send(each, sent, offered.places(), tag, all);
        }
    }
}

exchange::exchange(exchange &&) noexcept = default;
exchange &exchange::operator=(exchange &&) noexcept = default;
exchange::~exchange() = default;

void exchange::start() {
    state_->start();
}
void exchange::wait() {
    state_->wait();
}
bool exchange::is_done() {
    return state_->is_done();
}

} // namespace lisle::couple
