// SPDX-License-Identifier: Apache-2.0
// All of the C++ interface but what needs further libraries or headers that cost: serialize.hpp (cereal),
// coroutine.hpp, testing.hpp. See docs/cpp.md.
#pragma once

// First: what the compiler says begins with the way to the file.
#include "lisle/datatype/transfer.hpp"

#include "lisle/datatype/destination.hpp"

#include "lisle/point_to_point/point_to_point.hpp"

#include "lisle/collective/argument.hpp"

#include "lisle/collective/operation.hpp"

#include "lisle/collective/reduction.hpp"

#include "lisle/communicator.hpp"
#include "lisle/environment.hpp"
#include "lisle/pending.hpp"
#include "lisle/point_to_point/scope.hpp"
#include "lisle/request/future_pool.hpp"
#include "lisle/request/request_pool.hpp"
