// SPDX-License-Identifier: Apache-2.0
#include "datatype/elements.hpp"

#include "datatype/checked.hpp"

namespace lisle {

namespace {

bool is_structure(const datatype &type) {
    return type.origin().combiner == MPI_COMBINER_STRUCT;
}

// Both searches below go down the type tree: at each level they pass whole types, as many as fit, and
// go on within the one that does not. `measure` is what must fit, `result` what is counted.
struct quantities {
    MPI_Count measure, result;
};

template <class QuantitiesOf>
MPI_Count count_within(const datatype *type, MPI_Count limit, QuantitiesOf quantities_of) {
    MPI_Count result = 0;
    if (limit == 0) {
        return 0;
    }
    if (quantities_of(*type).measure == 0) {
        return MPI_UNDEFINED;
    }
    for (;;) {
        const quantities all = quantities_of(*type);
        result = checked_sum(result, checked_product(limit / all.measure, all.result));
        limit %= all.measure;
        if (limit == 0) {
            return result;
        }
        if (type->facts() != nullptr) {
            // Inside a basic element, unless it is a pair and exactly the value is there.
            const predefined_facts &facts = *type->facts();
            if (facts.category == type_category::pair) {
                const datatype &value = *predefined_datatypes[facts.value_type - first_predefined_handle];
                const quantities part = quantities_of(value);
                if (limit == part.measure) {
                    return checked_sum(result, part.result);
                }
            }
            return MPI_UNDEFINED;
        }
        const type_origin &origin = type->origin();
        if (!is_structure(*type)) {
            type = origin.types[0];
            continue;
        }
        for (std::size_t i = 0; i < origin.types.size(); ++i) {
            const quantities part = quantities_of(*origin.types[i]);
            const MPI_Count block = part.measure * origin.repetitions[i];
            if (limit < block) {
                type = origin.types[i];
                break;
            }
            limit -= block;
            result = checked_sum(result, checked_product(part.result, origin.repetitions[i]));
        }
        if (limit == 0) {
            return result;
        }
    }
}

} // namespace

MPI_Count elements_in(const datatype &type, MPI_Count bytes) noexcept {
    // Cannot overflow: there are no more elements than bytes.
    return count_within(&type, bytes, [](const datatype &part) {
        return quantities{part.size(), part.elements()};
    });
}

MPI_Count bytes_of_elements(const datatype &type, MPI_Count elements) {
    return count_within(&type, elements, [](const datatype &part) {
        return quantities{part.elements(), part.size()};
    });
}

element_walk::element_walk(const datatype &type, MPI_Count count) : first_{nullptr, 0} {
    if (count > 0 && type.size() > 0) {
        first_ = descend(&type, count);
    }
}

element_walk::step element_walk::descend(const datatype *type, MPI_Count count) {
    while (type->facts() == nullptr) {
        if (is_structure(*type)) {
            frames_.push_back({type, count, 0});
            return {nullptr, 0};
        }
        const datatype *const part = type->origin().types[0];
        count *= type->size() / part->size();
        type = part;
    }
    return {type->facts(), count};
}

element_walk::step element_walk::next() {
    if (first_.facts != nullptr) {
        const step result = first_;
        first_.facts = nullptr;
        return result;
    }
    while (!frames_.empty()) {
        frame &top = frames_.back();
        const type_origin &origin = top.structure->origin();
        if (top.member == origin.types.size()) {
            top.member = 0;
            if (--top.copies == 0) {
                frames_.pop_back();
            }
            continue;
        }
        const datatype *const member = origin.types[top.member];
        const MPI_Count repetitions = origin.repetitions[top.member];
        ++top.member;
        if (repetitions > 0 && member->size() > 0) {
            const step result = descend(member, repetitions);
            if (result.facts != nullptr) {
                return result;
            }
        }
    }
    return {nullptr, 0};
}

} // namespace lisle
