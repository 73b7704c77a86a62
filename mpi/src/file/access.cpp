// SPDX-License-Identifier: Apache-2.0
#include "file/access.hpp"

#include <memory>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "datatype/checked.hpp"
#include "execution/wait_note.hpp"
#include "file/agreement.hpp"
#include "file/helper.hpp"
#include "protocol/engine.hpp"

namespace lisle::file {

namespace {

MPI_Count move(const passage &by, direction way, MPI_Count position, const payload &data) {
    if (way == direction::reading) {
        return data.finish_read(read(by, position, data.in_file()));
    }
    write(by, position, data.in_file());
    return data.finish_write();
}

/// An access that the file's helper makes.
class helped_access final : public protocol::request {
  public:
    helped_access(open_file &on, direction way, MPI_Count position, const typed_buffer &data)
        : request{on.home()}, data_{way, on.seen, data}, how_{on.how},
          by_{on.on_disk(), data_.through(), how_, nullptr, on.atomic.load(std::memory_order_relaxed)},
          way_{way}, position_{position} {}

    /// On the helper.
    void run() {
        try {
            result.bytes = move(by_, way_, position_, data_);
        } catch (const std::exception &caught) {
            const mpi_error error = error_of(caught);
            result.error = error.code();
            failure_ = error.what();
        }
        home->complete(*this); // gives the object away
    }
    [[nodiscard]] std::string failure() const override { return failure_; }
    void describe(wait_note &note) const override {
        note.add({0, -1, wait_note::nobody, 0, wait_note::sort::outside});
    }

  private:
    const payload data_;
    const hints how_;
    const passage by_;
    const direction way_;
    const MPI_Count position_;
    std::string failure_; ///< what `result.error` means
};

/// The position that a seek leads to. @param current position of the pointer
MPI_Count seek_target(const open_file &on, MPI_Offset offset, int whence, MPI_Count current) {
    const view &seen = *on.seen;
    MPI_Count base = 0;
    switch (whence) {
    case MPI_SEEK_SET:
        break;
    case MPI_SEEK_CUR:
        base = current;
        break;
    case MPI_SEEK_END: { // the first etype of the view that the file does not hold completely
        const MPI_Count visible = seen.position_at(on.on_disk().size());
        base = (visible + seen.unit() - 1) / seen.unit() * seen.unit();
        break;
    }
    default:
        fail(MPI_ERR_ARG, "whence is ", whence,
             ", which is neither MPI_SEEK_SET nor MPI_SEEK_CUR nor MPI_SEEK_END");
    }
    const MPI_Count target = checked_sum(base, checked_product(offset, seen.unit()));
    if (target < 0) {
        fail(MPI_ERR_ARG, "offset ", offset, " leads to etype ", target / seen.unit(),
             ", before the beginning of the view");
    }
    return target;
}

} // namespace

void check_access(const open_file &on, direction way, bool says_where) {
    if (way == direction::reading && on.has(MPI_MODE_WRONLY)) {
        fail(MPI_ERR_ACCESS, "the file \"", on.on_disk().name(),
             "\" was opened with MPI_MODE_WRONLY, so it cannot be read");
    }
    if (way == direction::writing && on.has(MPI_MODE_RDONLY)) {
        fail(MPI_ERR_READ_ONLY, "the file \"", on.on_disk().name(),
             "\" was opened with MPI_MODE_RDONLY, so it cannot be written");
    }
    if (says_where && on.has(MPI_MODE_SEQUENTIAL)) {
        fail(MPI_ERR_UNSUPPORTED_OPERATION, "the file \"", on.on_disk().name(),
             "\" was opened with MPI_MODE_SEQUENTIAL: only calls with the shared file pointer are allowed");
    }
}

MPI_Count at_offset(const open_file &on, MPI_Offset offset) {
    if (offset < 0) {
        fail(MPI_ERR_ARG, "offset is ", offset, "; it must not be negative");
    }
    return checked_product(offset, on.seen->unit());
}

MPI_Count at_individual_pointer(open_file &on, const typed_buffer &data) {
    return on.position.fetch_add(bytes_in_file(*on.seen, data), std::memory_order_relaxed);
}

MPI_Count at_shared_pointer(open_file &on, const typed_buffer &data) {
    return on.shared->move(bytes_in_file(*on.seen, data));
}

MPI_Count in_order_of_ranks(open_file &on, const typed_buffer &data) {
    const std::vector<MPI_Count> all = gather(on.comm(), bytes_in_file(*on.seen, data));
    const auto own = all.begin() + on.comm().rank();
    MPI_Count begin = 0;
    if (on.comm().rank() == 0) {
        begin = on.shared->move(std::accumulate(all.begin(), all.end(), MPI_Count{0}));
    }
    agree_on(on.comm(), begin);
    return std::accumulate(all.begin(), own, begin);
}

MPI_Count access(open_file &on, direction way, MPI_Count position, const typed_buffer &data) {
    const payload prepared{way, on.seen, data};
    return move(on.way(prepared.through(), &on.home()), way, position, prepared);
}

protocol::request *start_access(open_file &on, direction way, MPI_Count position, const typed_buffer &data) {
    auto made = std::make_unique<helped_access>(on, way, position, data);
    if (on.seen->form().converts()) {
        made->run(); // the program's functions are called in its own calls only
    } else {
        on.thread->give([started = made.get()] { started->run(); });
    }
    return made.release();
}

void seek(open_file &on, MPI_Offset offset, int whence) {
    on.position.store(seek_target(on, offset, whence, on.position.load(std::memory_order_relaxed)),
                      std::memory_order_relaxed);
}

void seek_shared(open_file &on, MPI_Offset offset, int whence) {
    const collective_turn turn{on};
    agree(on.comm(), on.comm().rank() == 0
                         ? attempt([&] { on.shared->set(seek_target(on, offset, whence, on.shared->get())); })
                         : failure{});
}

} // namespace lisle::file
