// SPDX-License-Identifier: Apache-2.0
#include "file/collective_access.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <new>
#include <utility>

#include "collective/selection/launch.hpp"
#include "collective/selection/plan.hpp"
#include "datatype/copy.hpp"
#include "datatype/predefined.hpp"
#include "file/helper.hpp"
#include "file/round_message.hpp"
#include "file/run_union.hpp"
#include "protocol/engine.hpp"

namespace lisle::file {

namespace {

constexpr auto form = collective::form::nonblocking;

typed_buffer bytes_at(const void *address, std::size_t size) {
    return {address, static_cast<MPI_Count>(size), byte_type()};
}

template <class T> typed_buffer values_at(const T *first) {
    return bytes_at(first, sizeof(T));
}

/// Runs that a call of the kernel moves in less time than they take on the way to an aggregator.
constexpr MPI_Count worth_a_call = 1024;

/// How many ranks read and write for all if nobody says.
int usual_aggregators(const communicator &members) {
    constexpr int enough_for_a_node = 4; // more only wait for each other at the file
    return std::min(members.size(), std::max(enough_for_a_node, nodes_of(members)));
}

} // namespace

/// Something that the helper does for the access.
class collective_access::disk_work final : public protocol::request {
  public:
    disk_work(protocol::engine &home, std::function<void()> work) : request{home}, work_{std::move(work)} {}
    void run() {
        work_();
        home->complete(*this); // gives the object away
    }

  private:
    const std::function<void()> work_;
};

collective_access::collective_access(open_file &on, direction way, MPI_Count position,
                                     const typed_buffer &data, bool helped)
    : on_{on}, way_{way}, data_{way, on.seen, data}, how_{on.how}, position_{position},
      total_{data_.in_file().bytes()}, helped_{helped} {
    const auto ranks = static_cast<std::size_t>(on.comm().size());
    if (ranks == 1) {
        go_on([this] { access_alone(); });
        return;
    }
    outlines_.resize(ranks);
    go_on([this] {
        outlines_[static_cast<std::size_t>(on_.comm().rank())] = own_outline();
        await(collective::start(on_.comm(), collective::plan_allgather({on_.comm(), form}, std::nullopt,
                                                                       values_at(outlines_.data()))),
              [this] { choose(); });
    });
}

collective_access::~collective_access() = default;

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

/// True if the ranks' accesses are better made by aggregators.
bool collective_access::go_together() const {
    const choice said = way_ == direction::reading ? how_.collective_reads : how_.collective_writes;
    if (said == choice::disable || std::ranges::any_of(outlines_, &outline::alone)) {
        return false;
    }
    // What one kernel holds in memory, all its processes access in any order at the speed of memory.
    // Elsewhere accesses of many to the same blocks are slow.
    if (said == choice::automatic && on_.of_one_kernel &&
        std::ranges::all_of(outlines_,
                            [](const outline &one) { return one.begin == one.end || one.long_runs; })) {
        return false;
    }
    MPI_Offset end = 0;
    bool mixed = said == choice::enable, any = false;
    for (const outline &one : outlines_) {
        if (one.begin != one.end) {
            mixed = mixed || one.scattered || one.begin < end;
            end = one.end;
            any = true;
        }
    }
    return any && mixed;
}

passage collective_access::way_here() const noexcept {
    return {on_.on_disk(), data_.through(), how_, helped_ ? nullptr : &on_.home(),
            on_.atomic.load(std::memory_order_relaxed)};
}

void collective_access::choose() {
    if (!go_together()) {
        access_alone();
        return;
    }
    MPI_Offset begin = std::numeric_limits<MPI_Offset>::max(), end = 0;
    for (const outline &one : outlines_) {
        if (one.begin != one.end) {
            begin = std::min(begin, one.begin);
            end = std::max(end, one.end);
        }
    }
    const int ranks = on_.comm().size();
    const int wanted =
        how_.aggregators != 0 ? static_cast<int>(how_.aggregators) : usual_aggregators(on_.comm());
    parts_ = {{begin, end - begin}, wanted, how_.collective_buffer, ranks};
    own_ = parts_.aggregator_at(on_.comm().rank());
    moved_ = total_;
    begin_round();
}

void collective_access::access_alone() {
    at_disk(
        [this] {
            if (way_ == direction::reading) {
                moved_ = read(way_here(), position_, data_.in_file());
            } else {
                write(way_here(), position_, data_.in_file());
                moved_ = total_;
            }
        },
        {});
}

data_part collective_access::part_within(const file_run &window) const {
    const outline &own = outlines_[static_cast<std::size_t>(on_.comm().rank())];
    if (own.begin >= window.end() || own.end <= window.offset) {
        return {};
    }
    const view &through = data_.through();
    const MPI_Count first = std::clamp<MPI_Count>(through.position_at(window.offset) - position_, 0, total_);
    const MPI_Count last = std::clamp<MPI_Count>(through.position_at(window.end()) - position_, 0, total_);
    return {first, last - first};
}

void collective_access::begin_round() {
    const auto ranks = static_cast<std::size_t>(on_.comm().size());
    sent_.resize(ranks);
    taken_.resize(ranks);
    std::ranges::for_each(sent_, &byte_room::clear);
    sent_sizes_.assign(ranks, 0);
    taken_sizes_.assign(ranks, 0);
    asked_.assign(static_cast<std::size_t>(parts_.count()), {});
    for (int i = 0; i < parts_.count(); ++i) {
        data_part &part = asked_[static_cast<std::size_t>(i)];
        part = part_within(parts_.window_of(i, round_));
        if (part.bytes == 0) {
            continue;
        }
        std::vector<file_run> runs;
        static_cast<void>(data_.through().runs(position_ + part.first, part.bytes,
                                               std::numeric_limits<std::size_t>::max(), runs));
        const bool writing = way_ == direction::writing;
        const auto to = static_cast<std::size_t>(parts_.rank_of(i));
        write_message(runs, writing ? part.bytes : 0, sent_[to]);
        if (writing) {
            pack(data_.in_file(), part.first, sent_[to].all().last(static_cast<std::size_t>(part.bytes)));
        }
        sent_sizes_[to] = static_cast<MPI_Count>(sent_[to].size());
    }
    await(collective::start(on_.comm(),
                            collective::plan_alltoall({on_.comm(), form}, values_at(sent_sizes_.data()),
                                                      values_at(taken_sizes_.data()))),
          [this] { exchange_messages(); });
}

void collective_access::exchange_blocks(stage next) {
    sent_blocks_.clear();
    taken_blocks_.clear();
    for (std::size_t rank = 0; rank < sent_.size(); ++rank) {
        sent_blocks_.push_back(bytes_at(sent_[rank].data(), sent_[rank].size()));
        taken_blocks_.push_back(bytes_at(taken_[rank].data(), taken_[rank].size()));
    }
    await(collective::start(on_.comm(), collective::plan_alltoallv({on_.comm(), form},
                                                                   collective::block_view{sent_blocks_},
                                                                   collective::block_view{taken_blocks_})),
          std::move(next));
}

void collective_access::exchange_messages() {
    const file_run window = aggregates() ? parts_.window_of(own_, round_) : file_run{};
    // A run is one byte at least.
    const MPI_Count most = window.bytes * static_cast<MPI_Count>(1 + sizeof(file_run)) +
                           static_cast<MPI_Count>(sizeof(std::size_t));
    for (std::size_t rank = 0; rank < taken_.size(); ++rank) {
        if (taken_sizes_[rank] < 0 || taken_sizes_[rank] > most) {
            fail(MPI_ERR_OTHER, "rank ", rank, " of the file announced ", taken_sizes_[rank], " bytes for ",
                 window.bytes, " of the file");
        }
        taken_[rank].resize(static_cast<std::size_t>(taken_sizes_[rank]));
    }
    exchange_blocks([this] { read_or_write(); });
}

void collective_access::read_or_write() {
    const bool writing = way_ == direction::writing;
    stage next = writing ? stage{[this] { end_round(); }} : stage{[this] { send_answers(); }};
    if (!aggregates()) {
        go_on(std::move(next));
        return;
    }
    at_disk(
        [this, writing] {
            const file_run window = parts_.window_of(own_, round_);
            std::vector<round_message> messages;
            for (const byte_room &bytes : taken_) {
                messages.emplace_back(bytes.all(), window, writing);
            }
            writing ? serve_writes(messages) : serve_reads(messages);
        },
        std::move(next));
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
    for (const round_message &message : messages) { // where ranks write to the same bytes, the last one wins
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
    MPI_Offset end = std::numeric_limits<MPI_Offset>::max(); // of the file, if it is here
    const failure wrong = attempt([&] {
        if (const MPI_Count got = read_runs(way_here(), all.runs(), disk_.all()); got < all.bytes()) {
            end = all.offset_at(got);
        }
    });
    for (std::size_t rank = 0; rank < messages.size(); ++rank) {
        const round_message &message = messages[rank];
        sent_[rank].clear();
        if (message.runs().empty()) {
            continue;
        }
        answer_head head{0, wrong ? wrong->code() : MPI_SUCCESS};
        sent_[rank].resize(sizeof head + static_cast<std::size_t>(message.bytes()));
        std::byte *next = sent_[rank].data() + sizeof head;
        run_union::finder places{all};
        for (const file_run &run : message.runs()) {
            std::memcpy(next, disk_.data() + places.place_of(run), static_cast<std::size_t>(run.bytes));
            next += run.bytes;
            head.bytes += std::clamp<MPI_Count>(end - run.offset, 0, run.bytes);
        }
        std::memcpy(sent_[rank].data(), &head, sizeof head);
    }
}

void collective_access::send_answers() {
    if (!aggregates()) {
        std::ranges::for_each(sent_, &byte_room::clear);
    }
    std::ranges::for_each(taken_, &byte_room::clear);
    for (int i = 0; i < parts_.count(); ++i) {
        if (const data_part part = asked_[static_cast<std::size_t>(i)]; part.bytes != 0) {
            taken_[static_cast<std::size_t>(parts_.rank_of(i))].resize(sizeof(answer_head) +
                                                                       static_cast<std::size_t>(part.bytes));
        }
    }
    exchange_blocks([this] { take_answers(); });
}

void collective_access::take_answers() {
    for (int i = 0; i < parts_.count(); ++i) {
        const data_part part = asked_[static_cast<std::size_t>(i)];
        if (part.bytes == 0) {
            continue;
        }
        const int from = parts_.rank_of(i);
        const std::span<const std::byte> answer = taken_[static_cast<std::size_t>(from)].all();
        answer_head head;
        std::memcpy(&head, answer.data(), sizeof head);
        if (head.error != MPI_SUCCESS && !failed_) {
            failed_ = error_of_other(from, static_cast<int>(head.error));
        }
        const MPI_Count bytes = std::clamp<MPI_Count>(head.bytes, 0, part.bytes);
        unpack(data_.in_file(), part.first, answer.subspan(sizeof head, static_cast<std::size_t>(bytes)));
        if (bytes < part.bytes) { // the file ends here, so there is nothing behind it
            moved_ = std::min(moved_, part.first + bytes);
        }
    }
    end_round();
}

void collective_access::end_round() {
    if (++round_ < parts_.rounds()) {
        begin_round();
    } else if (way_ == direction::writing) {
        agree_on_errors();
    }
}

void collective_access::agree_on_errors() {
    codes_.assign(static_cast<std::size_t>(on_.comm().size()), MPI_SUCCESS);
    codes_[static_cast<std::size_t>(on_.comm().rank())] = failed_ ? failed_->code() : MPI_SUCCESS;
    await(collective::start(on_.comm(), collective::plan_allgather({on_.comm(), form}, std::nullopt,
                                                                   values_at(codes_.data()))),
          [this] {
              const auto other = std::ranges::find_if(codes_, [](int code) { return code != MPI_SUCCESS; });
              if (other != codes_.end() && !failed_) {
                  failed_ = error_of_other(static_cast<int>(other - codes_.begin()), *other);
              }
          });
}

void collective_access::at_disk(std::function<void()> work, stage next) {
    auto noting_failures = [this, work = std::move(work)] {
        const failure wrong = attempt(work);
        failed_ = failed_ ? failed_ : wrong;
    };
    if (!helped_) {
        noting_failures();
        go_on(std::move(next));
        return;
    }
    auto given = std::make_unique<disk_work>(on_.home(), std::move(noting_failures));
    on_.thread->give([started = given.get()] { started->run(); });
    await(given.release(), std::move(next));
}

MPI_Count collective_access::result() const {
    if (failed_) {
        throw mpi_error{*failed_};
    }
    return way_ == direction::reading ? data_.finish_read(moved_) : data_.finish_write();
}

} // namespace lisle::file
