// SPDX-License-Identifier: Apache-2.0
#include "protocol/request.hpp"

#include "base/error.hpp"
#include "base/error_texts.hpp"
#include "protocol/engine.hpp"
#include "protocol/point_to_point.hpp"
#include "protocol/progress/wait.hpp"

namespace lisle::protocol {

namespace {

// Acquire: pairs with the release store of the thread that completed the operation.
bool is_complete(const request &request) {
    return request.complete.load(std::memory_order_acquire);
}

} // namespace

outcome outcome::load(const MPI_Status &status) noexcept {
    const auto low = static_cast<std::uint32_t>(status.MPI_internal[0]);
    const auto high = static_cast<std::uint32_t>(status.MPI_internal[1]);
    return {.source = status.MPI_SOURCE,
            .tag = status.MPI_TAG,
            .error = status.MPI_ERROR,
            .cancelled = status.MPI_internal[2] != 0,
            .bytes = static_cast<MPI_Count>(std::uint64_t{high} << 32 | low)};
}

request::request(rank &owner) noexcept : request{owner.engine()} {}

void request::describe(wait_note &note) const {
    note.add({0, -1, wait_note::nobody, 0, wait_note::sort::outside});
}

void awaited_request::describe(wait_note &note) const {
    one_.describe(note);
}

void request::free() {
    home->release(*this);
}

void wait(request &request) {
    if (!is_complete(request) && !request.home->look_for(request)) {
        wait(request, awaited_request{request});
    }
}

void wait(request &request, const awaited &what) {
    wait_until(
        *request.home, [&request] { return is_complete(request); }, &what);
}

bool test(request &request) {
    if (is_complete(request)) {
        return true;
    }
    engine &mine = *request.home;
    mine.progress();
    if (is_complete(request)) {
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
