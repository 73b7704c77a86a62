// SPDX-License-Identifier: Apache-2.0
// Ranges whose size only the sender knows: short ones with their size in front, long ones in messages that
// have a size, and serialised objects as bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <exception>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "lisle/collective/blocks.hpp"
#include "lisle/collective/failure.hpp"

namespace lisle::detail {

/// A contiguous range of objects that travel as bytes.
template <class R>
concept range_of_serialised =
    contiguous<R> && !direct_buffer<const R &> && serialized<std::vector<element_of<R>>> && !is_wrapper<R>;

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

/// The message of one rank. @return that rank if it has failed, else -1
template <class T> int receive_block(tail<T> &part, int from, MPI_Comm comm) {
    status ended;
    receive_sized(part, from, MPI_ANY_TAG, comm, ended.native());
    return failed_rank_of(ended.tag());
}

/// Receives one message from each rank in turn, of a size that only its sender knows, and joins them. The
/// caller's own part does not travel. Throws after the last message if a rank has failed. @param comm that
/// of trees()
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
        raise_remote_failure(failed_rank, call);
}

/// Elements whose bytes mean the same at every rank: they may be sent behind a number.
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

/// The first half of an allgatherv() without counts. True if every range was short and came with its size;
/// otherwise the counts are known now.
/// Throws if the size of a rank is a notice of failure. @param size of this rank's range
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
            return raise_remote_failure(failed_rank_in(each.size), "lisle::allgather"), true;
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

/// Broadcasts a container whose size only the root knows. Short ones travel with their size.
/// If `failed_rank` is not negative at the root, all others throw.
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
            raise_remote_failure(failed_rank_in(head.size), "lisle::broadcast");
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

/// Broadcasts a serialised object, or a notice of failure if the root has none or cannot write it.
template <class T>
void broadcast_written(T &object, int root, bool here, MPI_Comm comm, int failed_rank = -1) {
    later<byte_buffer, T> bytes;
    std::exception_ptr thrown;
    if (here && failed_rank < 0) {
        thrown = caught([&] { bytes = to_bytes(object); });
        failed_rank = thrown ? root : -1;
    }
    broadcast_sized(bytes, root, here, comm, failed_rank);
    if (thrown)
        std::rethrow_exception(thrown);
    if (!here)
        serializer<T>::read_into(bytes, object);
}

/// Serialised objects one after the other, and the length of each; empty unless `here`.
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

} // namespace lisle::detail
