// SPDX-License-Identifier: Apache-2.0
// The forms of a collective operation. MPI has three functions for each, with the same arguments: one returns
// when the operation is complete, one starts it, one prepares it for many rounds. A description names the
// three and says what a rank gives and gets; the functions below make every form of the interface from it:
// results that are returned, put into memory that exists, or put in place of what was given.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "lisle/collective/argument.hpp"
#include "lisle/collective/shadow.hpp"
#include "lisle/datatype/destination.hpp"
#include "lisle/request/persistent.hpp"
#include "lisle/request/request.hpp"

namespace lisle {
class communicator;
}

namespace lisle::detail {

/// A name that the compiler concatenates.
struct built_name {
    char text[48]{};
    consteval built_name(const char *before, const char *name, const char *after, bool small) {
        char *next = text;
        for (; *before != 0; ++before)
            *next++ = *before;
        *next++ = small ? static_cast<char>(*name - 'A' + 'a') : *name;
        for (++name; *name != 0; ++name)
            *next++ = *name;
        for (; *after != 0; ++after)
            *next++ = *after;
    }
};

/// One of MPI's operations, as Gather: its three functions, and their names in errors.
template <class Call, class Start, class Prepare> struct mpi_functions {
    Call *call;
    Start *start;
    Prepare *prepare;
    built_name name, start_name, prepare_name, interface_name;

    consteval mpi_functions(const char *operation, Call *calls, Start *starts, Prepare *prepares)
        : call{calls}, start{starts}, prepare{prepares}, name{"MPI_", operation, "", false},
          start_name{"MPI_I", operation, "", true}, prepare_name{"MPI_", operation, "_init", false},
          interface_name{"lisle::", operation, "", true} {}
};

/// The operation's name in errors of this interface: lisle::gather.
template <class Operation> inline constexpr const char *name_of = Operation::mpi.interface_name.text;

/// The order of an operation's arguments.
enum class signature {
    meets,    ///< none
    spreads,  ///< to, count, type
    moves,    ///< from, count, type, to, count, type
    combines, ///< from, to, count, type, operation
};

/// The arguments of an operation whose blocks are all alike.
struct arguments {
    const void *from = nullptr;
    void *to = nullptr;
    MPI_Count count = 0;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    int root = 0;
    MPI_Op operation = MPI_OP_NULL;
};

/// check() of one of Operation's functions: an error tells the count, and the root if there is one.
template <class Operation> void check_function(int code, const char *name, MPI_Count count, int root) {
    if constexpr (Operation::rooted)
        check(code, name, named_value{"count", count}, named_value{"root", root});
    else if constexpr (Operation::takes != signature::meets)
        check(code, name, named_value{"count", count});
    else
        check(code, name);
}

// ---- the three forms: how one of MPI's functions is called, and what the caller gets ----
//
// Always inline, also without optimisation: a report about an operation names the place in the program that
// called it, which it looks for a few calls up the stack.

/// Returns when the operation is complete at this rank.
struct blocking {
    template <class Operation> static void agree(MPI_Comm comm, int root, std::size_t element) {
        if constexpr (Operation::alike)
            detail::agree(comm, name_of<Operation>, root, element);
    }
    template <class Operation, class... Arguments>
    [[gnu::always_inline]] inline void run(MPI_Count count, int root, Arguments... all) const {
        check_function<Operation>(Operation::mpi.call(all...), Operation::mpi.name.text, count, root);
    }
};
/// What does not wait asks nothing of the other ranks either.
struct without_agreement {
    template <class Operation> static void agree(MPI_Comm, int, std::size_t) noexcept {}
};
/// Starts the operation. The future owns what the operation needs until it is complete.
template <class Result = void> struct nonblocking : without_agreement {
    using owner = std::conditional_t<std::is_void_v<Result>, operation, result_of<Result>>;
    explicit nonblocking(std::unique_ptr<owner> needed = nullptr) noexcept : kept{std::move(needed)} {}
    std::unique_ptr<owner> kept;

    template <class Operation, class... Arguments>
    [[gnu::always_inline]] inline future<Result> run(MPI_Count count, int root, Arguments... all) {
        MPI_Request request = MPI_REQUEST_NULL;
        check_function<Operation>(Operation::mpi.start(all..., &request), Operation::mpi.start_name.text,
                                  count, root);
        return future<Result>{request, std::move(kept)};
    }
};
/// Rounds of what MPI cannot prepare: each begins a non-blocking operation, whose result goes into `into`.
template <class Begin, class End> persistent prepare_rounds(Begin begin, End end) {
    return persistent{MPI_REQUEST_NULL,
                      std::make_unique<rounds<Begin, End>>(std::move(begin), std::move(end))};
}
template <class Begin, class R> persistent prepare_rounds_into(borrowed<R> into, Begin begin) {
    return prepare_rounds(std::move(begin), [into](auto &&result) { into.get() = std::move(result); });
}

/// Prepares rounds of the operation.
struct prepared : without_agreement {
    explicit prepared(std::unique_ptr<operation> needed = nullptr) noexcept : kept{std::move(needed)} {}
    std::unique_ptr<operation> kept; ///< a persistent_owner, or null, as in persistent

    template <class Operation, class... Arguments>
    [[gnu::always_inline]] inline persistent run(MPI_Count count, int root, Arguments... all) {
#if LISLE_USE_MPI_3
        return prepare_rounds(
            [count, root, all..., owner = std::move(kept)] {
                return nonblocking<>{}.template run<Operation>(count, root, all...);
            },
            []{});
#else
        MPI_Request request = MPI_REQUEST_NULL;
        check_function<Operation>(Operation::mpi.prepare(all..., MPI_INFO_NULL, &request),
                                  Operation::mpi.prepare_name.text, count, root);
        return persistent{request, std::move(kept)};
#endif
    }
};

/// Calls Operation's function for this form: with `first`, the root if there is one, and the communicator.
template <class Operation, class Form, class... First>
[[gnu::always_inline]] inline auto run(Form &form, MPI_Count count, int root, MPI_Comm comm, First... first) {
    if constexpr (Operation::rooted)
        return form.template run<Operation>(count, root, first..., root, comm);
    else
        return form.template run<Operation>(count, root, first..., comm);
}
/// The same, with these arguments in the operation's order.
template <class Operation, class Form>
[[gnu::always_inline]] inline auto issue(Form form, const arguments &with, MPI_Comm comm) {
    const auto &[from, to, count, type, root, operation] = with;
    if constexpr (Operation::takes == signature::meets)
        return run<Operation>(form, count, root, comm);
    else if constexpr (Operation::takes == signature::spreads)
        return run<Operation>(form, count, root, comm, to, count, type);
    else if constexpr (Operation::takes == signature::moves)
        return run<Operation>(form, count, root, comm, from, count, type, to, count, type);
    else
        return run<Operation>(form, count, root, comm, from, to, count, type, operation);
}

// ---- what a rank gives and gets ----

inline int rank_in(MPI_Comm comm) {
    int result = 0;
    check(MPI_Comm_rank(comm, &result), "MPI_Comm_rank");
    return result;
}
inline int size_of(MPI_Comm comm) {
    int result = 0;
    check(MPI_Comm_size(comm, &result), "MPI_Comm_size");
    return result;
}

/// What one call moves.
struct amounts {
    std::size_t received; ///< objects that this rank gets
    MPI_Count block;      ///< elements in a block
};
/// What most descriptions have in common: every rank gets as much as it gives.
struct as_given {
    static constexpr signature takes = signature::moves;
    static constexpr bool rooted = false; ///< one rank is special
    static constexpr bool deals = false;  ///< of one object each rank gets a block
    static constexpr bool alike = true;   ///< all ranks give elements of the same type
    static amounts amounts_of(std::size_t objects, MPI_Count elements, MPI_Comm, const char *) noexcept {
        return {objects, elements};
    }
};
/// One block from each rank.
struct from_each_rank : as_given {
    static amounts amounts_of(std::size_t objects, MPI_Count elements, MPI_Comm comm, const char *) {
        return {objects * static_cast<std::size_t>(size_of(comm)), elements};
    }
};

/// The elements in each rank's block of a buffer that has equal blocks for all.
inline MPI_Count share_of(MPI_Count count, int ranks, const char *call) {
    if (count % ranks != 0)
        raise(MPI_ERR_COUNT, call, {{"elements", count}, {"ranks", ranks}},
              "the elements cannot be divided into one equal part for each rank; the functions that take "
              "counts allow any parts");
    return count / ranks;
}

/// True where the operation has a result.
template <class Operation> bool has_result([[maybe_unused]] int root, [[maybe_unused]] MPI_Comm comm) {
    if constexpr (Operation::rooted)
        return rank_in(comm) == root;
    else
        return true;
}
/// What this rank gets for what it gives.
template <class Operation>
amounts amounts_for(std::size_t objects, MPI_Count elements, bool result_here, MPI_Comm comm) {
    return result_here ? Operation::amounts_of(objects, elements, comm, name_of<Operation>)
                       : amounts{0, elements};
}

/// What a non-blocking operation reads and what it gives.
template <class In, class Out> class two_objects final : public result_of<Out> {
  public:
    explicit two_objects(In &&from) : in{std::move(from)} {}
    Out take(const status &) override { return std::move(out); }
    In in;
    Out out{};
};

// ---- the forms of operations that move equal blocks ----

/// What comes, in a new vector. Taken says what the object consists of.
template <class Operation, class Taken, class Object>
auto move_blocks(const Object &object, int root, MPI_Comm comm) {
    blocking::agree<Operation>(comm, root, sizeof(typename Taken::element));
    const auto data = as_buffer(object);
    const auto [objects, block] =
        amounts_for<Operation>(Taken::count(object), data.count, has_result<Operation>(root, comm), comm);
    std::vector<typename Taken::element> all(objects);
    issue<Operation>(blocking{}, {data.address, all.data(), block, data.type, root}, comm);
    return all;
}
/// The same in a future, which owns both.
template <class Operation, class Taken, class Object>
auto start_to_move_blocks(Object own_object, int root, MPI_Comm comm) {
    using out = std::vector<typename Taken::element>;
    auto owner = std::make_unique<two_objects<Object, out>>(std::move(own_object));
    const auto data = as_buffer(owner->in);
    const auto [objects, block] =
        amounts_for<Operation>(Taken::count(owner->in), data.count, has_result<Operation>(root, comm), comm);
    owner->out.resize(objects);
    const arguments with{data.address, owner->out.data(), block, data.type, root};
    return issue<Operation>(nonblocking<out>{std::move(owner)}, with, comm);
}
/// Into memory that exists.
template <class Operation, class Form, class T, class Into>
auto move_blocks_into(Form form, const T &object, Into &&into, int root, MPI_Comm comm) {
    form.template agree<Operation>(comm, root, sizeof(sent_element<T>));
    const auto data = as_buffer(object);
    const bool here = has_result<Operation>(root, comm);
    const auto [objects, block] = amounts_for<Operation>(sent_objects(object), data.count, here, comm);
    void *const room = here ? room_for<sent_element<T>>(into, objects, name_of<Operation>) : nullptr;
    return issue<Operation>(std::move(form), {data.address, room, block, data.type, root}, comm);
}
/// In place: at the root, or everywhere if there is none, the object has a block for each rank, the own one
/// among them; elsewhere it is such a block.
template <class Operation, class Form, class R>
auto move_blocks_in_place(Form form, R &object, int root, MPI_Comm comm) {
    require_writable<R &>();
    form.template agree<Operation>(comm, root, element_size<R>());
    const auto data = as_buffer(object);
    const bool all = has_result<Operation>(root, comm);
    arguments with{data.address, data.writable(), data.count, data.type, root};
    if (all)
        with.count = share_of(data.count, size_of(comm), name_of<Operation>);
    if constexpr (Operation::deals)
        with.to = all ? MPI_IN_PLACE : with.to;
    else
        with.from = all ? MPI_IN_PLACE : with.from;
    return issue<Operation>(std::move(form), with, comm);
}
/// Between two objects that are lent, for many rounds. The blocks are those of the object that is one.
template <class Operation, class From, class Into>
persistent prepare_to_move_blocks(From &from, Into &into, int root, MPI_Comm comm) {
    require_writable<Into &>();
    const auto data = as_buffer(from);
    const auto all = as_buffer(into);
    arguments with{data.address, all.writable(), data.count, data.type, root};
    if constexpr (Operation::deals) {
        with.count = all.count;
        with.type = all.type;
    } else if constexpr (!Operation::rooted) {
        with.count = Operation::amounts_of(0, data.count, comm, name_of<Operation>).block;
    }
    return issue<Operation>(prepared{}, with, comm);
}

/// A family of collective calls is a base of communicator that has functions and no data.
/// Communicator is the class that they end up in.
template <class Family, class Communicator = communicator> class collective_calls {
  protected:
    [[nodiscard]] MPI_Comm comm() const noexcept; // communicator.hpp
};

} // namespace lisle::detail
