// SPDX-License-Identifier: Apache-2.0
// The carriers of parcels between ranks. The machine knows nothing else of the world outside its rank; one
// transport uses MPI directly, one goes over bridges, one is for a single rank and needs no MPI at all.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lisle/task/value.hpp"

namespace lisle::tasks {

/// Carries parcels between the ranks of one machine. Parcels from one rank to another arrive in the order in
/// which they were sent. Only the rank's own thread calls it, except for wake().
class transport {
  public:
    /// Takes a parcel that has arrived. The transport passes its exceptions on.
    using receiver = std::function<void(int from, std::span<const std::byte> parcel)>;

    virtual ~transport() = default;
    [[nodiscard]] virtual int rank() const noexcept = 0;
    [[nodiscard]] virtual int ranks() const noexcept = 0;
    /// Sends a parcel and returns at once.
    virtual void send(int to, std::vector<std::byte> parcel) = 0;
    /// Prepares to receive so many bytes from a rank, straight into `room`, and calls `done` once when they
    /// are there. @return the channel that the sender has to name
    virtual int expect(int from, std::span<std::byte> room, std::function<void()> done) = 0;
    /// Sends bytes from where they are. `keep` holds them until they have gone.
    virtual void send_from(int to, int channel, std::span<const std::byte> bytes, ref<object> keep) = 0;
    /// Takes all that has arrived, without waiting. @return whether anything has
    virtual bool poll(const receiver &receive) = 0;
    /// Ranks from which nothing comes any more, each told once. What is sent to them is dropped.
    virtual std::vector<int> lost() { return {}; }
    /// Sleeps until something arrives, wake() is called, or a rank is lost.
    virtual void wait(const receiver &receive) = 0;
    /// From now on other threads than the rank's own may call wake(). Called before the first of them does,
    /// and not during wait().
    virtual void expect_wakes() {}
    /// Ends the present or next wait(). Any thread.
    virtual void wake() = 0;
    /// True if all that was sent has left.
    [[nodiscard]] virtual bool has_sent_all() const = 0;
    /// The contributions of all ranks, in their order. Collective, before the first parcel.
    virtual std::vector<std::uint64_t> gather(std::uint64_t mine) = 0;
};

/// For a machine of one rank, without MPI.
std::unique_ptr<transport> make_local_transport();

} // namespace lisle::tasks
