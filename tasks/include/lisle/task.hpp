// SPDX-License-Identifier: Apache-2.0
// The task machine: programs composed of tasks, on tiles that span threads, processes and hosts. Programs are
// text (S-expressions) or expressions of C++. See docs/tasks.md.
#pragma once

#include "lisle/task/blocks.hpp"
#include "lisle/task/expression.hpp"
#include "lisle/task/future.hpp"
#include "lisle/task/kernel.hpp"
#include "lisle/task/machine.hpp"

#if __has_include(<mpi.h>)
#include "lisle/task/mpi_transport.hpp"
#endif
