// SPDX-License-Identifier: Apache-2.0
#include "file/open_file.hpp"

#include <utility>

#include "file/helper.hpp"
#include "protocol/progress/wait.hpp"

namespace lisle::file {

open_file::open_file(communicator_ref members, std::unique_ptr<descriptor> opened, int amode)
    : object{object_kind::file}, seen{std::make_shared<const view>()}, comm_{std::move(members)},
      descriptor_{std::move(opened)}, amode_{amode}, thread{std::make_unique<helper>()} {
    comm_->of_file = handle();
}

open_file::~open_file() {
    comm_->of_file = MPI_FILE_NULL; // requests that were freed early may keep the communicator
}

void open_file::await_turn_of(unsigned number) {
    protocol::wait_until(home(), [&] { return is_turn_of(number); });
}

} // namespace lisle::file
