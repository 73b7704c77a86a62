// SPDX-License-Identifier: Apache-2.0
#include "protocol/partitioned.hpp"

#include <algorithm>
#include <limits>

#include "base/error.hpp"
#include "base/error_texts.hpp"
#include "base/thread_order.hpp"
#include "datatype/copy.hpp"
#include "datatype/predefined.hpp"
#include "execution/rank_local.hpp"
#include "protocol/engine.hpp"

namespace lisle::protocol {

struct greeting {
    std::int32_t first_tag;
    std::int32_t partitions;
    std::int64_t bytes; ///< of one partition
};

namespace {

/// Tags of partitions are negative, users' tags are not, so both can share a context. Half of the negative
/// numbers: the constants of MPI lie in the other half.
struct tag_counter {
    std::atomic<std::uint32_t> next{0}; // only a counter: orders nothing
};
const rank_local<tag_counter> tags;

constexpr std::uint32_t tag_count = std::uint32_t{1} << 30U;

std::int32_t partition_tag(std::int32_t first, int partition) {
    const auto offset =
        (static_cast<std::uint32_t>(first) + static_cast<std::uint32_t>(partition)) % tag_count;
    return std::numeric_limits<std::int32_t>::min() + static_cast<std::int32_t>(offset);
}

/// Greetings under way whose requests the user has freed. Those to be received stay posted: a greeting that
/// found no receive of its own would take that of a later request.
class orphaned_greetings {
  public:
    /// @param under_way may be null: then nothing is
    void add(request *under_way, std::unique_ptr<greeting> data) {
        const std::scoped_lock lock{mutex_};
        sweep();
        if (under_way != nullptr) {
            list_.push_back({under_way, std::move(data)});
            sweep();
        }
    }
    ~orphaned_greetings() {
        for (const entry &each : list_) {
            each.under_way->cancel();
            each.under_way->free();
        }
    }

  private:
    struct entry {
        request *under_way;
        std::unique_ptr<greeting> data;
    };
    void sweep() {
        std::erase_if(list_, [](const entry &each) {
            const bool done = each.under_way->is_complete();
            if (done) {
                each.under_way->free();
            }
            return done;
        });
    }
    std::mutex mutex_; ///< protects the list
    std::vector<entry> list_;
};
const rank_local<orphaned_greetings> orphans;

typed_buffer bytes_of(greeting &data) {
    return {&data, static_cast<MPI_Count>(sizeof data), *find_datatype(MPI_BYTE)};
}

} // namespace

partitioned_request::partitioned_request(const typed_buffer &buffer, int partitions, const channel &channel,
                                         int peer)
    : progressed_request{*channel.home}, buffer_{buffer}, partitions_{partitions}, channel_{channel},
      peer_{peer}, type_{ref<const datatype>::share(*buffer.type)} {
    persistent = true;
    active = false;
}

typed_buffer partitioned_request::piece(MPI_Count first, MPI_Count count) const noexcept {
    // Integer arithmetic: a buffer may be MPI_BOTTOM with a type of absolute addresses.
    const auto address = reinterpret_cast<std::intptr_t>(buffer_.address) + first * buffer_.type->extent();
    return {reinterpret_cast<const void *>(address), count, *buffer_.type};
}

// ---- sending ----

partitioned_send::partitioned_send(const typed_buffer &buffer, int partitions, const channel &channel,
                                   int dest, int tag)
    : partitioned_request{buffer, partitions, channel, dest}, tag_{tag},
      marked_{new std::atomic<bool>[static_cast<std::size_t>(partitions)]} {
    if (dest == MPI_PROC_NULL) {
        return;
    }
    first_tag_ = static_cast<std::int32_t>(
        tags->next.fetch_add(static_cast<std::uint32_t>(partitions), std::memory_order_relaxed) % tag_count);
    said_ = std::make_unique<greeting>();
    *said_ = {first_tag_, partitions, buffer.bytes()};
    greeting_ = start_send(bytes_of(*said_), channel, dest, tag);
}

partitioned_send::~partitioned_send() {
    orphans->add(greeting_, std::move(said_));
    for (request *const send : sends_) {
        wait(*send);
        send->free();
    }
}

void partitioned_send::start() {
    complete.store(false, std::memory_order_relaxed);
    active = true;
    result = {};
    for (int i = 0; i < partitions_; ++i) {
        marked_[static_cast<std::size_t>(i)].store(false, std::memory_order_relaxed);
    }
    missing_.store(peer_ == MPI_PROC_NULL ? 0 : partitions_, std::memory_order_release);
    watch();
}

void partitioned_send::describe(wait_note &note) const {
    const int dest = peer_ >= 0 ? channel_.peers->member(peer_) : wait_note::nobody;
    bool all_marked = true;
    for (int i = 0; i < partitions_; ++i) {
        if (!marked_[static_cast<std::size_t>(i)].load(std::memory_order_relaxed)) {
            all_marked = false;
            note.add(wait_note::operation{channel_.context, buffer_.bytes(), dest, tag_,
                                          wait_note::sort::unmarked, i});
        }
    }
    if (all_marked) {
        note.add(wait_note::operation{channel_.context, elements() * buffer_.type->size(), dest, tag_,
                                      wait_note::sort::send});
    }
}

void partitioned_send::mark_ready(int partition) {
    if (marked_[static_cast<std::size_t>(partition)].exchange(true, std::memory_order_relaxed)) {
        fail(MPI_ERR_ARG, "partition ", partition, " has been marked ready already");
    }
    if (peer_ == MPI_PROC_NULL) {
        return;
    }
    request *const send =
        start_send(this->partition(partition), channel_, peer_, partition_tag(first_tag_, partition));
    if (send != home->completed_send()) {
        const std::scoped_lock lock{mutex_};
        sends_.push_back(send);
    }
    if (missing_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
        // A thread that waits for the request may sleep, and nothing else would wake it: this is news.
        home->complete(*home->completed_send());
        home->progress();
    }
}

void partitioned_send::settle_locked() {
    // From the end, and no further than to one that is under way: all of them are waited for.
    while (!sends_.empty() && sends_.back()->is_complete()) {
        request *const send = sends_.back();
        sends_.pop_back();
        if (result.error == MPI_SUCCESS) {
            result.error = send->result.error;
        }
        send->free();
    }
}

bool partitioned_send::ready() {
    if (missing_.load(std::memory_order_acquire) != 0) {
        return false;
    }
    const std::scoped_lock lock{mutex_};
    settle_locked();
    return sends_.empty();
}

// ---- receiving ----

partitioned_receive::partitioned_receive(const typed_buffer &buffer, int partitions, const channel &channel,
                                         int source, int tag)
    : partitioned_request{buffer, partitions, channel, source}, tag_{tag} {
    if (source != MPI_PROC_NULL) {
        heard_ = std::make_unique<greeting>();
        greeting_ = start_receive(bytes_of(*heard_), channel, source, tag);
    }
}

partitioned_receive::~partitioned_receive() {
    orphans->add(greeting_, std::move(heard_));
    for (const incoming &message : messages_) {
        if (message.receive != nullptr) {
            wait(*message.receive);
            message.receive->free();
        }
    }
}

void partitioned_receive::start() {
    {
        const std::scoped_lock lock{mutex_};
        complete.store(false, std::memory_order_relaxed);
        active = true;
        result = {};
        posted_ = false;
        look_locked();
        settle_in_order_locked();
    }
    watch();
}

void partitioned_receive::describe(wait_note &note) const {
    note.add(wait_note::operation{channel_.context, elements() * buffer_.type->size(), peer_, tag_,
                                  wait_note::sort::receive});
}

void partitioned_receive::post_locked() {
    posted_ = true;
    if (refusal_ == MPI_SUCCESS &&
        (heard_->partitions < 1 || heard_->bytes < 0 ||
         heard_->bytes > std::numeric_limits<MPI_Count>::max() / heard_->partitions)) {
        refusal_ = MPI_ERR_INTERN; // no sender of ours says so
    }
    if (refusal_ != MPI_SUCCESS) {
        *heard_ = {};
        result.error = refusal_;
        messages_.clear();
        missing_ = settled_ = 0;
        return;
    }
    const auto count = static_cast<std::size_t>(heard_->partitions);
    messages_.resize(count);
    missing_ = count;
    settled_ = 0;
    const MPI_Count size = buffer_.type->size();
    const bool fits = heard_->bytes * heard_->partitions <= elements() * size;
    for (std::size_t i = 0; i < count; ++i) {
        incoming &message = messages_[i];
        message.here = false;
        message.error = MPI_SUCCESS;
        const MPI_Count offset = static_cast<MPI_Count>(i) * heard_->bytes;
        typed_buffer target;
        if (!fits) { // each ends with MPI_ERR_TRUNCATE then, and the sender's end
            target = {nullptr, 0, *find_datatype(MPI_BYTE)};
        } else if (size != 0 && offset % size == 0 && heard_->bytes % size == 0) {
            target = piece(offset / size, heard_->bytes / size);
        } else {
            message.stray.resize(static_cast<std::size_t>(heard_->bytes));
            target = {message.stray.data(), heard_->bytes, *find_datatype(MPI_BYTE)};
        }
        message.receive =
            start_receive(target, channel_, peer_, partition_tag(heard_->first_tag, static_cast<int>(i)));
    }
}

bool partitioned_receive::settle_locked(std::size_t index) {
    incoming &message = messages_[index];
    if (message.here || !message.receive->is_complete()) {
        return message.here;
    }
    message.error = message.receive->result.error;
    if (result.error == MPI_SUCCESS) {
        result.error = message.error;
    }
    message.receive->free();
    message.receive = nullptr;
    if (!message.stray.empty() && message.error == MPI_SUCCESS) {
        unpack(piece(0, elements()), static_cast<MPI_Count>(index) * heard_->bytes, message.stray);
    }
    message.here = true;
    --missing_;
    return true;
}

void partitioned_receive::look_locked() {
    if (peer_ == MPI_PROC_NULL) {
        result.source = MPI_PROC_NULL;
        posted_ = true;
        return;
    }
    if (greeting_ != nullptr && greeting_->is_complete()) {
        refusal_ = greeting_->result.error;
        greeting_->free();
        greeting_ = nullptr;
    }
    if (greeting_ != nullptr) {
        return;
    }
    if (!posted_) {
        post_locked();
    }
}

void partitioned_receive::settle_in_order_locked() {
    while (posted_ && settled_ < messages_.size() && settle_locked(settled_)) {
        ++settled_;
    }
}

bool partitioned_receive::ready() {
    const std::scoped_lock lock{mutex_};
    look_locked();
    settle_in_order_locked();
    if (!posted_ || missing_ != 0) {
        return false;
    }
    if (peer_ != MPI_PROC_NULL) {
        result.source = peer_;
        result.tag = tag_;
        result.bytes = heard_->bytes * heard_->partitions;
    }
    return true;
}

std::pair<std::size_t, std::size_t> partitioned_receive::messages_of(int partition) const {
    const MPI_Count own = buffer_.bytes(), all = heard_->bytes * heard_->partitions;
    return {static_cast<std::size_t>(partition * own / heard_->bytes),
            static_cast<std::size_t>((std::min((partition + 1) * own, all) - 1) / heard_->bytes)};
}

void partitioned_receive::hear_locked(int partition) const {
    if (!thread_order::told() || messages_.empty()) {
        return;
    }
    std::pair<std::size_t, std::size_t> range{0, messages_.size() - 1};
    if (const MPI_Count own = buffer_.bytes();
        partition >= 0 && own != 0 && partition * own < heard_->bytes * heard_->partitions) {
        range = messages_of(partition);
    }
    for (std::size_t index = range.first; index <= range.second; ++index) {
        const outcome received{.source = peer_,
                               .tag = partition_tag(heard_->first_tag, static_cast<int>(index))};
        hear_message(channel_.context, received, home->core().self.number);
    }
}

void partitioned_receive::hear() const {
    const std::scoped_lock lock{mutex_};
    hear_locked(-1);
}

bool partitioned_receive::arrived_locked(int partition) {
    if (!posted_) {
        return false;
    }
    if (missing_ == 0 && result.error == MPI_SUCCESS) { // also from MPI_PROC_NULL, of which nothing is heard
        return true;
    }
    const MPI_Count own = buffer_.bytes();
    int error = refusal_;
    if (error != MPI_SUCCESS || own == 0 || partition * own >= heard_->bytes * heard_->partitions) {
        settle_in_order_locked();
        error = result.error;
        if (error == MPI_SUCCESS) {
            return missing_ == 0;
        }
    } else {
        const auto [first, last] = messages_of(partition);
        for (std::size_t index = first; index <= last; ++index) {
            if (!settle_locked(index)) {
                return false;
            }
            error = error == MPI_SUCCESS ? messages_[index].error : error;
        }
    }
    if (error != MPI_SUCCESS) {
        fail(error, "partition ", partition, " of the message from rank ", peer_,
             " will not arrive: ", error_text(error));
    }
    return true;
}

bool partitioned_receive::arrived(int partition) {
    // Complete, or not started again since: everything is here, unless it has failed.
    if (!active || (is_complete() && result.error == MPI_SUCCESS)) {
        if (thread_order::told()) {
            hear();
        }
        return true;
    }
    for (const bool again : {true, false}) {
        {
            const std::scoped_lock lock{mutex_};
            look_locked();
            if (arrived_locked(partition)) {
                hear_locked(partition);
                return true;
            }
        }
        if (again) {
            home->progress();
        }
    }
    home->found_nothing();
    return false;
}

} // namespace lisle::protocol
