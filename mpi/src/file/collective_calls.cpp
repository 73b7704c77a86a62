// SPDX-License-Identifier: Apache-2.0
// The two forms of collective accesses: calls that wait between stages, and requests that progress advances
// from stage to stage.
#include <memory>
#include <optional>

#include "execution/wait_note.hpp"
#include "file/collective_access.hpp"
#include "protocol/progressed_request.hpp"
#include "protocol/wait.hpp"

namespace lisle::file {

namespace {

MPI_Count run(open_file &on, direction way, MPI_Count position, const typed_buffer &data) {
    collective_access work{on, way, position, data, false};
    const protocol::awaited_members others{on.comm().context()};
    while (!work.advance()) {
        protocol::wait_until(
            on.home(), [&] { return work.may_go_on(); }, &others);
    }
    return work.result();
}

class collective_request final : public protocol::progressed_request {
  public:
    collective_request(open_file &on, direction way, MPI_Count position, const typed_buffer &data)
        : progressed_request{on.home()}, on_{on} {
        work_.emplace(on, way, position, data, true);
        turn_ = on.begin_collective();
    }

    [[nodiscard]] std::string failure() const override { return failure_; }
    void describe(wait_note &note) const override { // perhaps for the disk
        note.add({on_.comm().context(), -1, wait_note::nobody, 0, wait_note::sort::outside});
    }

  private:
    bool ready() override {
        if (!on_.is_turn_of(turn_)) {
            return false;
        }
        try {
            if (!work_->advance()) {
                return false;
            }
            result.bytes = work_->result();
        } catch (const std::exception &caught) {
            const mpi_error error = error_of(caught);
            result.error = error.code();
            failure_ = error.what();
        }
        work_.reset();
        on_.end_collective(); // the file may be closed afterwards
        return true;
    }

    open_file &on_;
    std::optional<collective_access> work_;
    unsigned turn_ = 0;
    std::string failure_; ///< what `result.error` means
};

} // namespace

MPI_Count access_all(open_file &on, direction way, MPI_Count position, const typed_buffer &data) {
    const collective_turn turn{on};
    return run(on, way, position, data);
}

MPI_Count access_ordered(open_file &on, direction way, const typed_buffer &data) {
    const collective_turn turn{on};
    return run(on, way, in_order_of_ranks(on, data), data);
}

protocol::request *start_access_all(open_file &on, direction way, MPI_Count position,
                                    const typed_buffer &data) {
    auto made = std::make_unique<collective_request>(on, way, position, data);
    made->watch();
    return made.release();
}

} // namespace lisle::file
