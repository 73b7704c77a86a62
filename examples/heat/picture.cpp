// SPDX-License-Identifier: Apache-2.0
#include "picture.hpp"

#include <png.h>

#include <stdexcept>

picture read_png(const std::string &name) {
    png_image header{};
    header.version = PNG_IMAGE_VERSION;
    if (png_image_begin_read_from_file(&header, name.c_str()) == 0)
        throw std::runtime_error("cannot read " + name + ": " + header.message);
    header.format = PNG_FORMAT_RGB;
    picture image;
    image.width = static_cast<int>(header.width);
    image.height = static_cast<int>(header.height);
    image.pixels.resize(PNG_IMAGE_SIZE(header));
    if (png_image_finish_read(&header, nullptr, image.pixels.data(), 0, nullptr) == 0)
        throw std::runtime_error("cannot read " + name + ": " + header.message);
    return image;
}

void write_png(const std::string &name, const picture &image) {
    png_image header{};
    header.version = PNG_IMAGE_VERSION;
    header.format = PNG_FORMAT_RGB;
    header.width = static_cast<png_uint_32>(image.width);
    header.height = static_cast<png_uint_32>(image.height);
    if (png_image_write_to_file(&header, name.c_str(), 0, image.pixels.data(), 0, nullptr) == 0)
        throw std::runtime_error("cannot write " + name + ": " + header.message);
}
