// SPDX-License-Identifier: Apache-2.0
// One spelling for the three forms of a collective call: blocking, non-blocking, persistent.
#pragma once

#include "../check.hpp"
#include "../memory.hpp"

#include <cstring>
#include <vector>

#ifdef FAILING_ALLOCATIONS
#include "../../integration/memory/once_each.hpp"
#else
/// Makes a call.
template <class Call, class... Arguments> int make(Call call, const Arguments &...arguments) {
    return call(arguments...);
}
#endif

enum class form { blocking, non_blocking, persistent };

inline constexpr form all_forms[] = {form::blocking, form::non_blocking, form::persistent};

/// Makes a collective call in this form and completes it; the persistent form runs twice. `prepare` sets
/// the buffers and is called before each run.
template <class Prepare, class Blocking, class Begin, class Make, class... Arguments> void
call(form how, Prepare prepare, Blocking blocking, Begin begin, Make lasting, const Arguments &...arguments) {
    MPI_Request request = MPI_REQUEST_NULL;
    switch (how) {
    case form::blocking:
        prepare();
        CHECK_MPI(make(blocking, arguments...));
        return;
    case form::non_blocking:
        prepare();
        CHECK_MPI(make(begin, arguments..., &request));
        CHECK_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
        CHECK(request == MPI_REQUEST_NULL);
        return;
    case form::persistent:
        CHECK_MPI(make(lasting, arguments..., MPI_INFO_NULL, &request));
        for (int round = 0; round < 2; ++round) {
            prepare();
            CHECK_MPI(make(MPI_Start, &request));
            CHECK_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
        }
        CHECK_MPI(MPI_Request_free(&request));
        return;
    }
}

/// What rank `rank` has at `index`: small enough for sums and products of doubles to be exact.
inline int value(int rank, int index) {
    return (rank * 7 + index * 3 + 1) % 23 - 11;
}

/// An array of ints of which only every `stride`th belongs to the data; the others must stay as they are.
class strided {
  public:
    static constexpr int guard = 0x7a7a7a7a;

    strided(int count, int stride)
        : count_{count}, stride_{stride}, memory_{sizeof(int) * static_cast<std::size_t>(count * stride + 2),
                                                  guard_byte} {}
    int &operator[](int i) { return data()[i * stride_]; }
    int *data() { return static_cast<int *>(static_cast<void *>(memory_.data())) + 1; }
    int count() const { return count_; }
    void clear() { std::memset(memory_.data(), static_cast<int>(guard_byte), memory_.size()); }
    void check_gaps() {
        CHECK_EQ(data()[-1], guard);
        CHECK_EQ(data()[count_ * stride_], guard);
        for (int i = 0; i < count_; ++i)
            for (int gap = 1; gap < stride_; ++gap)
                CHECK_EQ(data()[i * stride_ + gap], guard);
    }

  private:
    static constexpr std::byte guard_byte{0x7a};
    int count_, stride_;
    equal_bytes memory_;
};

/// MPI_INT (stride 1) or an int that takes the room of `stride`.
class int_type {
  public:
    explicit int_type(int stride) {
        if (stride == 1)
            return;
        MPI_Aint extent = static_cast<MPI_Aint>(sizeof(int)) * stride;
        CHECK_MPI(MPI_Type_create_resized(MPI_INT, 0, extent, &type_));
        CHECK_MPI(MPI_Type_commit(&type_));
    }
    ~int_type() {
        if (type_ != MPI_INT)
            MPI_Type_free(&type_);
    }
    int_type(const int_type &) = delete;
    int_type &operator=(const int_type &) = delete;
    operator MPI_Datatype() const { return type_; }

  private:
    MPI_Datatype type_ = MPI_INT;
};
