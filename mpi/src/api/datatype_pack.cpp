// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstring>
#include <span>

#include "api/datatype.hpp"
#include "base/error.hpp"
#include "datatype/checked.hpp"
#include "datatype/copy.hpp"
#include "datatype/external32.hpp"

namespace lisle::api {

namespace {

// The bytes of a packed buffer that a call uses: `needed` from `position` on, which moves behind them.
template <class Byte, class Void>
std::span<Byte> use_bytes(Void *buffer, MPI_Count size, MPI_Count &position, MPI_Count needed) {
    if (position < 0 || position > size) {
        fail(MPI_ERR_ARG, "position ", position, " is outside the packed buffer, which has ", size, " bytes");
    }
    if (needed > size - position) {
        fail(MPI_ERR_TRUNCATE, "the data have ", needed, " bytes, but the packed buffer only has ",
             size - position, " from position ", position, " on");
    }
    const std::span<Byte> bytes{static_cast<Byte *>(buffer) + position, static_cast<std::size_t>(needed)};
    position += needed;
    return bytes;
}

void require_external32(const char *datarep, MPI_Count count) {
    if (count < 0) {
        fail(MPI_ERR_COUNT, "the count is ", count, ", which is negative");
    }
    if (std::strcmp(datarep, "external32") != 0) {
        fail(MPI_ERR_ARG, "datarep is \"", datarep, "\"; the only one is \"external32\"");
    }
}

} // namespace

void pack(const void *inbuf, MPI_Count incount, const datatype &datatype, void *outbuf, MPI_Count outsize,
          MPI_Count &position, communicator &) {
    const MPI_Count bytes = checked_product(incount, datatype.size());
    lisle::pack({inbuf, incount, datatype}, 0, use_bytes<std::byte>(outbuf, outsize, position, bytes));
}

void unpack(const void *inbuf, MPI_Count insize, MPI_Count &position, void *outbuf, MPI_Count outcount,
            const datatype &datatype, communicator &) {
    const MPI_Count bytes = checked_product(outcount, datatype.size());
    lisle::unpack({outbuf, outcount, datatype}, 0,
                  use_bytes<const std::byte>(inbuf, insize, position, bytes));
}

void pack_size(MPI_Count incount, const datatype &datatype, communicator &, MPI_Count &size) {
    size = checked_product(incount, datatype.size());
}

void pack_external(const char *datarep, const void *inbuf, MPI_Count incount, const datatype &datatype,
                   void *outbuf, MPI_Count outsize, MPI_Count &position) {
    require_external32(datarep, incount);
    const MPI_Count bytes = checked_product(incount, datatype.part().external_size);
    MPI_Count next = position;
    pack_external32({inbuf, incount, datatype}, use_bytes<std::byte>(outbuf, outsize, next, bytes));
    position = next;
}

void unpack_external(const char *datarep, const void *inbuf, MPI_Count insize, MPI_Count &position,
                     void *outbuf, MPI_Count outcount, const datatype &datatype) {
    require_external32(datarep, outcount);
    const MPI_Count bytes = checked_product(outcount, datatype.part().external_size);
    unpack_external32({outbuf, outcount, datatype},
                      use_bytes<const std::byte>(inbuf, insize, position, bytes));
}

void pack_external_size(const char *datarep, MPI_Count incount, const datatype &datatype, MPI_Count &size) {
    require_external32(datarep, incount);
    size = checked_product(incount, datatype.part().external_size);
}

} // namespace lisle::api
