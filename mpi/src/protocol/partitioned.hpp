// SPDX-License-Identifier: Apache-2.0
// Partitioned communication [MPI-5.0 4]: a persistent message that several threads fill, and drain, piece by
// piece. Each of the sender's partitions travels as soon as it is ready, as a message of its own, so nobody
// waits for the slowest thread. A greeting, matched by rank and tag in the order of the init calls, tells the
// receiver how the sender cuts its data; the messages carry tags that only this pair of requests has.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/ref.hpp"
#include "datatype/typed_buffer.hpp"
#include "protocol/message/channel.hpp"
#include "protocol/point_to_point.hpp"
#include "protocol/progressed_request.hpp"

namespace lisle::protocol {

struct greeting; ///< what the sender tells the receiver once

/// One end of a partitioned message: `partitions` pieces of `count` elements each.
class partitioned_request : public progressed_request {
  public:
    /// @param buffer address, elements of one partition, and their type
    partitioned_request(const typed_buffer &buffer, int partitions, const channel &channel, int peer);
    [[nodiscard]] int partitions() const noexcept { return partitions_; }
    [[nodiscard]] typed_buffer partition(int number) const noexcept {
        return piece(number * buffer_.count, buffer_.count);
    }

  protected:
    /// Elements of all partitions.
    [[nodiscard]] MPI_Count elements() const noexcept { return buffer_.count * partitions_; }
    /// Some elements of the whole buffer.
    [[nodiscard]] typed_buffer piece(MPI_Count first, MPI_Count count) const noexcept;

    typed_buffer buffer_;
    int partitions_;
    channel channel_;
    int peer_;

  private:
    ref<const datatype> type_; ///< the user may free it before the request
};

/// The sending end. Any threads may call ready() at once, for different partitions.
class partitioned_send final : public partitioned_request {
  public:
    partitioned_send(const typed_buffer &buffer, int partitions, const channel &channel, int dest, int tag);
    ~partitioned_send() override;
    void start() override;
    void describe(wait_note &note) const override;
    /// MPI_Pready. Throws MPI_ERR_ARG if the partition is ready already.
    void mark_ready(int partition);

  private:
    bool ready() override;
    void settle_locked();

    int tag_;
    std::int32_t first_tag_ = 0;
    std::unique_ptr<std::atomic<bool>[]> marked_;
    // Counts down to 0. Release by those who count, acquire by who finds 0: it sees all sends noted.
    std::atomic<int> missing_{0};
    std::mutex mutex_;             ///< protects sends_
    std::vector<request *> sends_; ///< under way
    request *greeting_ = nullptr;
    std::unique_ptr<greeting> said_;
};

/// The receiving end.
class partitioned_receive final : public partitioned_request {
  public:
    partitioned_receive(const typed_buffer &buffer, int partitions, const channel &channel, int source,
                        int tag);
    ~partitioned_receive() override;
    void start() override;
    void describe(wait_note &note) const override;
    void hear() const override;
    /// MPI_Parrived: makes progress if need be. Throws if the partition will not arrive.
    [[nodiscard]] bool arrived(int partition);

  private:
    /// One of the sender's partitions.
    struct incoming {
        request *receive = nullptr;
        std::vector<std::byte> stray; ///< data that does not begin and end with whole elements
        bool here = false;
        int error = 0; ///< with which it has ended
    };
    bool ready() override;
    void look_locked();
    void post_locked();
    /// Ends the receive of one message if it is complete. True if the message is here.
    bool settle_locked(std::size_t index);
    /// The same for each in order, up to the first that is not here: what it takes does not grow with the
    /// looks.
    void settle_in_order_locked();
    [[nodiscard]] bool arrived_locked(int partition);
    /// What the sender's threads did before they marked what is in this partition, or in all: -1, comes
    /// before.
    /// @pre it is here
    void hear_locked(int partition) const;
    /// Which of the sender's partitions have parts of one of the receiver's. @pre they have any
    [[nodiscard]] std::pair<std::size_t, std::size_t> messages_of(int partition) const;

    int tag_;
    mutable std::mutex mutex_; ///< protects what follows
    std::unique_ptr<greeting> heard_;
    request *greeting_ = nullptr; ///< null once it is here, or never comes
    int refusal_ = 0;             ///< why it never comes, or is not to be believed
    bool posted_ = false;
    std::vector<incoming> messages_;
    std::size_t missing_ = 0;
    std::size_t settled_ = 0; ///< all messages before this one are here
};

} // namespace lisle::protocol
