// SPDX-License-Identifier: Apache-2.0
// A receiver and senders of another process that may fill its published receives: whatever both do meanwhile,
// each message goes to one receive, each receive gets one, and in order.
#include "fabric/local/published_receives.hpp"

#include <array>
#include <atomic>
#include <deque>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "execution/doorbell.hpp"
#include "fabric/local/mailbox.hpp"

namespace {

using namespace lisle::fabric;

constexpr published_receive envelope{7, 1, 3, 0, 0, 0};
constexpr mailbox_layout layout{64, 64};

struct alignas(line_bytes) room {
    std::array<std::byte, published_receives::bytes_for(4)> slots{};
};

// ---- one by one ----

class published : public testing::Test {
  protected:
    published_receive numbered(std::uint64_t number, int tag = envelope.tag) {
        published_receive what = envelope;
        what.tag = tag;
        what.address = number;
        return what;
    }
    room memory_;
    published_receives own_{memory_.slots.data(), 4};
    published_receives theirs_{memory_.slots.data(), 4};
};

TEST_F(published, are_found_by_envelope_and_the_oldest_first) {
    EXPECT_FALSE(theirs_.oldest(envelope));
    own_.publish(3, numbered(1));
    own_.publish(0, numbered(2));
    own_.publish(1, numbered(3, 4));
    EXPECT_EQ(theirs_.oldest(envelope)->what.address, 1U);
    EXPECT_EQ(theirs_.oldest(numbered(0, 4))->what.address, 3U);
    EXPECT_TRUE(own_.withdraw(3));
    EXPECT_EQ(theirs_.oldest(envelope)->what.address, 2U);
    EXPECT_FALSE(theirs_.oldest(numbered(0, 5)));
}

TEST_F(published, belong_to_who_comes_first) {
    own_.publish(0, numbered(1));
    const auto found = theirs_.oldest(envelope);
    EXPECT_TRUE(theirs_.claim(*found, 99));
    EXPECT_FALSE(theirs_.claim(*found, 100));
    EXPECT_FALSE(own_.withdraw(0));
    EXPECT_TRUE(own_.is_claimed_for(0, 99));
    EXPECT_FALSE(own_.is_claimed_for(0, 100));
    EXPECT_FALSE(theirs_.oldest(envelope));
    own_.free(0);
    own_.publish(0, numbered(2));
    EXPECT_FALSE(theirs_.claim(*found, 99)) << "another receive in the same slot";
    EXPECT_TRUE(own_.withdraw(0));
}

TEST_F(published, are_not_claimed_by_who_has_looked_before_a_renewal) {
    own_.publish(0, numbered(1));
    own_.publish(1, numbered(2));
    const auto found = theirs_.oldest(envelope);
    own_.renew(0, 17);
    EXPECT_FALSE(theirs_.is_still(*found));
    EXPECT_FALSE(theirs_.claim(*found, 99));
    const auto again = theirs_.oldest(envelope);
    EXPECT_EQ(again->what.address, 1U) << "a renewal changes no order";
    EXPECT_EQ(again->what.since, 17U);
    EXPECT_TRUE(theirs_.claim(*again, 99));
    own_.renew(0, 18);
    EXPECT_FALSE(own_.withdraw(0)) << "a renewal comes too late for a claim";
}

// ---- both sides at once ----

/// What a packet says: the number of a message that is announced, or of a slot that has been filled.
struct said {
    std::uint64_t announced;
    std::uint64_t filled;
};
constexpr std::uint64_t nothing = ~std::uint64_t{0};

/// A sender that announces one message after the other, and fills the receives that it can claim.
class sending_side {
  public:
    sending_side(const mailbox_room &mailbox, room &slots, std::vector<std::uint64_t> &received,
                 unsigned seed)
        : box_{mailbox, layout, bell_}, theirs_{slots.slots.data(), 4}, received_{received}, random_{seed} {}

    void send_all(std::uint64_t messages) {
        for (std::uint64_t message = 1; message <= messages; ++message) {
            post({message, nothing});
            for (unsigned tries = random_() % 4; tries != 0; --tries) {
                if (random_() % 4 == 0) {
                    std::this_thread::yield();
                }
                if (fill_one(message)) {
                    break;
                }
            }
        }
    }
    std::uint64_t filled = 0;

  private:
    void post(const said &what) {
        const short_header header{envelope.context, envelope.source, envelope.tag, 0, sizeof what};
        while (box_.try_post(signed_by(1), header, &what, true) != claim_result::claimed) {
            std::this_thread::yield();
        }
    }
    bool is_next(const published_receives::found &receive, std::uint64_t message) {
        bool hindered = false;
        return box_.finds_since(receive.what.since, 64, [&](const cell &packet) {
            said what;
            std::memcpy(&what, packet.inline_payload, sizeof what);
            if (what.announced == nothing || filled_.contains(what.announced)) {
                return false;
            }
            hindered = what.announced != message;
            return true;
        }) && !hindered;
    }
    bool fill_one(std::uint64_t message) {
        const auto found = theirs_.oldest(envelope);
        if (!found || !is_next(*found, message) || !theirs_.claim(*found, message)) {
            return false;
        }
        received_[found->what.address] = message;
        ++filled;
        filled_.insert(message);
        post({nothing, found->slot});
        return true;
    }

    lisle::doorbell bell_;
    mailbox_sender box_;
    published_receives theirs_;
    std::vector<std::uint64_t> &received_; ///< the message that each receive has got
    std::set<std::uint64_t> filled_;
    std::minstd_rand random_;
};

/// A receiver that posts receives, takes some back, looks into its mailbox now and then, and computes.
class receiving_side {
  public:
    receiving_side(const mailbox_room &mailbox, room &slots, std::vector<std::uint64_t> &received,
                   unsigned seed)
        : box_{mailbox, layout}, own_{slots.slots.data(), 4}, received_{received}, random_{seed} {}

    void receive_all(std::uint64_t messages) {
        while (matched_ + claimed_ < messages || open_claims_ != 0) {
            switch (random_() % 8) {
            case 0:
            case 1:
            case 2:
                post();
                break;
            case 3:
                take_back();
                break;
            case 4:
                std::this_thread::yield();
                break;
            default:
                look();
            }
        }
    }

  private:
    struct receive {
        std::uint64_t number;
        int slot; ///< -1: not published
    };
    void post() {
        if (!unexpected_.empty()) {
            give(next_++, unexpected_.front());
            unexpected_.pop_front();
            return;
        }
        if (next_ == received_.size() || posted_.size() > 8) {
            return;
        }
        receive made{next_++, -1};
        const bool follows_published = posted_.empty() || posted_.back().slot >= 0;
        for (int slot = 0; follows_published && made.slot < 0 && slot < 4; ++slot) {
            made.slot = used_[static_cast<std::size_t>(slot)] ? -1 : slot;
        }
        if (made.slot >= 0 && random_() % 8 != 0) {
            used_[static_cast<std::size_t>(made.slot)] = true;
            published_receive what = envelope;
            what.address = made.number;
            what.since = box_.next_ticket();
            own_.publish(static_cast<unsigned>(made.slot), what);
        } else {
            made.slot = -1;
        }
        posted_.push_back(made);
        if (random_() % 2 == 0) {
            look();
        }
    }
    void take_back() {
        if (posted_.empty() || next_ > received_.size() / 2) { // numbers must be left for all messages
            return;
        }
        const receive last = posted_.back();
        if (last.slot < 0 || own_.withdraw(static_cast<unsigned>(last.slot))) {
            posted_.pop_back();
            free(last);
        }
    }
    void look() {
        box_.drain(
            [this](const packet_header &, std::span<const std::byte> payload, const cell &) {
                said what;
                std::memcpy(&what, payload.data(), sizeof what);
                if (what.announced == nothing) {
                    own_.free(static_cast<unsigned>(what.filled));
                    used_[what.filled] = false;
                    --open_claims_;
                } else {
                    match(what.announced);
                }
            },
            static_cast<int>(random_() % 4));
    }
    void match(std::uint64_t message) {
        if (posted_.empty()) {
            unexpected_.push_back(message);
            return;
        }
        const receive first = posted_.front();
        posted_.pop_front();
        for (const receive &other : posted_) {
            if (other.slot >= 0) {
                own_.renew(static_cast<unsigned>(other.slot), box_.next_ticket() + 1);
            }
        }
        if (first.slot < 0 || own_.withdraw(static_cast<unsigned>(first.slot))) {
            free(first);
            give(first.number, message);
            return;
        }
        ASSERT_TRUE(own_.is_claimed_for(static_cast<unsigned>(first.slot), message))
            << "the first receive was claimed for another message than the next";
        ++claimed_;
        ++open_claims_;
    }
    void free(const receive &gone) {
        if (gone.slot >= 0) {
            used_[static_cast<std::size_t>(gone.slot)] = false;
        }
    }
    void give(std::uint64_t receive, std::uint64_t message) {
        received_[receive] = message;
        ++matched_;
    }

    mailbox_receiver box_;
    published_receives own_;
    std::vector<std::uint64_t> &received_;
    std::minstd_rand random_;
    std::uint64_t next_ = 0;
    std::deque<receive> posted_;
    std::deque<std::uint64_t> unexpected_;
    std::array<bool, 4> used_{};
    std::uint64_t matched_ = 0, claimed_ = 0, open_claims_ = 0;
};

} // namespace

TEST(published_receives, get_each_message_once_and_in_order) {
    constexpr std::uint64_t messages = 3000;
    std::uint64_t filled = 0;
    for (unsigned seed = 1; seed <= 4; ++seed) {
        const auto slots = std::make_unique<room>();
        struct alignas(line_bytes) box {
            std::byte bytes[layout.bytes()];
        };
        const auto memory = std::make_unique<box>();
        // Those that are taken back get nothing: their numbers are used up.
        std::vector<std::uint64_t> received(messages * 4, 0);
        const auto mailbox = mailbox_room::of(memory->bytes, 1, 0, layout);
        sending_side sender{mailbox, *slots, received, seed};
        receiving_side receiver{mailbox, *slots, received, seed + 100};
        std::thread sends{[&] { sender.send_all(messages); }};
        receiver.receive_all(messages);
        sends.join();
        filled += sender.filled;
        std::uint64_t last = 0;
        for (const std::uint64_t message : received) {
            if (message != 0) {
                ASSERT_EQ(message, last + 1) << "seed " << seed;
                last = message;
            }
        }
        ASSERT_EQ(last, messages) << "seed " << seed;
    }
    EXPECT_NE(filled, 0U) << "no receive was ever claimed";
}
