// SPDX-License-Identifier: Apache-2.0
// What the collectives of collective.hpp are made of: lists of blocks, objects as bytes, reductions of
// elements and of whole objects. Programs use nothing of it but blocks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "lisle/counts_view.hpp"
#include "lisle/operation.hpp"
#include "lisle/point_to_point.hpp"
#include "lisle/shadow.hpp"

namespace lisle {

/// The option of collectives with one special rank.
struct rooted {
    int root = 0;
};

/// Options of gatherv() and scatterv(). Counts are given by all ranks or by none.
struct rooted_counts {
    int root = 0;
    counts_view counts = {};
};

/// Options of allgatherv() and alltoallv().
struct known_counts {
    counts_view counts = {};
};

/// What came from each rank, joined: `auto [data, counts] = world.gatherv(mine);`
template <class T> struct blocks {
    std::vector<T> data;
    std::vector<detail::later<MPI_Count, T>> counts;

    /// What came from one rank.
    [[nodiscard]] std::span<T> block(int rank) {
        MPI_Count begin = 0;
        for (int i = 0; i < rank; ++i)
            begin += counts[static_cast<std::size_t>(i)];
        return std::span<T>{data}.subspan(static_cast<std::size_t>(begin),
                                          static_cast<std::size_t>(counts[static_cast<std::size_t>(rank)]));
    }
};

namespace detail {

template <class T> auto element_type_of() {
    if constexpr (direct_range<const T &>)
        return as_type<element_of<const T &>>{};
    else
        return as_type<T>{};
}
/// What a collective's result consists of: the elements of a range, otherwise objects of type T.
template <class T> using object_element = typename decltype(element_type_of<T>())::type;

template <class T> constexpr std::size_t element_size() noexcept {
    return sizeof(object_element<std::remove_cv_t<T>>);
}

template <class T> std::size_t objects_in(const T &object) noexcept {
    if constexpr (direct_range<const T &>)
        return std::ranges::size(object);
    else
        return 1;
}

/// Counts and offsets in elements of the datatype, for blocks that lie one after the other.
template <direct T> struct block_list {
    explicit block_list(counts_view objects) {
        counts.reserve(objects.size());
        offsets.reserve(objects.size());
        MPI_Count sum = 0;
        for (const MPI_Count count : objects) {
            if (count < 0) [[unlikely]]
                raise(MPI_ERR_COUNT, "lisle::collectives", {{"count", count}}, "a count is negative");
            counts.push_back(count * wire<T>::count);
            offsets.push_back(static_cast<MPI_Aint>(sum * wire<T>::count));
            sum += count;
        }
        total = static_cast<std::size_t>(sum);
    }
    std::vector<later<MPI_Count, T>> counts;
    std::vector<later<MPI_Aint, T>> offsets;
    std::size_t total = 0; ///< objects in all blocks
};

/// The end of a vector, as a container that gets its size when a message comes.
template <class T> class tail {
  public:
    tail() = default;
    explicit tail(std::vector<T> &whole) noexcept : whole_{&whole}, begin_{whole.size()} {}
    void resize(std::size_t size) { whole_->resize(begin_ + size); }
    [[nodiscard]] T *data() const noexcept { return whole_->data() + begin_; }
    [[nodiscard]] std::size_t size() const noexcept { return whole_->size() - begin_; }
    [[nodiscard]] T *begin() const noexcept { return data(); }
    [[nodiscard]] T *end() const noexcept { return data() + size(); }

  private:
    std::vector<T> *whole_ = nullptr;
    std::size_t begin_ = 0;
};

/// One message of a size that only its sender knows from each rank in turn, joined. The caller's own part
/// does not travel. @param comm one that the program does not know
template <class T>
void receive_blocks(blocks<T> &all, std::span<const T> own, int ranks, int rank, int tag, MPI_Comm comm) {
    all.counts.reserve(static_cast<std::size_t>(ranks));
    for (int from = 0; from < ranks; ++from) {
        tail<T> part{all.data};
        if (from == rank)
            all.data.insert(all.data.end(), own.begin(), own.end());
        else
            receive_sized(part, from, tag, comm, MPI_STATUS_IGNORE);
        all.counts.push_back(static_cast<MPI_Count>(part.size()));
    }
}

/// Elements whose bytes mean the same everywhere: they may travel behind a number.
template <direct T> inline constexpr bool travels_as_bytes =
    std::is_trivially_copyable_v<T> &&wire<T>::uniform_type;

/// A range of a size that only this rank knows, together with it if it is short.
template <direct T, std::size_t Bytes> struct sized_range {
    static constexpr std::size_t room = travels_as_bytes<T> ? Bytes - sizeof(unsigned long long) : 0;
    static constexpr bool fits(std::size_t objects) noexcept { return objects <= room / sizeof(T); }

    unsigned long long size = 0;
    unsigned char first[std::max(room, std::size_t{1})]{};

    /// @pre the size is set
    void read(const T *from) noexcept {
        if (size != 0 && fits(size))
            std::memcpy(first, from, size * sizeof(T));
    }
    void write(T *into) const noexcept {
        if constexpr (travels_as_bytes<T>)
            if (size != 0)
                std::memcpy(static_cast<void *>(into), first, size * sizeof(T));
    }
};

/// The first half of an allgatherv() of which nobody knows how much the others have. True if that was all:
/// every range is short. Otherwise the counts are known.
template <direct T> bool gather_short(blocks<T> &all, std::span<const T> mine, int ranks, MPI_Comm comm) {
    using block = sized_range<T, 128>;
    block own;
    own.size = mine.size();
    own.read(mine.data());
    std::vector<block> got(static_cast<std::size_t>(ranks));
    constexpr int bytes = sizeof(block);
    check(MPI_Allgather(&own, bytes, MPI_BYTE, got.data(), bytes, MPI_BYTE, comm), "MPI_Allgather");
    std::size_t total = 0;
    bool fit = true;
    all.counts.reserve(got.size());
    for (const block &each : got) {
        fit = fit && block::fits(each.size);
        total += each.size;
        all.counts.push_back(static_cast<MPI_Count>(each.size));
    }
    if (!fit)
        return false;
    all.data.resize(total);
    T *next = all.data.data();
    for (const block &each : got) {
        each.write(next);
        next += each.size;
    }
    return true;
}

/// `objects` divided among the ranks, the first ones getting one more if need be.
template <class Count = MPI_Count> std::vector<Count> equal_shares(std::size_t objects, int ranks) {
    const auto parts = static_cast<std::size_t>(ranks);
    std::vector<Count> shares(parts, static_cast<Count>(objects / parts));
    for (std::size_t i = 0; i < objects % parts; ++i)
        ++shares[i];
    return shares;
}

/// What the root tells the others instead of a count if its counts cannot be used.
inline constexpr MPI_Count refused_count = -1;

/// True if the counts deal out no more than `objects` among so many ranks.
inline bool divides(counts_view counts, std::size_t objects, int ranks) noexcept {
    std::size_t left = objects;
    for (const MPI_Count count : counts) {
        if (count < 0 || static_cast<std::size_t>(count) > left)
            return false;
        left -= static_cast<std::size_t>(count);
    }
    return counts.size() == static_cast<std::size_t>(ranks);
}

/// The elements of several ranges one after the other, and the length of each; nothing if this rank has
/// nothing to say.
template <class Ranges> auto join(const Ranges &ranges, bool here) {
    using element = element_of<decltype(*std::ranges::begin(ranges))>;
    std::pair<std::vector<element>, std::vector<later<MPI_Count, Ranges>>> joined;
    if (!here)
        return joined;
    for (const auto &range : ranges) {
        joined.first.insert(joined.first.end(), std::ranges::begin(range), std::ranges::end(range));
        joined.second.push_back(static_cast<MPI_Count>(std::ranges::size(range)));
    }
    if (joined.second.empty())
        joined.second.push_back(refused_count); // no counts would mean equal shares
    return joined;
}

/// Serialised objects one after the other, and the length of each; nothing if this rank has nothing to say.
template <class Objects> auto write_each(const Objects &objects, bool here) {
    std::pair<std::vector<later<std::byte, Objects>>, std::vector<later<MPI_Count, Objects>>> written;
    if (!here)
        return written;
    for (const auto &object : objects) {
        const auto append = [&](const auto *data, std::size_t bytes) {
            const auto *const begin = reinterpret_cast<const std::byte *>(data);
            written.first.insert(written.first.end(), begin, begin + bytes);
            written.second.push_back(static_cast<MPI_Count>(bytes));
        };
        using type = std::remove_cvref_t<decltype(object)>;
        if constexpr (direct_range<const type &>) {
            append(std::ranges::data(object), std::ranges::size(object) * sizeof(element_of<const type &>));
        } else {
            const auto bytes = to_bytes(object);
            append(bytes.data(), bytes.size());
        }
    }
    return written;
}

template <class T> std::vector<T> read_each(blocks<later<std::byte, T>> &&written) {
    std::vector<T> objects;
    objects.reserve(written.counts.size());
    const std::byte *next = written.data.data();
    for (const MPI_Count count : written.counts) {
        const auto bytes = static_cast<std::size_t>(count);
        if constexpr (direct_range<const T &>) {
            T object;
            object.resize(bytes / sizeof(element_of<T &>));
            if (bytes != 0)
                std::memcpy(std::ranges::data(object), next, bytes);
            objects.push_back(std::move(object));
        } else {
            objects.push_back(serializer<T>::read(std::span{next, bytes}));
        }
        next += count;
    }
    return objects;
}

/// Broadcasts a container whose size only the root knows. Short ones travel with their size.
template <resizable_range R> void broadcast_sized(R &range, int root, bool here, MPI_Comm comm) {
    using element = element_of<R &>;
    sized_range<element, 256> head;
    if (here) {
        head.size = std::ranges::size(range);
        head.read(std::ranges::data(range));
    }
    check(MPI_Bcast(&head, static_cast<int>(sizeof head), MPI_BYTE, root, comm), "MPI_Bcast",
          named_value{"root", root});
    if (!here)
        range.resize(head.size);
    if (head.fits(head.size)) {
        if (!here)
            head.write(std::ranges::data(range));
        return;
    }
    const buffer data = as_buffer(range);
    check(MPI_Bcast_c(data.writable(), data.count, data.type, root, comm), "MPI_Bcast",
          named_value{"count", data.count}, named_value{"root", root});
}

// ---- reductions ----

template <class T> struct is_string : std::false_type {};
template <class C, class Traits, class A> struct is_string<std::basic_string<C, Traits, A>> : std::true_type {
};

/// The type of which reductions combine two at a time: of arrays and ranges their elements, if F can.
template <class T, class F> consteval auto combined_of() {
    if constexpr (array_traits<T>::value) {
        if constexpr (combines<F, std::remove_cv_t<typename array_traits<T>::element>>)
            return as_type<std::remove_cv_t<typename array_traits<T>::element>>{};
        else
            return as_type<T>{};
    } else {
        return element_type_of<T>();
    }
}
template <class T, class F> using combined = typename decltype(combined_of<std::remove_cv_t<T>, F>())::type;

/// True if MPI reduces T; false if whole objects are combined on the way. Says what is wrong if F does
/// neither.
template <class T, class F>
concept reduced_by_element = [] {
    using type = std::remove_cv_t<T>;
    if constexpr (!direct_buffer<const type &> || is_string<type>::value)
        return false;
    else if constexpr (direct_range<const type &> && !combines<F, combined<type, F>> && combines<F, type>)
        return false;
    else
        return (require_operation<F, combined<type, F>>(), true);
}();

/// agree() on a reduction: MPI's operations are compared, of others only whether they commute.
template <class T, class F> void agree_on_reduction(MPI_Comm comm, const char *call, int root) {
    if constexpr (check_level >= 2) {
        long long operation = -1;
        if constexpr (reduced_by_element<T, F>) {
            using element = combined<T, F>;
            if constexpr (has_predefined<F, element>)
                operation = static_cast<long long>(
                    reinterpret_cast<std::intptr_t>(value_of(predefined_operation<F, element>())));
            else if constexpr (is_commutative<F, element>)
                operation = -2;
        }
        agree(comm, call, root, element_size<T>(), operation);
    }
}

template <class T> auto reduction_result_of() {
    if constexpr (direct_range<const T &> && !resizable_range<T &>)
        return as_type<std::vector<element_of<const T &>>>{}; // a view's result owns its elements
    else
        return as_type<T>{};
}
template <class T> using reduction_result =
    typename decltype(reduction_result_of<std::remove_cv_t<T>>())::type;

/// The arguments of one reduction. Object and callable must live as long as it.
template <class T, class F> class reduction {
    using element = combined<T, F>;

  public:
    reduction(const T &object, F &function)
        : object_{object}, operation_{use_operation<F, element>(function)} {}

    [[nodiscard]] MPI_Count count() const noexcept {
        if constexpr (direct_range<const T &>)
            return static_cast<MPI_Count>(std::ranges::size(object_));
        else
            return static_cast<MPI_Count>(sizeof(T) / sizeof(element));
    }
    [[nodiscard]] MPI_Datatype type() const { return reduction_type<element, F>(); }
    [[nodiscard]] MPI_Op operation() const noexcept { return operation_.native(); }
    [[nodiscard]] const void *from() const noexcept {
        if constexpr (direct_range<const T &>)
            return std::ranges::data(object_);
        else
            return &object_;
    }
    template <class Result> [[nodiscard]] void *to(Result &result) const noexcept {
        if constexpr (direct_range<Result &>)
            return std::ranges::data(result);
        else
            return &result;
    }
    [[nodiscard]] reduction_result<T> make_result(bool here) const {
        reduction_result<T> result{};
        if constexpr (direct_range<const T &>)
            if (here)
                result.resize(static_cast<std::size_t>(count()));
        return result;
    }

  private:
    const T &object_;
    decltype(use_operation<F, element>(std::declval<F &>())) operation_;
};

/// `a op b`; what does not combine them meets a sentence of the compiler's.
template <class F, class T> T combine(F &function, const T &a, const T &b) {
    require_operation<F, T>();
    if constexpr (combines<F, T>)
        return function(a, b);
    else
        return a;
}

/// Combines whole objects, in the order of ranks, along a binomial tree to rank 0 and on to the root.
template <class T, class F, class Comm>
T reduce_objects(const T &object, F &function, int root, const Comm &comm) {
    constexpr int tag = reduce_tag;
    const int rank = comm.rank();
    const int size = comm.size();
    T mine = object;
    for (int distance = 1; distance < size; distance *= 2) {
        if ((rank & distance) != 0) {
            comm.send(mine, rank - distance, tag);
            break;
        }
        if (rank + distance < size) {
            const T theirs = comm.template receive<T>(rank + distance, tag);
            mine = combine(function, mine, theirs);
        }
    }
    if (root != 0 && rank == 0)
        comm.send(mine, root, tag);
    if (root != 0 && rank == root)
        mine = comm.template receive<T>(0, tag);
    return mine;
}

/// What the objects of the ranks before this one combine to (nothing at rank 0), and of this one as well.
template <class T> struct prefixes {
    std::optional<T> before;
    T with_own;
};
/// In the order of ranks, with as many rounds as the number of ranks has digits.
template <class T, class F, class Comm>
prefixes<T> prefix_objects(const T &object, F &function, const Comm &comm) {
    constexpr int tag = scan_tag;
    const int rank = comm.rank();
    const int size = comm.size();
    prefixes<T> result{std::nullopt, object}; // of the `distance` ranks up to this one
    for (int distance = 1; distance < size; distance *= 2) {
        future<> sending;
        if (rank + distance < size)
            sending = comm.isend(borrow(std::as_const(result.with_own)), rank + distance, tag);
        if (rank < distance)
            continue; // sending waits
        T theirs = comm.template receive<T>(rank - distance, tag);
        sending.wait();
        result.with_own = combine(function, theirs, result.with_own);
        if (result.before)
            theirs = combine(function, theirs, *result.before);
        result.before = std::move(theirs);
    }
    return result;
}

/// The i-th of as many parts as there are counts.
template <class T> std::vector<std::vector<T>> cut(const std::vector<T> &objects, counts_view counts) {
    std::vector<std::vector<T>> parts;
    auto next = objects.begin();
    for (const MPI_Count count : counts) {
        parts.emplace_back(next, next + count);
        next += count;
    }
    return parts;
}

/// How many of a range's objects each rank gets of a reduction: what the caller says, or equal shares.
template <class Count = MPI_Count>
std::vector<Count> reduced_shares(std::size_t objects, counts_view wanted, int ranks, const char *call) {
    std::vector<Count> shares(wanted.begin(), wanted.end());
    if (wanted.empty() && objects % static_cast<std::size_t>(ranks) == 0)
        shares = equal_shares<Count>(objects, ranks);
    std::size_t sum = 0;
    for (const Count share : shares)
        sum += static_cast<std::size_t>(share);
    if (shares.size() != static_cast<std::size_t>(ranks) || sum != objects)
        raise(MPI_ERR_COUNT, call,
              {{"objects", static_cast<long long>(objects)},
               {"sum of counts", static_cast<long long>(sum)},
               {"counts", static_cast<long long>(shares.size())},
               {"ranks", ranks}},
              "the objects must be as many equal parts as there are ranks, or as many as the ranks' counts "
              "say");
    return shares;
}

/// Combines parts that came from each rank object by object, in the order of ranks.
template <class T, class F>
std::vector<T> combine_parts(std::vector<std::vector<T>> &&parts, F &function, const char *call) {
    std::vector<T> result = std::move(parts.front());
    for (std::size_t from = 1; from < parts.size(); ++from) {
        const std::vector<T> &part = parts[from];
        if (part.size() != result.size())
            raise(MPI_ERR_COUNT, call,
                  {{"objects of rank 0", static_cast<long long>(result.size())},
                   {"rank", static_cast<long long>(from)},
                   {"its objects", static_cast<long long>(part.size())}},
                  "the ranks have given parts of different sizes");
        for (std::size_t i = 0; i < part.size(); ++i)
            result[i] = function(std::as_const(result[i]), part[i]);
    }
    return result;
}

} // namespace detail

} // namespace lisle
