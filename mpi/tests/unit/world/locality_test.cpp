// SPDX-License-Identifier: Apache-2.0
// Where ranks are in a job of two nodes, and a fabric over the segment of one of them.
#include "world/locality.hpp"

#include <array>
#include <gtest/gtest.h>
#include <thread>
#include <utility>
#include <vector>

#include "datatype/predefined.hpp"
#include "fabric/local/local_fabric.hpp"
#include "fabric/local/node_domain.hpp"
#include "world/bootstrap.hpp"
#include "world/job_table.hpp"

using namespace lisle;
using fabric::local::local_fabric;
using fabric::local::node_domain;
using fabric::local::node_segment;

namespace {

/// Processes of 2, 3, 1 and 2 ranks that lie on nodes 0, 1, 0, 1 in turn; the second one's ranks are fibers.
const job_shape two_nodes{
    .ranks_of_process = {2, 3, 1, 2}, .workers_of_process = {0, 2, 0, 0}, .node_of_process = {0, 1, 0, 1}};

/// A process of such a job, with nobody to exchange anything with.
class placed final : public bootstrap {
  public:
    explicit placed(int process) : process_{process} {}
    [[nodiscard]] process_id self() const noexcept override { return {job_id{1}, process_}; }
    [[nodiscard]] const locality &places() const noexcept override { return places_; }
    [[nodiscard]] bool reports_ends() const noexcept override { return false; }
    [[nodiscard]] int pid_of(int) const noexcept override { return 0; }
    void put(std::string_view, std::span<const std::byte>) override {}
    [[nodiscard]] std::vector<std::byte> get(int, std::string_view) override { return {}; }
    void fence() override {}
    void report(int, rank_progress) noexcept override {}
    void report_exit(int, int) noexcept override {}
    void report_fault(int, int, std::uintptr_t) noexcept override {}
    void abort(int, int, abort_cause) noexcept override {}

  private:
    int process_;
    locality places_{two_nodes};
};

} // namespace

TEST(locality, knows_the_place_of_each_rank) {
    const locality places{two_nodes};
    EXPECT_EQ(places.ranks(), 8);
    EXPECT_EQ(places.processes(), 4);
    ASSERT_EQ(places.nodes(), 2);
    const std::array process{0, 0, 1, 1, 1, 2, 3, 3};
    const std::array node{0, 0, 1, 1, 1, 0, 1, 1};
    const std::array index{0, 1, 0, 1, 2, 2, 3, 4};
    for (int rank = 0; rank < places.ranks(); ++rank) {
        const auto at = static_cast<std::size_t>(rank);
        EXPECT_EQ(places.process_of(rank), process[at]) << rank;
        EXPECT_EQ(places.node_of(rank), node[at]) << rank;
        EXPECT_EQ(places.index_on_node(rank), index[at]) << rank;
        EXPECT_EQ(places.rank_on(node[at], index[at]), rank);
    }
    EXPECT_EQ(places.ranks_on(0), 3);
    EXPECT_EQ(places.ranks_on(1), 5);
    EXPECT_EQ(places.processes_on(1), 2);
    EXPECT_EQ(places.process_index_on_node(3), 1);
    EXPECT_EQ(places.process_on(1, 1), 3);
    EXPECT_EQ(places.threads_beside(0), 3);
    EXPECT_EQ(places.threads_beside(1), 4) << "two workers and two threads";
    EXPECT_EQ(places.threads_beside(3), 4);
    EXPECT_EQ(places.worker_begin(1, 1), 1);
    EXPECT_EQ(places.worker_begin(1, 2), 3);
}

TEST(locality, lets_processes_count_as_being_on_several_nodes) {
    using nodes = std::vector<int>;
    EXPECT_EQ(pretended_nodes(5, 2), (nodes{0, 0, 0, 1, 1}));
    EXPECT_EQ(pretended_nodes(3, 3), (nodes{0, 1, 2}));
    EXPECT_EQ(pretended_nodes(2, 9), (nodes{0, 1}));
    EXPECT_EQ(pretended_nodes(3, -1), (nodes{0, 1, 2}));
    EXPECT_EQ(pretended_nodes(5, -2), (nodes{0, 1, 0, 1, 0}));
}

TEST(locality, counts_what_competes_for_cores_on_machines_whatever_nodes_are_pretended) {
    job_shape shape = two_nodes;
    shape.place_on_nodes(pretended_nodes(4, -1));
    const locality apart{shape};
    EXPECT_EQ(apart.nodes(), 4);
    for (const auto &[process, threads] :
         {std::pair{0, 3}, std::pair{1, 4}, std::pair{2, 3}, std::pair{3, 4}}) {
        EXPECT_EQ(apart.threads_beside(process), threads) << process;
    }
    job_shape one{.ranks_of_process = {2, 2, 1}};
    one.place_on_nodes(pretended_nodes(3, 2));
    const locality halves{one};
    EXPECT_EQ(halves.nodes(), 2);
    EXPECT_EQ(halves.threads_beside(2), 5);
    const job_table table = job_table::create(shape);
    EXPECT_EQ(table.shape().machine_of_process, (std::vector{0, 1, 0, 1}));
}

TEST(locality, gives_the_shape_of_one_node) {
    const job_shape node = locality{two_nodes}.shape_of_node(1);
    EXPECT_EQ(node.ranks_of_process, (std::vector{3, 2}));
    EXPECT_EQ(node.workers_of_process, (std::vector{2, 0}));
}

TEST(locality, lets_a_fabric_reach_the_ranks_of_its_node_alone) {
    const locality places{two_nodes};
    const auto segment = node_segment::create(places.shape_of_node(1));
    EXPECT_EQ(segment.ranks(), 5);
    EXPECT_EQ(segment.processes(), 2);
    auto of_sender = node_segment::attach(dup(segment.descriptor()));
    auto of_receiver = node_segment::attach(dup(segment.descriptor()));
    const placed sender{1}, receiver{3};
    local_fabric out{std::make_unique<node_domain>(of_sender, sender, fabric::local::read_thresholds{})};
    local_fabric in{std::make_unique<node_domain>(of_receiver, receiver, fabric::local::read_thresholds{})};
    for (int rank = 0; rank < places.ranks(); ++rank) {
        EXPECT_EQ(out.reaches(rank), places.node_of(rank) == 1) << rank;
    }
    EXPECT_FALSE(out.reaches(-1));
    EXPECT_FALSE(out.reaches(8));

    // Ranks 6 and 7 are the node's fourth and fifth: what is sent to 7 arrives there and nowhere else.
    fabric::packet_slot slot;
    const int from = places.first_rank(1);
    ASSERT_EQ(out.try_claim(from, 7, 3, false, slot), fabric::claim_result::claimed);
    *slot.header = {};
    slot.header->payload_bytes = 3;
    slot.header->source = from;
    out.fill(7, slot, "abc", 3);
    out.publish(7, slot);
    struct seen final : fabric::sink {
        int packets = 0;
        void arrived(int, const fabric::packet_header &, std::span<const std::byte> payload) override {
            ++packets;
            EXPECT_EQ(std::string(reinterpret_cast<const char *>(payload.data()), payload.size()), "abc");
        }
        void peer_failed(int peer) override { ADD_FAILURE() << peer; }
    } at_6, at_7;
    EXPECT_EQ(in.poll(6, at_6, 1), 0);
    EXPECT_EQ(in.poll(7, at_7, 1), 1);
    EXPECT_EQ(at_7.packets, 1);
}
