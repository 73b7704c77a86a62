// SPDX-License-Identifier: Apache-2.0
// Whether this machine has network hardware of a kind that only libfabric reaches.
#pragma once

#include <string>

namespace lisle::fabric::network {

/// Where Linux lists the devices of each kind.
inline constexpr const char *kinds_of_devices = "/sys/class";

/// Whether the machine has a device that a provider of libfabric may drive better than TCP: InfiniBand, RoCE,
/// Omni-Path and Amazon's EFA are all of the kind `infiniband`, Slingshot is of the kind `cxi`. To ask
/// libfabric itself costs a process a third of a second: its providers load fifty libraries and search the
/// kernel's symbols.
/// @param kinds for tests: a folder like kinds_of_devices
[[nodiscard]] bool has_hardware_for_libfabric(const std::string &kinds = kinds_of_devices) noexcept;

} // namespace lisle::fabric::network
