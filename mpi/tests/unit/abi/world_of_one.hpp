// SPDX-License-Identifier: Apache-2.0
// A fixture for tests that need the library running: the program is a world of one.
#pragma once

#include <gtest/gtest.h>

#include "mpi.h"

class world_of_one : public testing::Test {
  protected:
    static void SetUpTestSuite();
};
