// SPDX-License-Identifier: Apache-2.0
#include "file/representation.hpp"

#include <algorithm>
#include <limits>
#include <memory>

#include "base/error.hpp"
#include "datatype/builder.hpp"
#include "datatype/checked.hpp"
#include "datatype/copy.hpp"
#include "datatype/elements.hpp"
#include "datatype/external32.hpp"
#include "datatype/predefined.hpp"
#include "execution/rank_local.hpp"
#include "file/element_sequence.hpp"

namespace lisle::file {

namespace {

// Each rank registers functions of its own, even where ranks share a process.
const rank_local<std::vector<std::unique_ptr<representation>>> registered;

const representation *find_predefined(std::string_view name) {
    static const representation internal{"internal", representation::kind::native};
    static const representation external32{"external32", representation::kind::external32};
    for (const representation *known : {&representation::native(), &internal, &external32}) {
        if (known->name() == name) {
            return known;
        }
    }
    return nullptr;
}

const representation *find(std::string_view name) {
    if (const representation *known = find_predefined(name)) {
        return known;
    }
    const auto found = std::ranges::find(*registered, name, [](const auto &one) { return one->name(); });
    return found != registered->end() ? found->get() : nullptr;
}

/// The arguments of a constructor in the order in which origins keep them (api/type_origin.hpp).
class origin_reader {
  public:
    explicit origin_reader(const type_origin &origin) : origin_{origin} {}
    MPI_Count integer() { return origin_.integers[integer_++]; }
    MPI_Count count() { return large() ? origin_.large_counts[large_++] : integer(); }
    MPI_Count address() {
        return large() ? origin_.large_counts[large_++] : MPI_Count{origin_.addresses[address_++]};
    }
    std::vector<MPI_Count> counts(MPI_Count number) {
        std::vector<MPI_Count> read(static_cast<std::size_t>(number));
        std::ranges::generate(read, [this] { return count(); });
        return read;
    }
    std::vector<MPI_Count> addresses(MPI_Count number) {
        std::vector<MPI_Count> read(static_cast<std::size_t>(number));
        std::ranges::generate(read, [this] { return address(); });
        return read;
    }

  private:
    [[nodiscard]] bool large() const noexcept { return !origin_.large_counts.empty(); }
    const type_origin &origin_;
    std::size_t integer_ = 0, address_ = 0, large_ = 0;
};

type_part bytes_part(MPI_Count bytes) {
    type_builder builder;
    builder.add(byte_type().part(), bytes);
    return builder.finish();
}

type_part blocks(const type_part &of, const std::vector<MPI_Count> &lengths,
                 const std::vector<MPI_Count> &displacements, MPI_Count unit) {
    type_builder builder;
    for (std::size_t i = 0; i < displacements.size(); ++i) {
        builder.add(of, lengths[i], checked_product(displacements[i], unit));
    }
    return builder.finish();
}

type_part subarray(type_part element, origin_reader &arguments) {
    const MPI_Count dimensions = arguments.integer();
    const auto sizes = arguments.counts(dimensions), parts = arguments.counts(dimensions),
               starts = arguments.counts(dimensions);
    const bool fortran = arguments.integer() == MPI_ORDER_FORTRAN;
    for (std::size_t step = 0; step < sizes.size(); ++step) {
        const std::size_t i = fortran ? step : sizes.size() - 1 - step;
        const MPI_Count extent = element.bounds.extent;
        type_builder builder;
        builder.add(element, parts[i], checked_product(starts[i], extent));
        element = with_bounds(builder.finish(), 0, checked_product(sizes[i], extent));
    }
    return element;
}

void check_conversion(int error, const std::string &name) {
    if (error != MPI_SUCCESS) {
        fail(MPI_ERR_CONVERSION, "a conversion function of the data representation \"", name, "\" returned ",
             error);
    }
}

} // namespace

const representation &representation::native() {
    static const representation only{"native", kind::native};
    return only;
}

const representation &representation::named(std::string_view name) {
    const representation *const found = find(name);
    if (found == nullptr) {
        fail(MPI_ERR_UNSUPPORTED_DATAREP, "there is no data representation \"", name,
             "\": MPI_Register_datarep has not been called for it");
    }
    return *found;
}

void representation::add(std::string_view name, const conversion_functions &functions) {
    if (name.empty() || name.size() >= MPI_MAX_DATAREP_STRING) {
        fail(MPI_ERR_ARG, "the name of the data representation has ", name.size(),
             " characters; it must have 1 to ", MPI_MAX_DATAREP_STRING - 1);
    }
    if (find(name) != nullptr) {
        fail(MPI_ERR_DUP_DATAREP, "there is a data representation \"", name, "\" already");
    }
    registered->push_back(std::make_unique<representation>(std::string{name}, kind::registered, functions));
}

MPI_Count representation::size_of(const predefined_facts &facts) const {
    if (kind_ == kind::external32) {
        return facts.external_size;
    }
    MPI_Aint extent = 0;
    check_conversion(
        functions_.extent(reinterpret_cast<MPI_Datatype>(facts.handle), &extent, functions_.state), name_);
    if (extent < 0) {
        fail(MPI_ERR_CONVERSION, "the data representation \"", name_, "\" gives ", facts.name,
             " an extent of ", extent, " bytes");
    }
    return extent;
}

bool representation::keeps_sizes(const datatype &type) const {
    element_walk walk{type, 1};
    for (auto step = walk.next(); step.facts != nullptr; step = walk.next()) {
        if (size_of(*step.facts) != step.facts->size) {
            return false;
        }
    }
    return true;
}

type_part representation::part_in_file(const datatype &type) const {
    return type.facts() != nullptr ? bytes_part(size_of(*type.facts())) : derived_part(type);
}

type_part representation::derived_part(const datatype &type) const {
    const type_origin &origin = type.origin();
    origin_reader arguments{origin};
    type_part old = origin.types.empty() ? type_part{} : part_in_file(*origin.types.front());
    const MPI_Count extent = old.bounds.extent;
    type_builder builder;
    switch (origin.combiner) {
    case MPI_COMBINER_DUP:
        return old;
    case MPI_COMBINER_CONTIGUOUS:
        builder.add(old, arguments.count());
        return builder.finish();
    case MPI_COMBINER_VECTOR:
    case MPI_COMBINER_HVECTOR: {
        const MPI_Count count = arguments.count(), length = arguments.count();
        const MPI_Count stride = origin.combiner == MPI_COMBINER_VECTOR
                                     ? checked_product(arguments.count(), extent)
                                     : arguments.address();
        builder.add(old, length, 0, count, stride);
        return builder.finish();
    }
    case MPI_COMBINER_INDEXED: {
        const MPI_Count count = arguments.count();
        const auto lengths = arguments.counts(count);
        return blocks(old, lengths, arguments.counts(count), extent);
    }
    case MPI_COMBINER_HINDEXED: {
        const MPI_Count count = arguments.count();
        const auto lengths = arguments.counts(count);
        return blocks(old, lengths, arguments.addresses(count), 1);
    }
    case MPI_COMBINER_INDEXED_BLOCK: {
        const MPI_Count count = arguments.count(), length = arguments.count();
        return blocks(old, std::vector(static_cast<std::size_t>(count), length), arguments.counts(count),
                      extent);
    }
    case MPI_COMBINER_HINDEXED_BLOCK: {
        const MPI_Count count = arguments.count(), length = arguments.count();
        return blocks(old, std::vector(static_cast<std::size_t>(count), length), arguments.addresses(count),
                      1);
    }
    case MPI_COMBINER_STRUCT: {
        const MPI_Count count = arguments.count();
        const auto lengths = arguments.counts(count), displacements = arguments.addresses(count);
        for (std::size_t i = 0; i < lengths.size(); ++i) {
            builder.add(part_in_file(*origin.types[i]), lengths[i], displacements[i]);
        }
        return builder.finish();
    }
    case MPI_COMBINER_SUBARRAY:
        return subarray(old, arguments);
    case MPI_COMBINER_RESIZED: {
        const MPI_Count lower = arguments.address();
        return with_bounds(old, lower, arguments.address());
    }
    default:
        fail(MPI_ERR_UNSUPPORTED_DATAREP, "in the data representation \"", name_,
             "\" some elements have another size than in memory, and the type was made by a constructor "
             "(combiner ",
             origin.combiner, ") for which Lisle has no layout in such files");
    }
}

ref<const datatype> representation::type_in_file(const datatype &type) const {
    if (!converts() || (type.facts() == nullptr && keeps_sizes(type))) {
        return ref<const datatype>::share(type);
    }
    return ref<const datatype>::adopt(new datatype{part_in_file(type), {}});
}

MPI_Count representation::extent_in_file(const datatype &type) const {
    return type_in_file(type)->extent();
}

MPI_Count representation::size_in_file(const datatype &type) const {
    if (is_section(type) && type.size() != 0) {
        const datatype &element = *type.origin().types.front();
        return checked_product(type.size() / element.size(), size_in_file(element));
    }
    return type_in_file(type)->size();
}

void representation::check_unconverted(const datatype &type, MPI_Count in_file) const {
    if (in_file != type.size()) {
        fail(MPI_ERR_CONVERSION, "the data representation \"", name_,
             "\" has no conversion function, and gives elements of ", type.size(), " bytes a size of ",
             in_file, " in the file");
    }
}

std::vector<std::byte> representation::to_file(const typed_buffer &from) const {
    if (is_section(*from.type) && from.bytes() != 0) {
        const element_sequence sequence{from};
        copy(from, sequence.elements(), 0, from.bytes());
        return to_file(sequence.elements());
    }
    const MPI_Count each = size_in_file(*from.type);
    std::vector<std::byte> converted(static_cast<std::size_t>(checked_product(from.count, each)));
    if (kind_ == kind::external32) {
        pack_external32(from, converted);
        return converted;
    }
    const MPI_Datatype type = datatype_handle(*from.type);
    if (functions_.write != nullptr) {
        check_conversion(
            functions_.write(from.address, type, from.count, converted.data(), 0, functions_.state), name_);
    } else if (functions_.small_write != nullptr) {
        constexpr MPI_Count most = std::numeric_limits<int>::max();
        for (MPI_Count done = 0; done < from.count; done += most) {
            const auto some = static_cast<int>(std::min(most, from.count - done));
            check_conversion(functions_.small_write(from.address, type, some, converted.data() + done * each,
                                                    done, functions_.state),
                             name_);
        }
    } else {
        check_unconverted(*from.type, each);
        pack(from, 0, converted);
    }
    return converted;
}

MPI_Count representation::to_memory(std::span<const std::byte> from, const typed_buffer &to) const {
    if (is_section(*to.type) && to.bytes() != 0) {
        const element_sequence sequence{to};
        const MPI_Count bytes = to_memory(from, sequence.elements());
        copy(sequence.elements(), to, 0, bytes);
        return bytes;
    }
    if (kind_ == kind::external32) {
        return unpack_external32(to, from);
    }
    const MPI_Count each = size_in_file(*to.type);
    const MPI_Count count = each != 0 ? static_cast<MPI_Count>(from.size()) / each : 0;
    const MPI_Datatype type = datatype_handle(*to.type);
    auto *const data = const_cast<std::byte *>(from.data()); // the standard's function type has no const
    if (functions_.read != nullptr) {
        check_conversion(functions_.read(to.address, type, count, data, 0, functions_.state), name_);
    } else if (functions_.small_read != nullptr) {
        constexpr MPI_Count most = std::numeric_limits<int>::max();
        for (MPI_Count done = 0; done < count; done += most) {
            const auto some = static_cast<int>(std::min(most, count - done));
            check_conversion(
                functions_.small_read(to.address, type, some, data + done * each, done, functions_.state),
                name_);
        }
    } else {
        check_unconverted(*to.type, each);
        unpack(to, 0, from.first(static_cast<std::size_t>(count * each)));
    }
    return count * to.type->size();
}

} // namespace lisle::file
