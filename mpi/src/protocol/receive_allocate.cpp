// SPDX-License-Identifier: Apache-2.0
#include "protocol/receive_allocate.hpp"

#include <memory>
#include <mutex>

#include "base/thread_order.hpp"
#include "execution/rank.hpp"
#include "protocol/engine.hpp"

namespace lisle::protocol {

namespace {

/// First the receive that captures, then, with the user's buffer, the receive of what was captured.
class allocating_receive final : public progressed_request {
  public:
    allocating_receive(engine &home, const allocation &how, const datatype &type, const envelope &pattern,
                       int from = -1)
        : progressed_request{home}, how_{how}, receiving_{home, {nullptr, 0, type}, pattern, from} {
        receiving_.keep(type);
        receiving_.captures = true;
        receiving_.captured = nullptr;
    }

    void start() override {
        receiving_.start();
        watch();
    }
    /// Starts with a message that was matched before.
    void start_with(unexpected_message &message) {
        home->transfers().accept(message, receiving_);
        watch();
    }
    void cancel() override { receiving_.cancel(); }
    void hear() const override { hear_message(receiving_.pattern.context, result, home->core().self.number); }
    void describe(wait_note &note) const override {
        const envelope &wanted = receiving_.pattern;
        constexpr std::int64_t not_known = -1; // how long the message will be
        note.add({wanted.context, not_known, wanted.source, wanted.tag, wait_note::sort::receive});
    }

  private:
    bool ready() override {
        // Acquire: as in wait(), see request.cpp.
        if (!receiving_.complete.load(std::memory_order_acquire)) {
            return false;
        }
        if (unexpected_message *const message = std::exchange(receiving_.captured, nullptr)) {
            if (!accept(*message)) {
                return true;
            }
            if (!receiving_.complete.load(std::memory_order_acquire)) {
                return false;
            }
        }
        result = receiving_.result;
        if (how_.inspect != nullptr && receiving_.buffer.address != nullptr && result.error == MPI_SUCCESS) {
            show(receiving_.buffer.address);
        }
        return true;
    }

    void show(const void *bytes) {
        MPI_Status status{};
        result.store(&status);
        how_.inspect(bytes, result.bytes, &status, how_.state);
    }

    /// Gets a buffer and begins to fill it. False: nothing more is to come, and `result` says why.
    bool accept(unexpected_message &message) {
        result = {.source = message.what.source, .tag = message.what.tag, .bytes = message.bytes};
        if (how_.inspect != nullptr) {
            if (const void *const here = announced_receives::readable(message)) {
                show(here);
                home->transfers().discard(message);
                return false;
            }
        }
        const datatype &type = *receiving_.buffer.type;
        const MPI_Count size = type.size();
        const MPI_Count count = size == 0 ? 0 : (message.bytes + size - 1) / size;
        MPI_Status status{};
        result.store(&status);
        void *const address = how_.allocate(count, &status, how_.state);
        if (address == nullptr && count != 0) {
            home->transfers().discard(message);
            result.bytes = 0;
            result.error = MPI_ERR_NO_MEM;
            return false;
        }
        receiving_.buffer = {address, count, type};
        receiving_.captures = false;
        // Relaxed: nobody else knows of the operation between its two halves.
        receiving_.complete.store(false, std::memory_order_relaxed);
        home->transfers().accept(message, receiving_);
        return true;
    }

    allocation how_;
    receive_operation receiving_;
};

} // namespace

request *start_receive_allocate(const allocation &how, const datatype &type, const channel &channel,
                                int source, int tag) {
    auto made =
        std::make_unique<allocating_receive>(*channel.home, how, type, envelope{channel.context, source, tag},
                                             source >= 0 ? channel.peers->member(source) : -1);
    made->start();
    return made.release();
}

namespace {

outcome finish(request *started) {
    wait(*started);
    if (thread_order::told()) {
        started->hear();
    }
    const outcome ended = started->result;
    started->free();
    return ended;
}

} // namespace

outcome receive_allocate(const allocation &how, const datatype &type, const channel &channel, int source,
                         int tag) {
    return finish(start_receive_allocate(how, type, channel, source, tag));
}

outcome receive_allocate(const allocation &how, const datatype &type, unexpected_message *taken) {
    auto made = std::make_unique<allocating_receive>(taken != nullptr ? taken->home : this_rank().engine(),
                                                     how, type, envelope{0, MPI_PROC_NULL, MPI_ANY_TAG});
    if (taken != nullptr) {
        made->start_with(*taken);
    } else {
        made->start();
    }
    return finish(made.release());
}

} // namespace lisle::protocol
