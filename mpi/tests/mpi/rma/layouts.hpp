// SPDX-License-Identifier: Apache-2.0
// Random derived datatypes that know where their elements lie: an oracle for transfers between any two of
// them.
#pragma once

#include "payload.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

/// `count` elements of a datatype, which are together a given number of elements of one predefined type.
class layout {
  public:
    /// @param elements how many predefined elements there are in all; at least 1
    /// @param depth how many constructors may lie in each other
    layout(random_numbers &random, MPI_Datatype element, int elements, int depth) : element_{element} {
        MPI_Aint lower = 0;
        MPI_Aint extent = 0;
        CHECK_MPI(MPI_Type_get_extent(element, &lower, &extent));
        bytes_ = extent;
        count_ = random.below(2) == 0 ? 1 : divisor(random, elements);
        nested part = make(random, elements / count_, depth);
        type_ = part.type;
        for (int i = 0; i < count_; ++i)
            for (const MPI_Aint at : part.places)
                places_.push_back(i * part.extent + at);
        CHECK_MPI(MPI_Type_commit(&type_));
        const auto [least, most] = std::minmax_element(places_.begin(), places_.end());
        first_ = *least;
        span_ = *most - *least + 1;
    }
    ~layout() { MPI_Type_free(&type_); }
    layout(const layout &) = delete;
    layout &operator=(const layout &) = delete;

    [[nodiscard]] MPI_Datatype type() const noexcept { return type_; }
    [[nodiscard]] int count() const noexcept { return count_; }
    /// The room from the first to the last element, in elements.
    [[nodiscard]] std::size_t span() const noexcept { return static_cast<std::size_t>(span_); }
    /// Where the buffer argument lies from the beginning of that room, in elements; may be negative.
    [[nodiscard]] MPI_Aint origin() const noexcept { return -first_; }
    /// Where the i-th element of the type's signature lies in that room.
    [[nodiscard]] std::size_t place(std::size_t i) const noexcept {
        return static_cast<std::size_t>(places_[i] - first_);
    }
    [[nodiscard]] std::size_t elements() const noexcept { return places_.size(); }

  private:
    /// A datatype, its extent and the places of its elements, both in elements.
    struct nested {
        MPI_Datatype type;
        MPI_Aint extent;
        std::vector<MPI_Aint> places;
    };

    static int divisor(random_numbers &random, int number) {
        int found = 1 + random.below(number);
        while (number % found != 0)
            --found;
        return found;
    }

    nested make(random_numbers &random, int elements, int depth) {
        if (depth == 0)
            return contiguous(elements);
        const int blocks = divisor(random, elements);
        nested inner = make(random, elements / blocks, depth - 1);
        nested outer = around(random, inner, blocks);
        CHECK_MPI(MPI_Type_free(&inner.type));
        if (random.below(3) == 0)
            resize(random, outer);
        return outer;
    }

    nested contiguous(int elements) const {
        nested result{MPI_DATATYPE_NULL, elements, std::vector<MPI_Aint>(static_cast<std::size_t>(elements))};
        std::iota(result.places.begin(), result.places.end(), MPI_Aint{0});
        CHECK_MPI(MPI_Type_contiguous(elements, element_, &result.type));
        return result;
    }

    /// `blocks` copies of a type, by one of the constructors.
    nested around(random_numbers &random, const nested &inner, int blocks) const {
        const auto how_many = static_cast<std::size_t>(blocks);
        const int stride = 1 + random.below(3);
        nested result{MPI_DATATYPE_NULL, 0, {}};
        std::vector<int> starts(how_many); // in extents of the inner type
        std::iota(starts.begin(), starts.end(), 0);
        for (int &start : starts)
            start *= stride;
        const int kind = random.below(7);
        if (kind >= 2 && kind <= 5)
            shuffle(random, starts);
        if (kind >= 4 && kind <= 5) // some before the buffer's address
            for (int &start : starts)
                start -= 2;
        std::vector<MPI_Aint> displacements(how_many);
        std::ranges::transform(starts, displacements.begin(),
                               [&](int start) { return start * inner.extent * bytes_; });
        const std::vector<int> ones(how_many, 1);
        const std::vector<MPI_Datatype> types(how_many, inner.type);
        switch (kind) {
        case 0:
            CHECK_MPI(MPI_Type_vector(blocks, 1, stride, inner.type, &result.type));
            break;
        case 1:
            CHECK_MPI(
                MPI_Type_create_hvector(blocks, 1, stride * inner.extent * bytes_, inner.type, &result.type));
            break;
        case 2:
            CHECK_MPI(MPI_Type_indexed(blocks, ones.data(), starts.data(), inner.type, &result.type));
            break;
        case 3:
            CHECK_MPI(MPI_Type_create_indexed_block(blocks, 1, starts.data(), inner.type, &result.type));
            break;
        case 4:
            CHECK_MPI(MPI_Type_create_hindexed(blocks, ones.data(), displacements.data(), inner.type,
                                               &result.type));
            break;
        case 5:
            CHECK_MPI(MPI_Type_create_struct(blocks, ones.data(), displacements.data(), types.data(),
                                             &result.type));
            break;
        default: { // a column of a matrix
            const int sizes[] = {blocks, stride};
            const int sub_sizes[] = {blocks, 1};
            const int first[] = {0, stride - 1};
            for (int &start : starts)
                start += stride - 1;
            CHECK_MPI(
                MPI_Type_create_subarray(2, sizes, sub_sizes, first, MPI_ORDER_C, inner.type, &result.type));
            break;
        }
        }
        for (const int start : starts)
            for (const MPI_Aint place : inner.places)
                result.places.push_back(start * inner.extent + place);
        MPI_Aint lower = 0;
        MPI_Aint extent = 0;
        CHECK_MPI(MPI_Type_get_extent(result.type, &lower, &extent));
        result.extent = extent / bytes_;
        return result;
    }

    /// Makes room behind a type.
    void resize(random_numbers &random, nested &outer) const {
        MPI_Aint lower = 0;
        MPI_Aint extent = 0;
        CHECK_MPI(MPI_Type_get_extent(outer.type, &lower, &extent));
        outer.extent += 1 + random.below(4);
        MPI_Datatype wider = MPI_DATATYPE_NULL;
        CHECK_MPI(MPI_Type_create_resized(outer.type, lower, outer.extent * bytes_, &wider));
        CHECK_MPI(MPI_Type_free(&outer.type));
        outer.type = wider;
    }

    static void shuffle(random_numbers &random, std::vector<int> &numbers) {
        for (std::size_t i = numbers.size(); i > 1; --i)
            std::swap(numbers[i - 1], numbers[random.below(i)]);
    }

    MPI_Datatype element_;
    MPI_Aint bytes_ = 0; ///< of an element
    MPI_Datatype type_ = MPI_DATATYPE_NULL;
    int count_ = 1;
    MPI_Aint first_ = 0;
    MPI_Aint span_ = 0;
    std::vector<MPI_Aint> places_;
};
