// SPDX-License-Identifier: Apache-2.0
#include "file/payload.hpp"

#include <utility>

#include "base/error.hpp"
#include "datatype/checked.hpp"
#include "datatype/predefined.hpp"

namespace lisle::file {

payload::payload(direction way, std::shared_ptr<const view> through, const typed_buffer &data)
    : through_{std::move(through)}, type_{type_ref::share(*data.type)}, in_memory_{data}, in_file_{data} {
    const MPI_Count bytes = bytes_in_file(*through_, data);
    const representation &form = through_->form();
    if (!form.converts()) {
        return;
    }
    if (way == direction::writing) {
        converted_ = form.to_file(data);
    } else {
        converted_.resize(static_cast<std::size_t>(bytes));
    }
    in_file_ = {converted_.data(), bytes, byte_type()};
}

MPI_Count payload::finish_read(MPI_Count bytes) const {
    const representation &form = through_->form();
    return form.converts()
               ? form.to_memory(std::span{converted_}.first(static_cast<std::size_t>(bytes)), in_memory_)
               : bytes;
}

MPI_Count bytes_in_file(const view &through, const typed_buffer &data) {
    const MPI_Count bytes = checked_product(data.count, through.form().size_in_file(*data.type));
    if (bytes % through.unit() != 0) {
        fail(MPI_ERR_TYPE, "the data are ", bytes, " bytes in the file, which is no multiple of the ",
             through.unit(), " bytes of the view's etype");
    }
    return bytes;
}

} // namespace lisle::file
