// SPDX-License-Identifier: Apache-2.0
#include "file/shared_pointer.hpp"

#include "datatype/predefined.hpp"
#include "file/agreement.hpp"
#include "protocol/message/request.hpp"
#include "reduction/op.hpp"
#include "rma/creation.hpp"
#include "rma/operations.hpp"
#include "rma/synchronization.hpp"

namespace lisle::file {

shared_pointer::shared_pointer(communicator &members, MPI_Count position) {
    const MPI_Aint size = members.rank() == 0 ? sizeof(MPI_Count) : 0;
    window_ = rma::allocate_window({members, nullptr, size, sizeof(MPI_Count)});
    if (members.rank() == 0) {
        *static_cast<MPI_Count *>(window_->facts.base) = position;
    }
    const failure own = attempt([&] {
        rma::lock_all(*window_, MPI_MODE_NOCHECK); // nobody ever locks it exclusively
        rma::sync(*window_);
    });
    try {
        agree(members, own);
    } catch (...) {
        if (!own) {
            rma::unlock_all(*window_);
        }
        rma::free_window(window_);
        throw;
    }
}

void shared_pointer::end() {
    rma::unlock_all(*window_);
    rma::free_window(window_);
}

MPI_Count shared_pointer::exchange(MPI_Count value, MPI_Op how) {
    MPI_Count before = 0;
    protocol::request *const started =
        rma::fetch_and_op(*window_, &value, &before, {0, 0, 1, find_datatype(MPI_COUNT)}, *find_op(how));
    if (started != nullptr) {
        started->free(); // the flush waits for it
    }
    rma::flush(*window_, 0);
    return before;
}

MPI_Count shared_pointer::move(MPI_Count by) {
    return exchange(by, MPI_SUM);
}

MPI_Count shared_pointer::get() {
    return exchange(0, MPI_NO_OP);
}

void shared_pointer::set(MPI_Count position) {
    static_cast<void>(exchange(position, MPI_REPLACE));
}

} // namespace lisle::file
