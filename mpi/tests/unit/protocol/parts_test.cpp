// SPDX-License-Identifier: Apache-2.0
// Matching and the inbox with an observer, each as a part: no engine is asked.
#include "parts.hpp"

#include <array>
#include <gtest/gtest.h>
#include <vector>

#include "datatype/predefined.hpp"

using namespace lisle;
using namespace lisle::protocol;

namespace {

constexpr std::int64_t unexpected_limit = 1000;

/// Notes what it is told.
class noting_observer final : public message_observer {
  public:
    [[nodiscard]] bool follows_each_message() const noexcept override { return true; }
    [[nodiscard]] std::uint32_t begin_send(const envelope &, int) override { return 0; }
    [[nodiscard]] std::optional<type_note> describe(const typed_buffer &, std::uint32_t) override {
        return std::nullopt;
    }
    [[nodiscard]] std::uint16_t annotate(std::uint8_t) const noexcept override { return 0; }
    void begin_receive(receive_operation &) override {}
    void packet_arrived(std::uint16_t annotation) noexcept override { annotations.push_back(annotation); }
    void message_arrived(const envelope &message, std::uint16_t, const receive_operation *taker,
                         const matcher &) override {
        arrived.push_back(message.tag);
        takers.push_back(taker);
    }
    void message_taken(const receive_operation &, const envelope &message, const matcher &) override {
        taken.push_back(message.tag);
    }
    void follow(const message_observer &) noexcept override {}
    void compare(receive_operation &, std::uint8_t elements, const type_note *) override {
        compared.push_back(elements);
    }
    void compare_kept(receive_operation &, std::uint8_t, const void *) override {}
    void keep(const void *, const type_note &) override {}
    void move(const void *, const receive_operation &) override {}

    std::vector<std::uint16_t> annotations;
    std::vector<int> arrived, taken;
    std::vector<const receive_operation *> takers;
    std::vector<std::uint8_t> compared;
};

class matching_test : public testing::Test {
  protected:
    unexpected_message *store(int tag, std::size_t bytes) {
        const std::vector<std::byte> data(bytes);
        unexpected_message *const message =
            unexpected_message::make_whole(this_rank().engine(), {4, 0, tag}, data);
        receives_.keep_locked(*message, nullptr);
        return message;
    }
    core_alone alone_;
    matching receives_{alone_.core, unexpected_limit};
};

class observed_inbox_test : public testing::Test {
  protected:
    noting_observer observer_;
    core_alone alone_{&observer_};
    matching receives_{alone_.core, unexpected_limit};
    inbox inbox_{alone_.core, receives_};
};

} // namespace

TEST_F(matching_test, receive_takes_the_stored_message_once) {
    unexpected_message *const message = store(7, 8);
    const auto first = make_receive({4, 0, 7});
    EXPECT_EQ(receives_.take_for_locked(*first), message);
    EXPECT_EQ(receives_.take_for_locked(*first), nullptr);
    unexpected_message::destroy(message);
    EXPECT_TRUE(receives_.idle());
}

TEST_F(matching_test, capturing_receive_is_complete_with_its_message) {
    const auto receive = make_receive({4, 0, 7});
    receive->captures = true;
    unexpected_message *const message = unexpected_message::make_whole(this_rank().engine(), {4, 0, 7}, {});
    receives_.keep_locked(*message, receive.get());
    EXPECT_TRUE(receive->complete.load());
    EXPECT_EQ(receive->captured, message);
    EXPECT_TRUE(receives_.stores_nothing());
    unexpected_message::destroy(message);
}

TEST_F(matching_test, started_receive_that_finds_a_stored_message_is_work_for_later) {
    receives_.expect_one_thread(true);
    const auto receive = make_receive({4, 0, 7});
    ASSERT_TRUE(receives_.try_start_alone(*receive));
    EXPECT_FALSE(receives_.idle());
    unexpected_message *const message = store(7, 8);
    receives_.enter_started_locked();
    EXPECT_EQ(alone_.core.take_work(), static_cast<pending_work *>(receive.get()));
    EXPECT_EQ(receive->what, pending_work::kind::stored);
    EXPECT_EQ(receive->captured, message);
    unexpected_message::destroy(message);
}

TEST_F(matching_test, receive_is_not_started_alone_where_several_threads_start_some) {
    const auto receive = make_receive({4, 0, 7});
    EXPECT_FALSE(receives_.try_start_alone(*receive));
}

TEST_F(matching_test, probe_takes_a_message_only_if_asked_to) {
    unexpected_message *const message = store(7, 8);
    EXPECT_EQ(receives_.probe_locked({4, MPI_ANY_SOURCE, MPI_ANY_TAG}, false), message);
    EXPECT_GT(receives_.stored_bytes(), 0U);
    EXPECT_EQ(receives_.probe_locked({4, MPI_ANY_SOURCE, MPI_ANY_TAG}, true), message);
    EXPECT_EQ(receives_.stored_bytes(), 0U);
    unexpected_message::destroy(message);
}

TEST_F(observed_inbox_test, observer_is_told_of_each_message_and_compares) {
    std::array<int, 2> into{};
    const auto receive = make_receive({4, 0, 1}, {into.data(), 2, *find_datatype(MPI_INT)});
    receives_.post_locked(*receive);
    const std::array<int, 2> sent{3, 4};
    const auto elements = static_cast<std::uint8_t>(find_datatype(MPI_INT)->basic());
    inbox_.on_eager({1, {4, 0, 1}, elements, 9, std::as_bytes(std::span{sent})});
    EXPECT_TRUE(receive->complete.load());
    EXPECT_EQ(into, sent);
    EXPECT_EQ(observer_.arrived, std::vector{1});
    EXPECT_EQ(observer_.takers, std::vector<const receive_operation *>{receive.get()});
    EXPECT_EQ(observer_.compared, std::vector{elements});
}
