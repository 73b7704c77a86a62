// SPDX-License-Identifier: Apache-2.0
#include "file/collective_access.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <utility>

#include "collective/selection/launch.hpp"
#include "collective/selection/plan.hpp"
#include "datatype/copy.hpp"
#include "datatype/predefined.hpp"
#include "file/helper.hpp"
#include "file/run_union.hpp"
#include "protocol/engine.hpp"

namespace lisle::file {

namespace {

/// Begins an allgather of one value for each rank. @param all by rank; the caller's own value is set
template <class T> protocol::request *start_allgather(communicator &members, std::vector<T> &all) {
    return collective::start(
        members, collective::plan_allgather({members, collective::form::nonblocking}, std::nullopt,
                                            {all.data(), MPI_Count{sizeof(T)}, byte_type()}));
}

/// Shortest run in bytes that a system call of its own moves faster than a message to an aggregator.
constexpr MPI_Count worth_a_call = 1024;

/// How many ranks are aggregators if no hint says so.
int usual_aggregators(const communicator &members) {
    constexpr int enough_for_a_node = 4; // further ones would wait for each other at the file
    return std::min(members.size(), std::max(enough_for_a_node, nodes_of(members)));
}

/// Work that the helper does for an access.
class disk_work final : public protocol::request {
  public:
    disk_work(protocol::engine &home, std::function<void()> work) : request{home}, work_{std::move(work)} {}
    void run() {
        work_();
        home->complete(*this); // gives the object away
    }

  private:
    const std::function<void()> work_;
};

/// The head of an answer: the data that an aggregator has read follow.
struct answer_head {
    MPI_Count bytes; ///< of the data that follow; fewer than asked for: the file ends there
    MPI_Count error;
};

} // namespace

collective_access::collective_access(open_file &on, direction way, MPI_Count position,
                                     const typed_buffer &data, bool helped)
    : on_{on}, way_{way}, data_{way, on.seen, data}, how_{on.how}, position_{position},
      total_{data_.in_file().bytes()}, helped_{helped}, own_{own_outline()}, exchange_{on.comm()},
      stages_{access()} {}

MPI_Count collective_access::result() const {
    if (failed_) {
        throw mpi_error{*failed_};
    }
    return way_ == direction::reading ? data_.finish_read(moved_) : data_.finish_write();
}

// ---- the stages ----

protocol::procedure collective_access::access() {
    const auto self = static_cast<std::size_t>(on_.comm().rank());
    std::vector<outline> outlines(static_cast<std::size_t>(on_.comm().size()));
    outlines[self] = own_;
    if (outlines.size() > 1) {
        co_await start_allgather(on_.comm(), outlines);
    }
    if (outlines.size() == 1 || !go_together(outlines)) {
        co_await begin_alone();
        co_return;
    }
    parts_ = divide(outlines);
    moved_ = total_;
    const int aggregator = parts_.aggregator_at(on_.comm().rank());
    for (MPI_Count round = 0; round < parts_.rounds(); ++round) {
        const file_run window = aggregator >= 0 ? parts_.window_of(aggregator, round) : file_run{};
        write_messages(round);
        co_await exchange_.start_sizes();
        make_room_for_messages(window);
        co_await exchange_.start();
        if (aggregator >= 0) {
            co_await begin_serving(window);
        }
        if (way_ == direction::reading) {
            if (aggregator < 0) {
                std::ranges::for_each(exchange_.sent, &byte_room::clear);
            }
            make_room_for_answers();
            co_await exchange_.start();
            take_answers();
        }
    }
    if (way_ == direction::writing) { // readers know of errors from the answers
        std::vector<int> codes(outlines.size(), MPI_SUCCESS);
        codes[self] = failed_ ? failed_->code() : MPI_SUCCESS;
        co_await start_allgather(on_.comm(), codes);
        const auto other = std::ranges::find_if(codes, [](int code) { return code != MPI_SUCCESS; });
        if (other != codes.end()) {
            note_failure_of(static_cast<int>(other - codes.begin()), *other);
        }
    }
}

void collective_access::note_failure_of(int rank, int code) {
    if (!failed_) {
        failed_ = error_of_other(rank, code);
    }
}

template <class Work> protocol::request *collective_access::at_disk(Work work) {
    auto noting_failures = [this, work] {
        const failure wrong = attempt(work);
        failed_ = failed_ ? failed_ : wrong;
    };
    if (!helped_) {
        noting_failures();
        return nullptr;
    }
    auto given = std::make_unique<disk_work>(on_.home(), std::move(noting_failures));
    on_.thread->give([started = given.get()] { started->run(); });
    return given.release();
}

// ---- the choice ----

collective_access::outline collective_access::own_outline() const {
    const view &through = data_.through();
    outline own;
    own.alone = !through.ascending() || through.empty() || on_.atomic.load(std::memory_order_relaxed);
    if (total_ > 0 && !through.empty()) {
        const file_run span = through.span_of(position_, total_);
        own.begin = span.offset;
        own.end = span.end();
        own.scattered = span.bytes != total_;
        own.long_runs = through.usual_run() >= worth_a_call;
    }
    return own;
}

/// True if aggregators should make the ranks' accesses.
bool collective_access::go_together(const std::vector<outline> &outlines) const {
    const choice said = way_ == direction::reading ? how_.collective_reads : how_.collective_writes;
    if (said == choice::disable || std::ranges::any_of(outlines, &outline::alone)) {
        return false;
    }
    // Processes of one kernel access its page cache in any order at the speed of memory. Elsewhere accesses
    // of several processes to the same blocks are slow.
    if (said == choice::automatic && on_.of_one_kernel &&
        std::ranges::all_of(outlines,
                            [](const outline &one) { return one.begin == one.end || one.long_runs; })) {
        return false;
    }
    MPI_Offset end = 0;
    bool mixed = said == choice::enable, any = false;
    for (const outline &one : outlines) {
        if (one.begin != one.end) {
            mixed = mixed || one.scattered || one.begin < end;
            end = one.end;
            any = true;
        }
    }
    return any && mixed;
}

domains collective_access::divide(const std::vector<outline> &outlines) const {
    MPI_Offset begin = std::numeric_limits<MPI_Offset>::max(), end = 0;
    for (const outline &one : outlines) {
        if (one.begin != one.end) {
            begin = std::min(begin, one.begin);
            end = std::max(end, one.end);
        }
    }
    const int wanted =
        how_.aggregators != 0 ? static_cast<int>(how_.aggregators) : usual_aggregators(on_.comm());
    return {{begin, end - begin}, wanted, how_.collective_buffer, on_.comm().size()};
}

passage collective_access::way_here() const noexcept {
    return {on_.on_disk(), data_.through(), how_, helped_ ? nullptr : &on_.home(),
            on_.atomic.load(std::memory_order_relaxed)};
}

protocol::request *collective_access::begin_alone() {
    return at_disk([this] {
        if (way_ == direction::reading) {
            moved_ = read(way_here(), position_, data_.in_file());
        } else {
            write(way_here(), position_, data_.in_file());
            moved_ = total_;
        }
    });
}

// ---- a round ----

data_part collective_access::part_within(const file_run &window) const {
    if (own_.begin >= window.end() || own_.end <= window.offset) {
        return {};
    }
    const view &through = data_.through();
    const MPI_Count first = std::clamp<MPI_Count>(through.position_at(window.offset) - position_, 0, total_);
    const MPI_Count last = std::clamp<MPI_Count>(through.position_at(window.end()) - position_, 0, total_);
    return {first, last - first};
}

void collective_access::write_messages(MPI_Count round) {
    const bool writing = way_ == direction::writing;
    std::ranges::for_each(exchange_.sent, &byte_room::clear);
    asked_.assign(static_cast<std::size_t>(parts_.count()), {});
    for (int i = 0; i < parts_.count(); ++i) {
        data_part &part = asked_[static_cast<std::size_t>(i)];
        part = part_within(parts_.window_of(i, round));
        if (part.bytes == 0) {
            continue;
        }
        std::vector<file_run> runs;
        static_cast<void>(data_.through().runs(position_ + part.first, part.bytes,
                                               std::numeric_limits<std::size_t>::max(), runs));
        byte_room &message = exchange_.sent[static_cast<std::size_t>(parts_.rank_of(i))];
        write_message(runs, writing ? part.bytes : 0, message);
        if (writing) {
            pack(data_.in_file(), part.first, message.all().last(static_cast<std::size_t>(part.bytes)));
        }
    }
}

void collective_access::make_room_for_messages(const file_run &window) {
    // The worst case: each run has one byte.
    const MPI_Count most = window.bytes * static_cast<MPI_Count>(1 + sizeof(file_run)) +
                           static_cast<MPI_Count>(sizeof(std::size_t));
    for (std::size_t rank = 0; rank < exchange_.taken.size(); ++rank) {
        const MPI_Count size = exchange_.size_from(rank);
        if (size < 0 || size > most) {
            fail(MPI_ERR_OTHER, "rank ", rank, " of the file announced ", size, " bytes for ", window.bytes,
                 " of the file");
        }
        exchange_.taken[rank].resize(static_cast<std::size_t>(size));
    }
}

protocol::request *collective_access::begin_serving(const file_run &window) {
    return at_disk([this, window] {
        const bool writing = way_ == direction::writing;
        std::vector<round_message> messages;
        for (const byte_room &bytes : exchange_.taken) {
            messages.emplace_back(bytes.all(), window, writing);
        }
        writing ? serve_writes(messages) : serve_reads(messages);
    });
}

namespace {

run_union union_of(const std::vector<round_message> &messages) {
    std::vector<std::span<const file_run>> lists;
    lists.reserve(messages.size());
    for (const round_message &message : messages) {
        lists.emplace_back(message.runs());
    }
    return run_union{std::move(lists)};
}

} // namespace

void collective_access::serve_writes(const std::vector<round_message> &messages) {
    const run_union all = union_of(messages);
    disk_.resize(static_cast<std::size_t>(all.bytes()));
    for (const round_message &message :
         messages) { // where ranks write to the same bytes, the last one counts
        run_union::finder places{all};
        const std::byte *next = message.data().data();
        for (const file_run &run : message.runs()) {
            std::memcpy(disk_.data() + places.place_of(run), next, static_cast<std::size_t>(run.bytes));
            next += run.bytes;
        }
    }
    write_runs(way_here(), all.runs(), disk_.all());
}

void collective_access::serve_reads(const std::vector<round_message> &messages) {
    const run_union all = union_of(messages);
    disk_.resize(static_cast<std::size_t>(all.bytes()));
    MPI_Offset end = std::numeric_limits<MPI_Offset>::max(); // of the file, if it lies within these runs
    const failure wrong = attempt([&] {
        if (const MPI_Count got = read_runs(way_here(), all.runs(), disk_.all()); got < all.bytes()) {
            end = all.offset_at(got);
        }
    });
    for (std::size_t rank = 0; rank < messages.size(); ++rank) {
        const round_message &message = messages[rank];
        byte_room &sent = exchange_.sent[rank];
        sent.clear();
        if (message.runs().empty()) {
            continue;
        }
        answer_head head{0, wrong ? wrong->code() : MPI_SUCCESS};
        sent.resize(sizeof head + static_cast<std::size_t>(message.bytes()));
        std::byte *next = sent.data() + sizeof head;
        run_union::finder places{all};
        for (const file_run &run : message.runs()) {
            std::memcpy(next, disk_.data() + places.place_of(run), static_cast<std::size_t>(run.bytes));
            next += run.bytes;
            head.bytes += std::clamp<MPI_Count>(end - run.offset, 0, run.bytes);
        }
        std::memcpy(sent.data(), &head, sizeof head);
    }
}

void collective_access::make_room_for_answers() {
    std::ranges::for_each(exchange_.taken, &byte_room::clear);
    for (int i = 0; i < parts_.count(); ++i) {
        if (const data_part part = asked_[static_cast<std::size_t>(i)]; part.bytes != 0) {
            exchange_.taken[static_cast<std::size_t>(parts_.rank_of(i))].resize(
                sizeof(answer_head) + static_cast<std::size_t>(part.bytes));
        }
    }
}

void collective_access::take_answers() {
    for (int i = 0; i < parts_.count(); ++i) {
        const data_part part = asked_[static_cast<std::size_t>(i)];
        if (part.bytes == 0) {
            continue;
        }
        const int from = parts_.rank_of(i);
        const std::span<const std::byte> answer = exchange_.taken[static_cast<std::size_t>(from)].all();
        answer_head head;
        std::memcpy(&head, answer.data(), sizeof head);
        if (head.error != MPI_SUCCESS) {
            note_failure_of(from, static_cast<int>(head.error));
        }
        const MPI_Count bytes = std::clamp<MPI_Count>(head.bytes, 0, part.bytes);
        unpack(data_.in_file(), part.first, answer.subspan(sizeof head, static_cast<std::size_t>(bytes)));
        if (bytes < part.bytes) { // the file ends here, so there is nothing behind it
            moved_ = std::min(moved_, part.first + bytes);
        }
    }
}

} // namespace lisle::file
