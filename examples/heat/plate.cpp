// SPDX-License-Identifier: Apache-2.0
#include "plate.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace {

constexpr float step_factor = 0.24f; // below 1/4, where the explicit scheme is stable

cell_kind meaning(const std::uint8_t *pixel) {
    const int red = pixel[0];
    const int green = pixel[1];
    const int blue = pixel[2];
    if (red < 64 && green < 64 && blue < 64)
        return cell_kind::wall;
    if (red > 160 && green < 96 && blue < 96)
        return cell_kind::hot;
    if (blue > 160 && red < 96 && green < 128)
        return cell_kind::cold;
    return cell_kind::plate;
}

using colour = std::array<float, 3>;

/// From cold (-1) over neutral (0) to hot (1).
colour colour_of(float temperature) {
    constexpr std::array<colour, 9> scale{{{8, 20, 70},
                                           {28, 72, 160},
                                           {74, 144, 214},
                                           {160, 205, 236},
                                           {244, 240, 232},
                                           {253, 208, 120},
                                           {248, 138, 45},
                                           {206, 44, 34},
                                           {92, 6, 28}}};
    const float position = (std::clamp(temperature, -1.0f, 1.0f) + 1) * 4;
    const auto below = std::min(static_cast<std::size_t>(position), scale.size() - 2);
    const float part = position - static_cast<float>(below);
    colour result{};
    for (std::size_t i = 0; i < result.size(); ++i)
        result[i] = scale[below][i] + part * (scale[below + 1][i] - scale[below][i]);
    return result;
}

/// What the picture shows of a cell: walls and held cells as what they are, the plate as its temperature.
colour colour_of(cell_kind kind, float temperature) {
    switch (kind) {
    case cell_kind::wall:
        return {24, 26, 30};
    case cell_kind::hot:
        return {255, 246, 214};
    case cell_kind::cold:
        return {222, 244, 255};
    case cell_kind::plate:
        break;
    }
    colour result = colour_of(temperature);
    // Isotherms: a thin darker band at every tenth.
    const float tenths = temperature * 10;
    if (std::abs(temperature) > 0.05f && std::abs(tenths - std::round(tenths)) < 0.08f)
        for (float &part : result)
            part *= 0.86f;
    return result;
}

} // namespace

// One column of insulating wall on either side spares the loops all questions about the edge.
std::size_t plate::index(int row, int column) const {
    return static_cast<std::size_t>(row + 1) * static_cast<std::size_t>(width_ + 2) +
           static_cast<std::size_t>(column + 1);
}

plate::plate(int width, int rows, const std::vector<std::uint8_t> &pixels) : width_{width}, rows_{rows} {
    const std::size_t cells = index(rows + 1, -1);
    now_.assign(cells, 0);
    to_right_.assign(cells, 0);
    to_below_.assign(cells, 0);
    free_.assign(cells, 0);
    kinds_.assign(cells, cell_kind::wall);
    const std::uint8_t *pixel = pixels.data();
    for (int r = -1; r <= rows; ++r)
        for (int c = 0; c < width; ++c, pixel += 3) {
            const cell_kind kind = meaning(pixel);
            const std::size_t at = index(r, c);
            now_[at] = kind == cell_kind::hot ? 1.0f : kind == cell_kind::cold ? -1.0f : 0.0f;
            free_[at] = kind == cell_kind::plate ? 1.0f : 0.0f;
            kinds_[at] = kind;
        }
    const std::size_t stride = index(0, 0) - index(-1, 0);
    const auto conducts = [&](std::size_t one, std::size_t other) {
        return other < cells && kinds_[one] != cell_kind::wall && kinds_[other] != cell_kind::wall;
    };
    for (std::size_t at = 0; at < cells; ++at) {
        to_right_[at] = conducts(at, at + 1) ? step_factor : 0;
        to_below_[at] = conducts(at, at + stride) ? step_factor : 0;
    }
    next_ = now_;
}

float *plate::row(int index_of_row) {
    return &now_[index(index_of_row, 0)];
}

void plate::step_rows(int from, int to) {
    for (int r = from; r < to; ++r) {
        const float *const above = &now_[index(r - 1, 0)];
        const float *const here = &now_[index(r, 0)];
        const float *const below = &now_[index(r + 1, 0)];
        const float *const right = &to_right_[index(r, 0)];
        const float *const down = &to_below_[index(r, 0)];
        const float *const up = &to_below_[index(r - 1, 0)];
        const float *const mask = &free_[index(r, 0)];
        float *const result = &next_[index(r, 0)];
        for (int c = 0; c < width_; ++c)
            result[c] = here[c] + mask[c] * (right[c] * (here[c + 1] - here[c]) -
                                             right[c - 1] * (here[c] - here[c - 1]) +
                                             down[c] * (below[c] - here[c]) - up[c] * (here[c] - above[c]));
    }
}

long long plate::energy() {
    long long sum = 0;
    for (int r = 0; r < rows_; ++r)
        for (int c = 0; c < width_; ++c)
            sum += std::llround(now_[index(r, c)] * 1e6f);
    return sum;
}

std::vector<std::uint8_t> plate::colours() {
    std::vector<std::uint8_t> result;
    result.reserve(static_cast<std::size_t>(rows_) * static_cast<std::size_t>(width_) * 3);
    for (int r = 0; r < rows_; ++r)
        for (int c = 0; c < width_; ++c) {
            const std::size_t at = index(r, c);
            for (const float part : colour_of(kinds_[at], now_[at]))
                result.push_back(static_cast<std::uint8_t>(part + 0.5f));
        }
    return result;
}
