// SPDX-License-Identifier: Apache-2.0
// From the group calls of MPI to group algebra.
#include "api/group.hpp"

#include "api/mixed_sessions.hpp"
#include "base/error.hpp"
#include "communicator/predefined.hpp"
#include "communicator/session.hpp"
#include "execution/rank.hpp"
#include "world/group_algebra.hpp"

namespace lisle::api {

namespace {

/// The user's list of `n` elements, which may be a null pointer if there are none.
std::span<const int> list_of(const int *list, int n, const char *argument) {
    if (list == nullptr && n > 0) {
        fail(MPI_ERR_ARG, argument, " is a null pointer, but n is ", n);
    }
    return {list, static_cast<std::size_t>(n)};
}

std::vector<rank_range> ranges_of(const int (*ranges)[3], int n) {
    if (ranges == nullptr && n > 0) {
        fail(MPI_ERR_ARG, "ranges is a null pointer, but n is ", n);
    }
    std::vector<rank_range> copied;
    copied.reserve(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) {
        copied.push_back({ranges[i][0], ranges[i][1], ranges[i][2]});
    }
    return copied;
}

/// What is made from a session's group comes from that session, too.
MPI_Group give(group_ref made, const group &source) {
    return give_handle(with_session(std::move(made), source.session()));
}

} // namespace

void group_compare(const group &group1, const group &group2, int *result) {
    abi::look_at_sessions(group1.session(), group2.session());
    *result = compare(group1, group2);
}

void group_difference(const group &group1, const group &group2, MPI_Group *newgroup) {
    abi::look_at_sessions(group1.session(), group2.session());
    *newgroup = give(subtract(group1, group2), group1);
}

void group_excl(const group &source, int n, const int ranks[], MPI_Group *newgroup) {
    *newgroup = give(exclude(source, list_of(ranks, n, "ranks")), source);
}

void group_free(MPI_Group *group) {
    // Calls that make a group may return MPI_GROUP_EMPTY, and programs free what they got.
    if (*group != MPI_GROUP_EMPTY) {
        const lisle::group *const target = find_group(*group);
        if (target == nullptr || !target->drop_handle()) {
            fail(MPI_ERR_GROUP, "the group was freed already or never was one");
        }
        target->release();
    }
    *group = MPI_GROUP_NULL;
}

void group_from_session_pset(session &session, const char *pset_name, MPI_Group *newgroup) {
    *newgroup = give_handle(with_session(members_of_process_set(pset_name), session.number()));
}

void group_incl(const group &source, int n, const int ranks[], MPI_Group *newgroup) {
    *newgroup = give(include(source, list_of(ranks, n, "ranks")), source);
}

void group_intersection(const group &group1, const group &group2, MPI_Group *newgroup) {
    abi::look_at_sessions(group1.session(), group2.session());
    *newgroup = give(intersect(group1, group2), group1);
}

void group_range_excl(const group &source, int n, int ranges[][3], MPI_Group *newgroup) {
    *newgroup = give(exclude_ranges(source, ranges_of(ranges, n)), source);
}

void group_range_incl(const group &source, int n, int ranges[][3], MPI_Group *newgroup) {
    *newgroup = give(include_ranges(source, ranges_of(ranges, n)), source);
}

void group_rank(const group &source, int *rank) {
    *rank = source.rank_of(this_rank().number());
}

void group_size(const group &source, int *size) {
    *size = source.size();
}

void group_translate_ranks(const group &group1, int n, const int ranks1[], const group &group2,
                           int ranks2[]) {
    abi::look_at_sessions(group1.session(), group2.session());
    if (ranks2 == nullptr && n > 0) {
        fail(MPI_ERR_ARG, "ranks2 is a null pointer, but n is ", n);
    }
    translate(group1, list_of(ranks1, n, "ranks1"), group2, {ranks2, static_cast<std::size_t>(n)});
}

void group_union(const group &group1, const group &group2, MPI_Group *newgroup) {
    abi::look_at_sessions(group1.session(), group2.session());
    *newgroup = give(unite(group1, group2), group1);
}

} // namespace lisle::api
