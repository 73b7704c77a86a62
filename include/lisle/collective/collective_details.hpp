// SPDX-License-Identifier: Apache-2.0
// What the collectives of collective.hpp are made of: lists of blocks, objects as bytes. Programs use nothing
// of it but blocks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "lisle/collective/shadow.hpp"
#include "lisle/collective/told_failure.hpp"
#include "lisle/collective/whole.hpp"
#include "lisle/datatype/counts_view.hpp"
#include "lisle/point_to_point/point_to_point.hpp"

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

/// What a collective's result consists of: the elements of a range, otherwise objects.
template <class T> using object_element = typename taken<T>::element;

/// A contiguous range of objects that travel as bytes: see joined_collective.hpp.
template <class R>
concept range_of_serialised =
    contiguous<R> && !direct_buffer<const R &> && serialized<std::vector<element_of<R>>> && !is_word<R>;

template <class T> constexpr std::size_t element_size() noexcept {
    return sizeof(object_element<T>);
}

/// Counts and offsets in elements of the datatype, for blocks that lie one after the other.
template <direct T> struct block_list {
    explicit block_list(counts_view objects) {
        counts.reserve(objects.size());
        offsets.reserve(objects.size());
        MPI_Count sum = 0;
        for (MPI_Count count : objects) {
            if (count < 0) [[unlikely]] {
                raise(MPI_ERR_COUNT, "lisle::collectives", {{"count", count}}, "a count is negative");
                count = 0;
            }
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

/// What one rank sends. @return its number if it has failed, else -1
template <class T> int receive_block(tail<T> &part, int from, MPI_Comm comm) {
    status ended;
    receive_sized(part, from, MPI_ANY_TAG, comm, ended.native());
    return failed_rank_of(ended.tag());
}

/// One message of a size that only its sender knows from each rank in turn, joined. The caller's own part
/// does not travel. Throws if one of them has failed, when all have come. @param comm that of trees()
template <class T> void receive_blocks(blocks<T> &all, std::span<const T> own, int ranks, int rank,
                                       MPI_Comm comm, const char *call) {
    int failed_rank = -1;
    all.counts.reserve(static_cast<std::size_t>(ranks));
    for (int from = 0; from < ranks; ++from) {
        tail<T> part{all.data};
        if (from == rank)
            all.data.insert(all.data.end(), own.begin(), own.end());
        else
            failed_rank = std::max(failed_rank, receive_block(part, from, comm));
        all.counts.push_back(static_cast<MPI_Count>(part.size()));
    }
    if (failed_rank >= 0) [[unlikely]]
        raise_told(failed_rank, call);
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
/// Throws if a rank says by its size that it has failed. @param size of what this rank has
template <direct T>
bool gather_short(blocks<T> &all, const T *mine, int ranks, MPI_Comm comm, unsigned long long size) {
    using block = sized_range<T, 128>;
    block own;
    own.size = size;
    own.read(mine);
    std::vector<block> got(static_cast<std::size_t>(ranks));
    constexpr int bytes = sizeof(block);
    check(MPI_Allgather(&own, bytes, MPI_BYTE, got.data(), bytes, MPI_BYTE, comm), "MPI_Allgather");
    std::size_t total = 0;
    bool fit = true;
    all.counts.reserve(got.size());
    for (const block &each : got) {
        if (is_failed_size(each.size)) [[unlikely]]
            return raise_told(failed_rank_in(each.size), "lisle::allgather"), true;
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
/// The same if an exception has been thrown there.
inline constexpr MPI_Count failed_count = -2;
/// Which of the two, for counts that are no good.
inline MPI_Count told_count(counts_view counts) noexcept {
    return !counts.empty() && counts[0] == failed_count ? failed_count : refused_count;
}

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

/// How scatterv() deals out the root's range: the counts that the root says, or equal shares, and how many of
/// them are the caller's. Throws at all ranks if the root's counts cannot be used.
template <direct T> struct share_of_root {
    share_of_root(MPI_Comm comm, std::size_t objects, const rooted_counts &with, bool root)
        : list{counts_at_root(comm, objects, with, root)} {}
    // First, since making the list sets them.
    std::size_t own = 0;
    bool usable = false; ///< false only without exceptions, when an error has been noted
    block_list<T> list;

  private:
    using list_of_counts = std::vector<later<MPI_Count, T>>;
    list_of_counts counts_at_root(MPI_Comm comm, std::size_t objects, const rooted_counts &with, bool root) {
        int ranks = 0;
        list_of_counts counts;
        if (!check(MPI_Comm_size(comm, &ranks), "MPI_Comm_size"))
            return {};
        if (root && with.counts.empty())
            counts = equal_shares(objects, ranks);
        else if (root)
            counts.assign(with.counts.begin(), with.counts.end());
        if (root && !divides(counts, objects, ranks))
            counts.assign(static_cast<std::size_t>(ranks), told_count(counts)); // for all to see
        MPI_Count count = 0;
        if (!check(MPI_Scatter(counts.data(), 1, MPI_COUNT, &count, 1, MPI_COUNT, with.root, comm),
                   "MPI_Scatter", named_value{"root", with.root}))
            return {};
        if (count == failed_count) [[unlikely]] {
            raise_told(with.root, "lisle::scatter");
            return {};
        }
        if (count == refused_count) [[unlikely]] {
            raise(MPI_ERR_COUNT, "lisle::scatterv", {{"root", with.root}, {"ranks", ranks}},
                  "the root's counts are not one for each rank, or one is negative, or together they are "
                  "more than "
                  "the range has");
            return {};
        }
        own = static_cast<std::size_t>(count);
        usable = true;
        return counts;
    }
};

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

/// Ranges that came, one after the other.
template <class T> blocks<T> join(std::vector<std::vector<T>> &&parts) {
    blocks<T> all;
    for (std::vector<T> &part : parts) {
        all.counts.push_back(static_cast<MPI_Count>(part.size()));
        all.data.insert(all.data.end(), std::move_iterator{part.begin()}, std::move_iterator{part.end()});
    }
    return all;
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

/// Each rank's range as one object.
template <class Object, class Element> std::vector<Object> separate(blocks<Element> &&joined) {
    std::vector<Object> objects;
    objects.reserve(joined.counts.size());
    auto next = joined.data.begin();
    for (const MPI_Count count : joined.counts) {
        const auto end = next + static_cast<std::ptrdiff_t>(count);
        objects.emplace_back(next, end);
        next = end;
    }
    return objects;
}

/// The elements of all ranges, one after the other.
template <class Range> auto joined_elements(std::vector<Range> &&ranges) {
    std::vector<std::ranges::range_value_t<Range>> all;
    for (Range &range : ranges)
        all.insert(all.end(), std::make_move_iterator(std::ranges::begin(range)),
                   std::make_move_iterator(std::ranges::end(range)));
    return all;
}

/// Broadcasts a container whose size only the root knows. Short ones travel with their size.
/// If the root has none (`failed_rank` there), all others throw.
template <resizable_range R>
void broadcast_sized(R &range, int root, bool here, MPI_Comm comm, int failed_rank = -1) {
    using element = element_of<R &>;
    sized_range<element, 256> head;
    if (failed_rank >= 0) {
        head.size = failed_size(failed_rank);
    } else if (here) {
        head.size = std::ranges::size(range);
        head.read(std::ranges::data(range));
    }
    check(MPI_Bcast(&head, static_cast<int>(sizeof head), MPI_BYTE, root, comm), "MPI_Bcast",
          named_value{"root", root});
    if (is_failed_size(head.size)) [[unlikely]] {
        if (!here)
            raise_told(failed_rank_in(head.size), "lisle::broadcast");
        return;
    }
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

} // namespace detail

} // namespace lisle
