// SPDX-License-Identifier: Apache-2.0
#include "rma/ways/request_way.hpp"

#include <algorithm>
#include <vector>

#include "datatype/copy.hpp"
#include "datatype/predefined.hpp"
#include "protocol/engine.hpp"
#include "protocol/wait.hpp"
#include "rma/elements/element_runs.hpp"
#include "rma/messages/packets.hpp"

namespace lisle::rma {

namespace {

// Limits the answers that wait at a target: it keeps the requests whose answers find no room.
constexpr MPI_Count most_awaited_bytes = 262'144;
// After so many requests the origin takes the answers that have come.
constexpr unsigned requests_between_looks = 16;

typed_buffer no_data() {
    return {nullptr, 0, byte_type()};
}

std::uint16_t number_of_handle(std::uintptr_t value) noexcept {
    return static_cast<std::uint16_t>(value);
}

/// Gathers runs of one operation and sends them as requests.
class request_writer {
  public:
    /// @param origin the data for the runs, in order; no bytes: requests carry none
    /// @param answer null: none is wanted
    request_writer(const window_members &members, awaited_answers &answers, request_kind what, int target,
                   const request_head &head, const typed_buffer &origin, awaited_answer *answer)
        : members_{members}, answers_{answers}, what_{what}, target_{target}, head_{head}, origin_{origin},
          answer_{answer}, room_{packet_room(members, target) - sizeof(request_head)}, carries_{
                                                                                           origin.bytes() !=
                                                                                           0} {}

    /// @param unit runs are cut only at multiples of this @param extent bytes of memory for each unit
    void add(std::uint64_t address, std::size_t bytes, std::size_t unit, std::size_t extent) {
        while (bytes != 0) {
            const std::size_t used = runs_.size() * sizeof(memory_run) + data_;
            const std::size_t left =
                room_ > used + sizeof(memory_run) ? room_ - used - sizeof(memory_run) : 0;
            const std::size_t some = std::min(bytes, left / unit * unit);
            if (some == 0) {
                if (sent_ == 0) { // from now on nothing may fail: some of the operation is under way
                    runs_.reserve(room_ / sizeof(memory_run));
                }
                send();
                continue;
            }
            runs_.push_back({address, some});
            data_ += some;
            bytes -= some;
            address += some / unit * extent;
        }
    }

    void send() {
        if (runs_.empty()) {
            return;
        }
        if (answer_ != nullptr) {
            wait_for_less();
        }
        head_.runs = static_cast<std::uint32_t>(runs_.size());
        head_.offset = static_cast<std::uint64_t>(done_);
        const std::size_t run_bytes = runs_.size() * sizeof(memory_run);
        outgoing_packet packet{members_, target_, request_packet, static_cast<std::uint8_t>(what_),
                               sizeof head_ + run_bytes + (carries_ ? data_ : 0)};
        packet.write(0, &head_, sizeof head_);
        packet.write(sizeof head_, runs_.data(), run_bytes);
        if (carries_) {
            pack(origin_, done_, packet.bytes(sizeof head_ + run_bytes, data_));
        }
        packet.publish();
        done_ += static_cast<MPI_Count>(data_);
        runs_.clear();
        data_ = 0;
        if (++sent_ % requests_between_looks == 0) {
            members_.home().progress();
        }
    }

  private:
    void wait_for_less() {
        const auto awaited = [this] { return done_ - (total_ - answers_.missing_of(*answer_)); };
        if (awaited() + static_cast<MPI_Count>(data_) > most_awaited_bytes) {
            protocol::wait_until(members_.home(), [&] {
                return awaited() <= most_awaited_bytes / 2 ||
                       answer_->complete.load(std::memory_order_acquire);
            });
        }
    }

    const window_members &members_;
    awaited_answers &answers_;
    request_kind what_;
    int target_;
    request_head head_;
    typed_buffer origin_;
    awaited_answer *answer_;
    std::size_t room_;
    bool carries_;
    std::vector<memory_run> runs_;
    std::size_t data_ = 0; ///< bytes of data that the runs stand for
    MPI_Count done_ = 0;   ///< bytes in the requests that have been sent
    MPI_Count total_ = answer_ != nullptr ? answer_->missing : 0;
    unsigned sent_ = 0;
};

} // namespace

protocol::request *request_way::put(const transfer &of) {
    const message_origin::sending now{by_, of.target.rank};
    request_writer writer{members_, by_.answers, request_kind::put, of.target.rank, {}, of.origin, nullptr};
    for_each_run(of.at_target(), 0, of.origin.bytes(),
                 [&](std::uint64_t at, std::size_t bytes) { writer.add(at, bytes, 1, 1); });
    writer.send();
    return nullptr;
}

protocol::request *request_way::get(const transfer &of) {
    const message_origin::sending now{by_, of.target.rank};
    const MPI_Count bytes = of.target.bytes();
    awaited_answer *const answer = by_.answers.expect(of.origin, of.target.rank);
    answer->missing = bytes;
    request_head head;
    head.id = answer->id;
    by_.answers.send_expecting(answer, [&] {
        request_writer writer{members_,  by_.answers, request_kind::get, of.target.rank, head,
                              no_data(), answer};
        for_each_run(of.at_target(), 0, bytes,
                     [&](std::uint64_t at, std::size_t length) { writer.add(at, length, 1, 1); });
        writer.send();
    });
    return answer;
}

protocol::request *request_way::update(const target_update &of) {
    const int target = of.target.rank;
    const message_origin::sending now{by_, target};
    awaited_answer *const answer = of.result != nullptr ? by_.answers.expect(*of.result, target) : nullptr;
    const datatype &element = of.how.element();
    request_head head;
    head.element = number_of_handle(element.facts()->handle);
    head.operation = number_of_handle(of.how.handle());
    if (answer != nullptr) {
        answer->missing = of.bytes;
        head.id = answer->id;
    }
    const auto size = static_cast<std::size_t>(element.size());
    const auto extent = static_cast<std::size_t>(element.extent());
    by_.answers.send_expecting(answer, [&] {
        request_writer writer{members_, by_.answers, request_kind::update,
                              target,   head,        of.how.reads_only() ? no_data() : of.origin,
                              answer};
        for_each_element_run(of.at_target(), of.bytes, element, [&](std::byte *at, std::size_t elements) {
            writer.add(reinterpret_cast<std::uint64_t>(at), elements * size, size, extent);
        });
        writer.send();
    });
    return answer;
}

protocol::request *request_way::compare(const target_comparison &of) {
    const message_origin::sending now{by_, of.target.rank};
    const datatype &element = *of.target.type;
    const auto size = static_cast<std::size_t>(element.size());
    awaited_answer *const answer = by_.answers.expect({of.result, 1, element}, of.target.rank);
    request_head head;
    head.id = answer->id;
    head.runs = 1;
    head.element = number_of_handle(element.facts()->handle);
    const memory_run run{of.address, size};
    by_.answers.send_expecting(answer, [&] {
        outgoing_packet packet{members_, of.target.rank, request_packet,
                               static_cast<std::uint8_t>(request_kind::compare),
                               sizeof head + sizeof run + 2 * size};
        packet.write(0, &head, sizeof head);
        packet.write(sizeof head, &run, sizeof run);
        packet.write(sizeof head + sizeof run, of.compare, size);
        packet.write(sizeof head + sizeof run + size, of.origin.address, size);
        packet.publish();
    });
    return answer;
}

} // namespace lisle::rma
