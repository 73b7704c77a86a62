// SPDX-License-Identifier: Apache-2.0
// What a shared object of one's own adds to modelled machines: a routing, a packet codec, collectives. A
// machine's file names it ("extension = FILE"). The object defines one variable:
//
//     extern "C" const lisle::tile::extension lisle_tile_extension{.make_routing = my_routing};
//
// It needs the installed headers only, and is linked with nothing of Lisle.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "tile/extension/packet_codec.hpp"
#include "tile/extension/rank_collectives.hpp"
#include "tile/network/routing.hpp"

namespace lisle::tile {

/// What both sides have to agree on. The number grows when an interface changes.
struct extension_build {
    int number = 1;
    std::size_t of_parameters = sizeof(parameters);
    std::size_t of_wiring = sizeof(wiring);
    friend constexpr bool operator==(const extension_build &, const extension_build &) = default;
};

struct extension {
    extension_build build{};
    /// For "routing = own". @param lanes of each link; 0: as many as the routing needs, which is stored
    /// there. Throws std::invalid_argument with a sentence if the machine does not fit.
    std::unique_ptr<routing> (*make_routing)(const parameters &machine, const wiring &joined,
                                             int &lanes) = nullptr;
    /// For "--packets own".
    std::unique_ptr<packet_codec> (*make_codec)() = nullptr;
    /// In the place of Lisle's algorithms that know the machine (LISLE_COLLECTIVES=bcast=mesh).
    std::unique_ptr<rank_collectives> (*make_collectives)() = nullptr;
};

/// The extension in this file, which stays loaded. Throws std::invalid_argument with a sentence, also if it
/// was built with other headers.
[[nodiscard]] const extension &load_extension(const std::string &file);

} // namespace lisle::tile
