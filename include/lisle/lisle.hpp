// SPDX-License-Identifier: Apache-2.0
// All of the C++ interface but what needs further libraries or headers that cost: serialize.hpp (cereal),
// coroutine.hpp, testing.hpp. See docs/cpp.md.
#pragma once

// First: what the compiler says begins with the way to the file.
#include "lisle/transfer.hpp"

#include "lisle/destination.hpp"

#include "lisle/point_to_point.hpp"

#include "lisle/operation.hpp"

#include "lisle/reduction_details.hpp"

#include "lisle/communicator.hpp"
#include "lisle/environment.hpp"
#include "lisle/future_pool.hpp"
#include "lisle/pending.hpp"
#include "lisle/request_pool.hpp"
#include "lisle/scope.hpp"
