// SPDX-License-Identifier: Apache-2.0
#include "world_of_one.hpp"

namespace {

/// Ends what the first fixture began, once all tests have run.
class finalizer : public testing::Environment {
  public:
    void TearDown() override {
        int running = 0;
        MPI_Initialized(&running);
        if (running != 0) {
            MPI_Finalize();
        }
    }
};
[[maybe_unused]] const auto *const registered = testing::AddGlobalTestEnvironment(new finalizer);

} // namespace

void world_of_one::SetUpTestSuite() {
    int running = 0;
    MPI_Initialized(&running);
    if (running == 0) {
        ASSERT_EQ(MPI_Init(nullptr, nullptr), MPI_SUCCESS);
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
}
