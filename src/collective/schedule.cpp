// SPDX-License-Identifier: Apache-2.0
#include "collective/schedule.hpp"

#include <algorithm>
#include <new>

#include "datatype/predefined.hpp"
#include "runtime/error.hpp"

namespace lisle::collective {

step_index schedule::send(const typed_buffer &buffer, const team &team, int peer) {
    keep(*buffer.type);
    return add(send_step{buffer, team.channel, peer});
}

step_index schedule::receive(const typed_buffer &buffer, const team &team, int peer) {
    keep(*buffer.type);
    return add(receive_step{buffer, team.channel, peer});
}

void schedule::copy(const typed_buffer &from, const typed_buffer &to) {
    if (from.bytes() == 0 || (from.address == to.address && from.type == to.type)) {
        return;
    }
    if (from.bytes() > to.bytes()) {
        fail(MPI_ERR_TRUNCATE, "the ", from.bytes(), " bytes that this rank contributes do not fit the ",
             to.bytes(), " bytes that it receives from itself");
    }
    keep(*from.type);
    keep(*to.type);
    add(copy_step{from, to});
}

void schedule::reduce(const op &operation, const typed_buffer &in, const typed_buffer &inout) {
    if (inout.count == 0) {
        return;
    }
    keep(operation);
    keep(*inout.type);
    add(reduce_step{&operation, in, inout});
}

void schedule::await(step_index communication) {
    add(await_step{communication});
}

void schedule::await_all() {
    add(await_all_step{});
}

typed_buffer schedule::temporary(MPI_Count count, const datatype &type) {
    if (count == 0 || type.size() == 0) {
        return {nullptr, count, type};
    }
    // A negative extent puts the last element at the lowest address.
    const MPI_Count reach = (count - 1) * type.extent();
    const MPI_Count lowest = type.true_lower_bound() + std::min<MPI_Count>(0, reach);
    std::byte *const memory = allocate(type.true_extent() + std::max(reach, -reach));
    const auto origin = reinterpret_cast<std::intptr_t>(memory) - lowest;
    return {reinterpret_cast<const void *>(origin), count, type};
}

typed_buffer schedule::packed(MPI_Count bytes) {
    return {bytes == 0 ? nullptr : allocate(bytes), bytes, byte_type()};
}

void schedule::keep(const datatype &type) {
    const auto same = [&type](const auto &kept) { return kept.get() == &type; };
    if (std::none_of(types_.begin(), types_.end(), same)) {
        types_.push_back(ref<const datatype>::share(type));
    }
}

void schedule::keep(const op &operation) {
    if (!operation_) {
        operation_ = ref<const op>::share(operation);
    }
}

step_index schedule::add(const step &next) {
    steps_.push_back(next);
    return static_cast<step_index>(steps_.size() - 1);
}

std::byte *schedule::allocate(MPI_Count bytes) {
    auto *const memory = new (std::nothrow) std::byte[static_cast<std::size_t>(bytes)];
    if (memory == nullptr) {
        fail(MPI_ERR_NO_MEM, "no memory for ", bytes, " bytes of intermediate results");
    }
    return memory_.emplace_back(memory).get();
}

const datatype &byte_type() {
    return *find_datatype(MPI_BYTE);
}

typed_buffer nothing() {
    return {nullptr, 0, byte_type()};
}

typed_buffer part(const typed_buffer &buffer, MPI_Count first, MPI_Count count) noexcept {
    // Integer arithmetic: a buffer may be MPI_BOTTOM with a type of absolute addresses.
    const auto address = reinterpret_cast<std::intptr_t>(buffer.address) + first * buffer.type->extent();
    return {reinterpret_cast<const void *>(address), count, *buffer.type};
}

} // namespace lisle::collective
