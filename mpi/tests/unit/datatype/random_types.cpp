// SPDX-License-Identifier: Apache-2.0
#include "random_types.hpp"

#include <array>
#include <cstdlib>

namespace lisle::test {

namespace {

// Beyond this a map is not made larger: the oracle is slow.
constexpr std::size_t large_map = 300;

count_form random_form(random_source &random) {
    return random_in(random, 0, 1) != 0 ? count_form::large : count_form::small;
}

// An array for either form of a call. Byte displacements are 64-bit in both, so `wide` forces that.
class number_array {
  public:
    number_array(random_source &random, MPI_Count count, MPI_Count low, MPI_Count high) {
        for (MPI_Count i = 0; i < count; ++i) {
            large_.push_back(random_in(random, low, high));
            small_.push_back(static_cast<int>(large_.back()));
        }
    }
    [[nodiscard]] count_list list(count_form form) const {
        return form == count_form::large ? count_list{large_.data()} : count_list{small_.data()};
    }
    [[nodiscard]] count_list wide() const { return count_list{large_.data()}; }
    MPI_Count operator[](MPI_Count i) const { return large_[static_cast<std::size_t>(i)]; }
    void set(MPI_Count i, MPI_Count value) {
        large_[static_cast<std::size_t>(i)] = value;
        small_[static_cast<std::size_t>(i)] = static_cast<int>(value);
    }

  private:
    std::vector<MPI_Count> large_;
    std::vector<int> small_;
};

random_type random_predefined(random_source &random) {
    static const std::array types{
        MPI_BYTE,   MPI_CHAR,           MPI_SHORT,     MPI_INT,        MPI_DOUBLE,    MPI_INT,
        MPI_DOUBLE, MPI_LONG_DOUBLE,    MPI_FLOAT_INT, MPI_DOUBLE_INT, MPI_SHORT_INT, MPI_COMPLEX,
        MPI_INT8_T, MPI_LONG_DOUBLE_INT};
    const MPI_Datatype type = types[static_cast<std::size_t>(random_in(random, 0, types.size() - 1))];
    return {owned_type{type}, map_of(type)};
}

random_type vector_of(random_source &random, const random_type &old, MPI_Count most) {
    const count_form form = random_form(random);
    const MPI_Count count = random_in(random, 0, most), length = random_in(random, 0, 3);
    const bool bytes = random_in(random, 0, 1) != 0;
    const MPI_Count reach = bytes ? 4 * std::abs(old.map.extent()) + 8 : 5;
    const MPI_Count stride = random_in(random, -reach, reach);
    random_type result{owned_type{MPI_DATATYPE_NULL}, {}};
    MPI_Datatype handle;
    if (bytes) {
        api::type_create_hvector(count, length, stride, *old.type, &handle, form);
    } else {
        api::type_vector(count, length, stride, *old.type, &handle, form);
    }
    for (MPI_Count i = 0; i < count; ++i) {
        result.map.append_block(old.map, length, i * stride * (bytes ? 1 : old.map.extent()));
    }
    result.type = owned_type{handle};
    return result;
}

random_type indexed_of(random_source &random, const random_type &old, MPI_Count most) {
    const count_form form = random_form(random);
    const MPI_Count count = random_in(random, 0, most), equal_length = random_in(random, 0, 3);
    const bool bytes = random_in(random, 0, 1) != 0, equal = random_in(random, 0, 1) != 0;
    const MPI_Count extent = old.map.extent(), reach = bytes ? 6 * std::abs(extent) + 8 : 7;
    const number_array lengths{random, count, 0, 3};
    number_array displacements{random, count, -reach, reach};
    if (random_in(random, 0, 2) == 0) { // ascending blocks, some of which touch
        MPI_Count end = 0;
        for (MPI_Count i = 0; i < count; ++i) {
            end += random_in(random, 0, 2) == 0 ? 0 : random_in(random, 0, bytes ? std::abs(extent) : 2);
            displacements.set(i, end);
            end += (equal ? equal_length : lengths[i]) * (bytes ? extent : 1);
        }
    }
    MPI_Datatype handle;
    if (bytes && equal) {
        api::type_create_hindexed_block(count, equal_length, displacements.wide(), *old.type, &handle, form);
    } else if (bytes) {
        api::type_create_hindexed(count, lengths.list(form), displacements.wide(), *old.type, &handle, form);
    } else if (equal) {
        api::type_create_indexed_block(count, equal_length, displacements.list(form), *old.type, &handle,
                                       form);
    } else {
        api::type_indexed(count, lengths.list(form), displacements.list(form), *old.type, &handle, form);
    }
    random_type result{owned_type{handle}, {}};
    for (MPI_Count i = 0; i < count; ++i) {
        result.map.append_block(old.map, equal ? equal_length : lengths[i],
                                displacements[i] * (bytes ? 1 : extent));
    }
    return result;
}

random_type structure_with(random_source &random, random_type first, int depth) {
    const count_form form = random_form(random);
    const MPI_Count count = random_in(random, 0, 4);
    std::vector<random_type> members;
    std::vector<MPI_Datatype> handles;
    const number_array lengths{random, count, 0, 2};
    number_array displacements{random, count, -40, 40};
    const bool packed = random_in(random, 0, 1) != 0;
    MPI_Count end = 0;
    random_type result{owned_type{MPI_DATATYPE_NULL}, {}};
    for (MPI_Count i = 0; i < count; ++i) {
        members.push_back(i == 0 ? std::move(first)
                                 : make_random_type(random, static_cast<int>(random_in(random, 0, depth))));
        if (result.map.entries.size() + 2 * members.back().map.entries.size() > 4 * large_map) {
            members.back() = random_predefined(random);
        }
        const random_type &member = members.back();
        handles.push_back(member.type.handle());
        if (packed) {
            displacements.set(i, end - member.map.lower());
            end += lengths[i] * member.map.extent() + random_in(random, 0, 1) * random_in(random, 0, 8);
        }
        result.map.append_block(member.map, lengths[i], displacements[i]);
    }
    MPI_Datatype handle;
    api::type_create_struct(count, lengths.list(form), displacements.wide(), handles.data(), &handle, form);
    result.type = owned_type{handle};
    return result;
}

random_type subarray_of(random_source &random, const random_type &old) {
    const count_form form = random_form(random);
    const int ndims = static_cast<int>(random_in(random, 1, 3));
    const int order = random_in(random, 0, 1) != 0 ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
    const number_array sizes{random, ndims, 1, 4};
    number_array subsizes{random, ndims, 1, 1}, starts{random, ndims, 0, 0};
    for (int i = 0; i < ndims; ++i) {
        subsizes.set(i, random_in(random, 1, sizes[i]));
        starts.set(i, random_in(random, 0, sizes[i] - subsizes[i]));
    }
    MPI_Datatype handle;
    api::type_create_subarray(ndims, sizes.list(form), subsizes.list(form), starts.list(form), order,
                              *old.type, &handle, form);
    random_type result{owned_type{handle}, {}};
    MPI_Count elements = 1;
    for (int i = 0; i < ndims; ++i) {
        elements *= sizes[i];
    }
    for (MPI_Count at = 0; at < elements; ++at) {
        // Of the elements in memory order, those that lie within the box in every dimension.
        MPI_Count rest = at;
        bool inside = true;
        for (int step = 0; step < ndims; ++step) {
            const int i = order == MPI_ORDER_C ? ndims - 1 - step : step;
            const MPI_Count index = rest % sizes[i];
            rest /= sizes[i];
            inside = inside && index >= starts[i] && index < starts[i] + subsizes[i];
        }
        if (inside) {
            result.map.append(old.map, at * old.map.extent());
        }
    }
    result.map.set_bounds(0, elements * old.map.extent());
    return result;
}

random_type darray_of(random_source &random, const random_type &old) {
    const count_form form = random_form(random);
    const int ndims = static_cast<int>(random_in(random, 1, 3));
    const int order = random_in(random, 0, 1) != 0 ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
    const number_array sizes{random, ndims, 1, 5};
    std::vector<int> kinds, args, grid;
    std::vector<MPI_Count> blocks;
    int processes = 1;
    MPI_Count elements = 1;
    for (int i = 0; i < ndims; ++i) {
        kinds.push_back(static_cast<int>(random_in(random, MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_CYCLIC)));
        grid.push_back(kinds.back() == MPI_DISTRIBUTE_NONE ? 1 : static_cast<int>(random_in(random, 1, 3)));
        const MPI_Count least = (sizes[i] + grid.back() - 1) / grid.back();
        const bool usual = random_in(random, 0, 1) != 0;
        switch (kinds.back()) {
        case MPI_DISTRIBUTE_NONE:
            blocks.push_back(sizes[i]);
            break;
        case MPI_DISTRIBUTE_BLOCK:
            blocks.push_back(usual ? least : random_in(random, least, least + 2));
            break;
        default:
            blocks.push_back(usual ? 1 : random_in(random, 1, 3));
            break;
        }
        args.push_back(usual || kinds.back() == MPI_DISTRIBUTE_NONE ? MPI_DISTRIBUTE_DFLT_DARG
                                                                    : static_cast<int>(blocks.back()));
        processes *= grid.back();
        elements *= sizes[i];
    }
    // A block of 19 elements would look like MPI_DISTRIBUTE_DFLT_DARG; there are none that long.
    const int rank = static_cast<int>(random_in(random, 0, processes - 1));
    MPI_Datatype handle;
    api::type_create_darray(processes, rank, ndims, sizes.list(form), kinds.data(), args.data(), grid.data(),
                            order, *old.type, &handle, form);
    random_type result{owned_type{handle}, {}};
    for (MPI_Count at = 0; at < elements; ++at) {
        // Of the elements in memory order, those that this process owns in every dimension.
        std::vector<MPI_Count> owners(static_cast<std::size_t>(ndims));
        MPI_Count rest = at;
        for (int step = 0; step < ndims; ++step) {
            const auto i = static_cast<std::size_t>(order == MPI_ORDER_C ? ndims - 1 - step : step);
            const MPI_Count size = sizes[static_cast<MPI_Count>(i)];
            owners[i] = rest % size / blocks[i] % grid[i];
            rest /= size;
        }
        MPI_Count owner = 0;
        for (int i = 0; i < ndims; ++i) {
            owner = owner * grid[static_cast<std::size_t>(i)] + owners[static_cast<std::size_t>(i)];
        }
        if (owner == rank) {
            result.map.append(old.map, at * old.map.extent());
        }
    }
    result.map.set_bounds(0, elements * old.map.extent());
    return result;
}

random_type resized_of(random_source &random, const random_type &old) {
    const MPI_Count lower = old.map.lower() + random_in(random, -8, 8);
    const MPI_Count extent =
        random_in(random, 0, 7) == 0 ? -old.map.extent() : old.map.extent() + random_in(random, -4, 24);
    MPI_Datatype handle;
    api::type_create_resized(*old.type, lower, extent, &handle, random_form(random));
    random_type result{owned_type{handle}, old.map};
    result.map.set_bounds(lower, extent);
    return result;
}

} // namespace

int number_of_cases() {
    const char *const set = std::getenv("LISLE_TEST_CASES");
    return set != nullptr ? std::atoi(set) : 3000;
}

random_type make_random_type(random_source &random, int depth) {
    if (depth == 0) {
        return random_predefined(random);
    }
    random_type old = make_random_type(random, depth - 1);
    const bool large = old.map.entries.size() > large_map;
    const MPI_Count most = large ? 1 : 4;
    switch (random_in(random, 0, 9)) {
    case 0: {
        const MPI_Count count = random_in(random, 0, most);
        MPI_Datatype handle;
        api::type_contiguous(count, *old.type, &handle, random_form(random));
        random_type result{owned_type{handle}, {}};
        result.map.append_block(old.map, count, 0);
        return result;
    }
    case 1:
    case 2:
        return vector_of(random, old, most);
    case 3:
    case 4:
        return indexed_of(random, old, most);
    case 5:
        return structure_with(random, std::move(old), depth - 1);
    case 6:
        return large ? std::move(old) : subarray_of(random, old);
    case 7:
        return large ? std::move(old) : darray_of(random, old);
    case 8: {
        MPI_Datatype handle;
        api::type_dup(*old.type, &handle);
        return {owned_type{handle}, std::move(old.map)};
    }
    default:
        return resized_of(random, old);
    }
}

} // namespace lisle::test
