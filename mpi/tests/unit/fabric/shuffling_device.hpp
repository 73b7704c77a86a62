// SPDX-License-Identifier: Apache-2.0
// A device whose messages end in another order than they were matched in, as those of many providers of
// libfabric do: it keeps back what another device has received, and lets it go at random. It can break, too.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "fabric/network/device/device.hpp"
#include "fabric/network/provider.hpp"

namespace lisle::fabric::network {

class shuffling_device final : public device {
  public:
    explicit shuffling_device(std::unique_ptr<device> below)
        : device{unordered(below->traits())}, below_{std::move(below)} {}

    void close() noexcept override {
        kept_.clear();
        below_->close();
    }
    [[nodiscard]] std::vector<std::byte> address() const override { return below_->address(); }
    [[nodiscard]] peer_number add_peer(std::span<const std::byte> address) override {
        return below_->add_peer(address);
    }
    void give_up(peer_number peer) noexcept override { below_->give_up(peer); }
    void use_memory(std::span<std::byte> memory) override { below_->use_memory(memory); }
    [[nodiscard]] std::optional<std::uint64_t> expose(const void *memory, std::size_t bytes,
                                                      std::uint64_t wanted) noexcept override {
        return below_->expose(memory, bytes, wanted);
    }
    void withdraw(std::uint64_t key) noexcept override { below_->withdraw(key); }
    [[nodiscard]] attempt receive(std::span<std::byte> into, operation &op) noexcept override {
        return below_->receive(into, op);
    }
    [[nodiscard]] attempt send(std::span<std::byte> bytes, std::span<const std::byte> end, peer_number to,
                               operation &op) noexcept override {
        if (loses_) {
            return attempt::ended;
        }
        if (sends_until_it_breaks_ != 0 && --sends_until_it_breaks_ == 0) {
            lost_ = &op;
            return attempt::done;
        }
        return below_->send(bytes, end, to, op);
    }
    void send_held() noexcept override { below_->send_held(); }
    [[nodiscard]] bool holds_any() const noexcept override { return below_->holds_any(); }
    /// From now on what is sent is lost, as on a connection whose other end has gone without a word.
    void lose_what_is_sent() noexcept { loses_ = true; }
    /// So many messages from now on the last one ends with an error.
    void break_after(int sends) noexcept { sends_until_it_breaks_ = sends; }
    [[nodiscard]] attempt inject(std::span<const std::byte> bytes, peer_number to) noexcept override {
        return below_->inject(bytes, to);
    }
    [[nodiscard]] attempt read(std::span<const iovec> into, peer_number from, std::uint64_t address,
                               std::uint64_t key, operation &op) noexcept override {
        return below_->read(into, from, address, key, op);
    }
    [[nodiscard]] attempt write(std::span<const iovec> data, peer_number to, std::uint64_t address,
                                std::uint64_t key, operation &op) noexcept override {
        return below_->write(data, to, address, key, op);
    }

    [[nodiscard]] std::size_t take_completions(std::span<completion> ended) noexcept override {
        std::array<completion, 16> all{};
        const std::size_t count =
            below_->take_completions(std::span{all}.first(std::min(all.size(), ended.size())));
        std::size_t told = 0;
        if (lost_ != nullptr && count != ended.size()) {
            ended[told++] = {std::exchange(lost_, nullptr), 0, true};
        }
        for (const completion &each : std::span{all}.first(count)) {
            if (each.of->what == operation::kind::receive && !each.failed) {
                kept_.push_back(each);
            } else {
                ended[told++] = each;
            }
        }
        for (; told != ended.size() && !kept_.empty() && lets_one_go(); ++told) {
            std::swap(kept_[random_() % kept_.size()], kept_.back());
            ended[told] = kept_.back();
            kept_.pop_back();
        }
        if (below_->has_moved()) {
            note_moved();
        }
        while (dropped() != below_->dropped()) {
            static_cast<void>(drops().add());
        }
        return told;
    }

    [[nodiscard]] int descriptor() const noexcept override { return below_->descriptor(); }
    [[nodiscard]] bool may_wait() noexcept override {
        return kept_.empty() && lost_ == nullptr && below_->may_wait();
    }

  private:
    /// Fewer than there are buffers to receive to.
    static constexpr std::size_t most_kept = 48;

    static device_traits unordered(device_traits of) {
        of.delivers_in_order = false;
        return of;
    }
    [[nodiscard]] bool lets_one_go() noexcept { return kept_.size() > most_kept || random_() % 3 == 0; }

    std::unique_ptr<device> below_;
    std::vector<completion> kept_;
    operation *lost_ = nullptr; ///< a send that has failed
    int sends_until_it_breaks_ = 0;
    bool loses_ = false;
    std::minstd_rand random_{11};
};

/// The same choices, shuffling.
inline std::vector<choice> shuffled(std::vector<choice> chosen) {
    for (choice &each : chosen) {
        each.open = [open = std::move(each.open)](const shared_secret &secret) {
            return std::make_unique<shuffling_device>(open(secret));
        };
    }
    return chosen;
}

} // namespace lisle::fabric::network
