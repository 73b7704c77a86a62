// SPDX-License-Identifier: Apache-2.0
#include <condition_variable>
#include <mutex>
#include <stdexcept>

#include <lisle/task/transport.hpp>

namespace lisle::tasks {

namespace {

/// A machine of one rank sends nothing; its own thread sleeps here while its tiles work.
class local_transport final : public transport {
  public:
    [[nodiscard]] int rank() const noexcept override { return 0; }
    [[nodiscard]] int ranks() const noexcept override { return 1; }
    void send(int to, std::vector<std::byte>) override { refuse(to); }
    int expect(int from, std::span<std::byte>, std::function<void()>) override { refuse(from); }
    void send_from(int to, int, std::span<const std::byte>, ref<object>) override { refuse(to); }
    bool poll(const receiver &) override { return false; }
    void wait(const receiver &) override {
        std::unique_lock guard{mutex_};
        awake_.wait(guard, [&] { return is_woken_; });
        is_woken_ = false;
    }
    void wake() override {
        {
            const std::scoped_lock guard{mutex_};
            is_woken_ = true;
        }
        awake_.notify_one();
    }
    [[nodiscard]] bool has_sent_all() const override { return true; }
    std::vector<std::uint64_t> gather(std::uint64_t mine) override { return {mine}; }

  private:
    [[noreturn]] static void refuse(int rank) {
        throw std::out_of_range{"rank " + std::to_string(rank) + " is outside of a machine of one rank"};
    }
    std::mutex mutex_; ///< for is_woken_
    std::condition_variable awake_;
    bool is_woken_ = false;
};

} // namespace

std::unique_ptr<transport> make_local_transport() {
    return std::make_unique<local_transport>();
}

} // namespace lisle::tasks
