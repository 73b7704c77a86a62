// SPDX-License-Identifier: Apache-2.0
// What tests of the machine over the ranks of a job have in common: who this rank is, how parcels go, and how
// a test says what is wrong. Arguments: [tiles of each rank] [bridges; 0: none] [how they send] [how one is
// chosen].
#pragma once

#include <mpi.h>

#include <cstdio>
#include <cstdlib>

#include "lisle/task.hpp"
#include "lisle/task/bridges.hpp"
#include "machine.hpp"

namespace test {

/// What is asked of MPI_Init_thread.
inline int level_of(const std::string &name) {
    return name == "single"       ? MPI_THREAD_SINGLE
           : name == "funneled"   ? MPI_THREAD_FUNNELED
           : name == "serialized" ? MPI_THREAD_SERIALIZED
                                  : MPI_THREAD_MULTIPLE;
}

struct job {
    int rank = 0, ranks = 1, tiles = 1, failures = 0;
    tasks::bridge_options bridges;
    bool has_bridges = false;

    /// Initialises MPI. @param level what is asked of MPI_Init_thread
    job(int argc, char **argv, int level = MPI_THREAD_MULTIPLE) {
        int granted = 0;
        MPI_Init_thread(&argc, &argv, level, &granted);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &ranks);
        tiles = argc > 1 ? std::atoi(argv[1]) : 1;
        if (argc > 2 && std::atoi(argv[2]) > 0) {
            has_bridges = true;
            bridges.receivers = std::atoi(argv[2]);
            bridges.sending = tasks::sending_modes().at(argc > 3 ? argv[3] : "pool");
            bridges.choice = tasks::bridge_choices().at(argc > 4 ? argv[4] : "round-robin");
        }
    }
    void expect(bool holds, const std::string &what) {
        if (!holds) {
            ++failures;
            std::fprintf(stderr, "rank %d: %s\n", rank, what.c_str());
        }
    }
    void expect_equal(const std::string &got, const std::string &wanted, const std::string &program) {
        expect(got == wanted, program + " gives " + got + ", not " + wanted);
    }
    [[nodiscard]] std::unique_ptr<tasks::transport> connect() const {
        return has_bridges ? tasks::make_bridges(MPI_COMM_WORLD, bridges)
                           : tasks::make_mpi_transport(MPI_COMM_WORLD);
    }
    /// Runs all tests, ends MPI. @return what main returns
    template <class Body> int run(Body body) {
        try {
            body();
        } catch (const std::exception &error) {
            std::fprintf(stderr, "rank %d: %s\n", rank, error.what());
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
        MPI_Finalize();
        return failures == 0 ? 0 : 1;
    }
};

} // namespace test
