// SPDX-License-Identifier: Apache-2.0
// The interfaces of this machine that UCX may use.
#pragma once

#include <vector>

#include "fabric/network/device/choice.hpp"

namespace lisle::fabric::network {

/// Ports of InfiniBand's kind first ("mlx5_0:1"), then the interfaces of TCP; or what UCX_NET_DEVICES says,
/// if it is set. Does not load UCX.
/// @param over_tcp the choices of our own device, which name the interfaces of TCP
[[nodiscard]] std::vector<choice> ucx_choices(const std::vector<choice> &over_tcp);

} // namespace lisle::fabric::network
