// SPDX-License-Identifier: Apache-2.0
// Pictures as the heat example wants them: rows of red, green and blue bytes, read from and written to PNG.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

struct picture {
    int width = 0;
    int height = 0;
    std::vector<std::uint8_t> pixels; ///< width * height * 3
};

/// Throws std::runtime_error with a sentence if the file cannot be read as PNG.
picture read_png(const std::string &name);
/// Throws std::runtime_error with a sentence if the file cannot be written.
void write_png(const std::string &name, const picture &image);
