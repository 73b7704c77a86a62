// SPDX-License-Identifier: Apache-2.0
// lislerun --calibrate: what messages cost on the job's machine.
#pragma once

#include "launch/request/request.hpp"

namespace lisle::launch {

/// If a machine is to be measured, the program that does so becomes the job's. Throws launch_error if what is
/// asked for makes no sense.
void check_calibration(job_request &request);

} // namespace lisle::launch
