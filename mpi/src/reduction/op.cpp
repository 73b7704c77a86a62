// SPDX-License-Identifier: Apache-2.0
#include "reduction/op.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <new>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "datatype/copy.hpp"
#include "datatype/predefined.hpp"
#include "reduction/kernels.hpp"

namespace lisle {

const datatype *only_predefined(const datatype &type) noexcept {
    if (type.facts() != nullptr) {
        return &type;
    }
    const datatype *only = nullptr;
    for (const datatype *const inner : type.origin().types) {
        const datatype *const found = only_predefined(*inner);
        if (found == nullptr || (only != nullptr && (found->basic() != only->basic() ||
                                                     category_of(*found) != category_of(*only)))) {
            return nullptr;
        }
        only = found;
    }
    return only;
}

namespace {

using collective::find_kernels;
using collective::reduction;

/// Elements [first, first + count) of an array.
const std::byte *at(const void *array, MPI_Count first, const datatype &type) noexcept {
    return reinterpret_cast<const std::byte *>(reinterpret_cast<std::intptr_t>(array) +
                                               first * type.extent());
}
std::byte *at(void *array, MPI_Count first, const datatype &type) noexcept {
    return const_cast<std::byte *>(at(const_cast<const void *>(array), first, type));
}

/// An operation that a kernel computes, on every type that consists of one predefined type.
class arithmetic_op final : public op {
  public:
    arithmetic_op(const char *name, reduction operation) noexcept
        : op{name, true, collective::allowed_categories(operation)}, operation_{operation} {}

    void check_further(const datatype &type) const override {
        const datatype *const element = only_predefined(type);
        if (element == nullptr) {
            fail(MPI_ERR_OP, name(),
                 " is defined for predefined datatypes, not for a type that mixes several");
        }
        if (find_kernels(operation_, element->basic(), category_of(*element)).apply == nullptr) {
            fail(MPI_ERR_OP, name(), " is not defined for ", element->facts()->name);
        }
    }

    collective::reduction_kernels kernels_for(const datatype &type) const noexcept override {
        return find_kernels(operation_, type.basic(), category_of(type));
    }

    void apply(const void *in, void *inout, MPI_Count count, const datatype &type) const override {
        const datatype &element = *only_predefined(type);
        const auto kernel = find_kernels(operation_, element.basic(), category_of(element)).apply;
        if (&element == &type || type.contiguous()) {
            kernel(static_cast<const std::byte *>(in), static_cast<std::byte *>(inout),
                   static_cast<std::size_t>(count * (type.size() / element.size())));
            return;
        }
        // With gaps: through dense arrays of the predefined type, some elements at a time.
        constexpr MPI_Count most_bytes = 65536;
        const MPI_Count most = std::max<MPI_Count>(1, most_bytes / std::max<MPI_Count>(1, type.size()));
        const MPI_Count dense = std::min(most, count) * (type.size() / element.size());
        const auto bytes = static_cast<std::size_t>(dense * element.extent());
        std::vector<std::byte> first(bytes), second(bytes);
        for (MPI_Count done = 0; done < count; done += most) {
            const MPI_Count now = std::min(most, count - done);
            const MPI_Count elements = now * (type.size() / element.size());
            const typed_buffer result{at(inout, done, type), now, type};
            const typed_buffer dense_in{first.data(), elements, element};
            const typed_buffer dense_inout{second.data(), elements, element};
            copy({at(in, done, type), now, type}, dense_in, 0, dense_in.bytes());
            copy(result, dense_inout, 0, dense_inout.bytes());
            kernel(first.data(), second.data(), static_cast<std::size_t>(elements));
            copy(dense_inout, result, 0, dense_inout.bytes());
        }
    }

    void combine(const void *first, const void *second, void *out, MPI_Count count,
                 const datatype &type) const override {
        const datatype &element = *only_predefined(type);
        if (&element != &type && !type.contiguous()) {
            op::combine(first, second, out, count, type);
            return;
        }
        find_kernels(operation_, element.basic(), category_of(element))
            .combine(static_cast<const std::byte *>(first), static_cast<const std::byte *>(second),
                     static_cast<std::byte *>(out),
                     static_cast<std::size_t>(count * (type.size() / element.size())));
    }

  private:
    reduction operation_;
};

/// MPI_REPLACE and MPI_NO_OP: for one-sided communication only.
class accumulate_op final : public op {
  public:
    accumulate_op(const char *name, bool replaces) noexcept : op{name, false, 0}, replaces_{replaces} {}

    void check_further(const datatype &) const override {
        fail(MPI_ERR_OP, name(), " is an operation of one-sided communication, not of reductions");
    }

    void apply(const void *in, void *inout, MPI_Count count, const datatype &type) const override {
        if (replaces_) {
            copy({in, count, type}, {inout, count, type}, 0, count * type.size());
        }
    }

  private:
    bool replaces_;
};

constexpr std::uint16_t any_category = UINT16_MAX;

/// A user's function. `Length` is the type it takes counts in.
template <class Function, class Length> class user_op final : public op {
  public:
    user_op(Function *function, bool commutative) noexcept
        : op{nullptr, commutative, any_category}, function_{function} {}

    void check_further(const datatype &) const override {}

    void apply(const void *in, void *inout, MPI_Count count, const datatype &type) const override {
        constexpr MPI_Count most = std::numeric_limits<Length>::max();
        MPI_Datatype handle = datatype_handle(type);
        for (MPI_Count done = 0; done < count; done += most) {
            auto length = static_cast<Length>(std::min(most, count - done));
            function_(const_cast<std::byte *>(at(in, done, type)), at(inout, done, type), &length, &handle);
            if (count - done <= most) {
                return; // done + most need not be a number
            }
        }
    }

  private:
    Function *function_;
};

/// A user's function that is given a state.
class stateful_op : public op {
  public:
    stateful_op(MPIX_User_function_x *function, MPIX_Destructor_function *destructor, bool commutative,
                void *state) noexcept
        : op{nullptr, commutative, any_category}, function_{function}, destructor_{destructor}, state_{
                                                                                                    state} {}
    ~stateful_op() override {
        if (destructor_ != nullptr) {
            destructor_(state_);
        }
    }

    void check_further(const datatype &) const override {}

    void apply(const void *in, void *inout, MPI_Count count, const datatype &type) const override {
        function_(const_cast<void *>(in), inout, count, datatype_handle(type), state_);
    }

  private:
    MPIX_User_function_x *function_;
    MPIX_Destructor_function *destructor_;
    void *state_;
};

/// One in memory of its user's.
class placed_op final : public stateful_op {
  public:
    using stateful_op::stateful_op;
    static void operator delete(void *) noexcept {}
};
static_assert(sizeof(placed_op) <= 128 && alignof(placed_op) <= 16, "what MPIX_Op_create_in says");

constexpr std::uintptr_t first_op = 0x20; // MPI_OP_NULL
constexpr std::size_t op_handles = 32;
using op_table = std::array<const op *, op_handles>;

// Never destroyed: threads may still reduce while a process ends.
op_table make_ops() {
    op_table ops{};
    const auto enter = [&ops](MPI_Op handle, const op *operation) {
        ops[handle_value(handle) - first_op] = operation;
    };
    enter(MPI_SUM, new arithmetic_op{"MPI_SUM", reduction::sum});
    enter(MPI_MIN, new arithmetic_op{"MPI_MIN", reduction::min});
    enter(MPI_MAX, new arithmetic_op{"MPI_MAX", reduction::max});
    enter(MPI_PROD, new arithmetic_op{"MPI_PROD", reduction::prod});
    enter(MPI_BAND, new arithmetic_op{"MPI_BAND", reduction::band});
    enter(MPI_BOR, new arithmetic_op{"MPI_BOR", reduction::bor});
    enter(MPI_BXOR, new arithmetic_op{"MPI_BXOR", reduction::bxor});
    enter(MPI_LAND, new arithmetic_op{"MPI_LAND", reduction::land});
    enter(MPI_LOR, new arithmetic_op{"MPI_LOR", reduction::lor});
    enter(MPI_LXOR, new arithmetic_op{"MPI_LXOR", reduction::lxor});
    enter(MPI_MINLOC, new arithmetic_op{"MPI_MINLOC", reduction::minloc});
    enter(MPI_MAXLOC, new arithmetic_op{"MPI_MAXLOC", reduction::maxloc});
    enter(MPI_REPLACE, new accumulate_op{"MPI_REPLACE", true});
    enter(MPI_NO_OP, new accumulate_op{"MPI_NO_OP", false});
    return ops;
}

const op_table predefined_ops = make_ops();

} // namespace

void op::combine(const void *first, const void *second, void *out, MPI_Count count,
                 const datatype &type) const {
    copy({second, count, type}, {out, count, type}, 0, count * type.size());
    apply(first, out, count, type);
}

void op::retain() const noexcept {
    if (!predefined()) {
        references_.fetch_add(1, std::memory_order_relaxed);
    }
}

void op::release() const noexcept {
    // Release when counting down and acquire before destruction: the last one sees all uses before it.
    if (!predefined() && references_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
        delete this;
    }
}

const op *find_op(MPI_Op handle) noexcept {
    const std::uintptr_t index = handle_value(handle) - first_op;
    return index < op_handles ? predefined_ops[index] : object_of<op>(handle);
}

op *create_op(MPI_User_function *function, bool commutative) {
    return new user_op<MPI_User_function, int>{function, commutative};
}

op *create_op(MPI_User_function_c *function, bool commutative) {
    return new user_op<MPI_User_function_c, MPI_Count>{function, commutative};
}

op *create_op(MPIX_User_function_x *function, MPIX_Destructor_function *destructor, bool commutative,
              void *state) {
    return new stateful_op{function, destructor, commutative, state};
}

op *create_op_in(void *memory, std::size_t bytes, MPIX_User_function_x *function, bool commutative,
                 void *state) {
    if (bytes < sizeof(placed_op)) [[unlikely]] {
        fail(MPI_ERR_ARG, "bytes is ", bytes, ": an operation needs ", sizeof(placed_op));
    }
    if (memory == nullptr || reinterpret_cast<std::uintptr_t>(memory) % alignof(placed_op) != 0)
        [[unlikely]] {
        fail(MPI_ERR_ARG, "memory is ", static_cast<const void *>(memory),
             ": an operation needs an address that is a multiple of ", alignof(placed_op));
    }
    return ::new (memory) placed_op{function, nullptr, commutative, state};
}

} // namespace lisle
