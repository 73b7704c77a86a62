// SPDX-License-Identifier: Apache-2.0
// Splitting by the parts of the machine: each rank binds itself to one processor, in turn, and then must find
// itself with those that share each part, as MPI_Get_hw_resource_info tells of them.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "check.hpp"

#include <algorithm>
#include <sched.h>
#include <string>
#include <vector>

namespace {

/// Binds the calling thread to the number-th of its processors, round robin. Which one that is.
int bind(int number) {
    cpu_set_t allowed;
    CHECK_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
    std::vector<int> processors;
    for (int i = 0; i < CPU_SETSIZE; ++i)
        if (CPU_ISSET(i, &allowed))
            processors.push_back(i);
    const int chosen = processors[static_cast<std::size_t>(number) % processors.size()];
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(chosen, &one);
    CHECK_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    return chosen;
}

MPI_Comm split(int type, const std::string &resource, MPI_Info *told = nullptr) {
    MPI_Info hints = MPI_INFO_NULL;
    CHECK_MPI(MPI_Info_create(&hints));
    if (!resource.empty())
        CHECK_MPI(MPI_Info_set(hints, "mpi_hw_resource_type", resource.c_str()));
    MPI_Comm part = MPI_COMM_WORLD;
    CHECK_MPI(MPI_Comm_split_type(MPI_COMM_WORLD, type, 0, hints, &part));
    if (told != nullptr)
        *told = hints;
    else
        CHECK_MPI(MPI_Info_free(&hints));
    return part;
}

std::string value_of(MPI_Info from, const char *key) {
    char text[256] = "";
    int length = sizeof text;
    int there = 0;
    CHECK_MPI(MPI_Info_get_string(from, key, &length, text, &there));
    return there != 0 ? text : "";
}

std::vector<int> gather(MPI_Comm comm, int value) {
    int size = 0;
    CHECK_MPI(MPI_Comm_size(comm, &size));
    std::vector<int> all(static_cast<std::size_t>(size));
    CHECK_MPI(MPI_Allgather(&value, 1, MPI_INT, all.data(), 1, MPI_INT, comm));
    return all;
}

} // namespace

int main(int argc, char **argv) {
    const check::job job{&argc, &argv};
    const int processor = bind(job.rank);
    MPI_Comm node = split(MPI_COMM_TYPE_SHARED, "");
    const std::vector<int> processors = gather(node, processor);
    CHECK_MPI(MPI_Comm_free(&node));

    MPI_Info resources = MPI_INFO_NULL;
    CHECK_MPI(MPI_Get_hw_resource_info(&resources));
    CHECK_EQ(value_of(resources, "mpi_shared_memory"), std::string("true"));
    CHECK_EQ(value_of(resources, "hwloc://PU"), std::string("true"));
    int count = 0;
    CHECK_MPI(MPI_Info_get_nkeys(resources, &count));
    int smallest = job.size;
    for (int i = 0; i < count; ++i) {
        char key[MPI_MAX_INFO_KEY];
        CHECK_MPI(MPI_Info_get_nthkey(resources, i, key));
        MPI_Comm part = split(MPI_COMM_TYPE_HW_GUIDED, key);
        // A rank on one processor is restricted to one part of every sort.
        CHECK_EQ(value_of(resources, key), std::string("true"));
        CHECK(part != MPI_COMM_NULL);
        // Ranks that share the processor share the part.
        int sharing = 0;
        for (const int other : processors)
            sharing += other == processor ? 1 : 0;
        int found = 0;
        const std::vector<int> members = gather(part, processor);
        for (const int other : members)
            found += other == processor ? 1 : 0;
        CHECK_EQ(found, sharing);
        smallest = std::min(smallest, static_cast<int>(members.size()));
        if (std::string(key) == "hwloc://PU")
            CHECK_EQ(members.size(), static_cast<std::size_t>(sharing));
        CHECK_MPI(MPI_Comm_free(&part));
    }
    CHECK(split(MPI_COMM_TYPE_HW_GUIDED, "hwloc://Nonsense") == MPI_COMM_NULL);
    CHECK(split(MPI_COMM_TYPE_HW_GUIDED, "") == MPI_COMM_NULL);

    // Unguided: the largest part that cuts, and its name; nothing where nothing cuts. Ranks may abstain.
    MPI_Info told = MPI_INFO_NULL;
    MPI_Comm part = split(MPI_COMM_TYPE_HW_UNGUIDED, "", &told);
    int low = job.size;
    for (const int size : gather(MPI_COMM_WORLD, smallest))
        low = std::min(low, size);
    if (low == job.size) {
        CHECK(part == MPI_COMM_NULL);
    } else {
        CHECK(part != MPI_COMM_NULL);
        CHECK(gather(part, 0).size() < static_cast<std::size_t>(job.size));
        MPI_Comm again = split(MPI_COMM_TYPE_HW_GUIDED, value_of(told, "mpi_hw_resource_type"));
        int result = MPI_UNEQUAL;
        CHECK_MPI(MPI_Comm_compare(part, again, &result));
        CHECK_EQ(result, MPI_CONGRUENT);
        CHECK_MPI(MPI_Comm_free(&again));
        CHECK_MPI(MPI_Comm_free(&part));
    }
    CHECK_MPI(MPI_Info_free(&told));
    part = split(job.rank == 0 ? int{MPI_UNDEFINED} : int{MPI_COMM_TYPE_HW_UNGUIDED}, "");
    CHECK(job.rank != 0 || part == MPI_COMM_NULL);
    if (part != MPI_COMM_NULL)
        CHECK_MPI(MPI_Comm_free(&part));
    CHECK_MPI(MPI_Info_free(&resources));
    return 0;
}
