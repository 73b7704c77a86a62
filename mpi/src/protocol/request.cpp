// SPDX-License-Identifier: Apache-2.0
#include "protocol/message/request.hpp"

#include "base/error.hpp"
#include "base/error_texts.hpp"
#include "protocol/engine.hpp"
#include "protocol/point_to_point.hpp"
#include "protocol/wait.hpp"

namespace lisle::protocol {

request::request(rank &owner) noexcept : request{owner.engine()} {}

void request::free() {
    home->core().release(*this);
}

void wait(request &request) {
    if (!request.is_complete() && !request.home->look_for(request)) {
        wait(request, awaited_request{request});
    }
}

void wait(request &request, const awaited &what) {
    wait_until(
        *request.home, [&request] { return request.is_complete(); }, &what);
}

bool test(request &request) {
    if (request.is_complete()) {
        return true;
    }
    engine &mine = *request.home;
    mine.progress();
    if (request.is_complete()) {
        return true;
    }
    mine.found_nothing();
    return false;
}

scoped_request::~scoped_request() {
    if (owned_ != nullptr) {
        protocol::wait(*owned_);
        owned_->free();
    }
}

outcome scoped_request::wait() {
    protocol::wait(*owned_);
    const outcome ended = owned_->result;
    std::exchange(owned_, nullptr)->free();
    if (ended.error != MPI_SUCCESS && ended.error != MPI_ERR_TRUNCATE) {
        fail(ended.error, error_text(ended.error));
    }
    if (ended.error != MPI_SUCCESS) {
        fail(ended.error, "the message was longer than the buffer, of which it filled ", ended.bytes,
             " bytes");
    }
    return ended;
}

} // namespace lisle::protocol
