// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "datatype/typed_buffer.hpp"

namespace lisle::collective {

/// The buffers that a rank exposes to ranks that can reach its memory: one to read from, one to write to, and
/// one for each member, of either kind. Between processes the types mean nothing: the buffers are bytes.
struct buffer_descriptor {
    typed_buffer give;
    typed_buffer take;
    const typed_buffer *blocks = nullptr;
};

} // namespace lisle::collective
