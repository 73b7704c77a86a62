// SPDX-License-Identifier: Apache-2.0
#include <lisle/couple.h>

#include <optional>

#include <lisle/couple.hpp>

struct lisle_model {
    std::optional<lisle::couple::model> inside;
    std::string message;
};

namespace {

template <class Body> int guarded(lisle_model *model, Body body) {
    if (model == nullptr) {
        return -1;
    }
    try {
        if (!model->inside) {
            throw std::logic_error{"the model was not made: " + model->message};
        }
        body(*model->inside);
        return 0;
    } catch (const std::exception &error) {
        model->message = error.what();
        return -1;
    }
}

std::vector<std::string> split(const std::string &names) {
    std::vector<std::string> all;
    std::string name;
    for (const char letter : names + ",") {
        if (letter != ',') {
            name += letter;
        } else if (!name.empty()) {
            all.push_back(std::move(name));
            name.clear();
        }
    }
    return all;
}

} // namespace

const char *lisle_couple_message(const lisle_model *model) {
    return model == nullptr ? "no model" : model->message.c_str();
}

int lisle_couple_init(MPI_Comm comm, const char *name, int64_t period, int64_t offset, const char *connected,
                      lisle_model **model) {
    *model = new lisle_model;
    try {
        (*model)->inside.emplace(comm, lisle::couple::settings{name, period, offset, split(connected)});
        return 0;
    } catch (const std::exception &error) {
        (*model)->message = error.what();
        return -1;
    }
}

int64_t lisle_couple_time(const lisle_model *model) {
    return model != nullptr && model->inside ? model->inside->time() : -1;
}

int lisle_couple_sync(lisle_model *model) {
    return guarded(model, [](auto &inside) { inside.sync(); });
}

int lisle_couple_advance(lisle_model *model) {
    return guarded(model, [](auto &inside) { inside.advance(); });
}

int lisle_couple_post(lisle_model *model, const char *field, const double *values, const int64_t extents[3]) {
    return guarded(model, [&](auto &inside) {
        inside.post(field, lisle::couple::view<const double>{values, extents[0], extents[1], extents[2]});
    });
}

int lisle_couple_read(lisle_model *model, const char *other, const char *field, double *values,
                      int64_t capacity, int64_t extents[3]) {
    return guarded(model, [&](auto &inside) {
        const auto found = inside.template read<double>(other, field);
        if (static_cast<int64_t>(found.values.size()) > capacity) {
            throw std::length_error{"lisle_couple_read: '" + std::string{field} + "' has " +
                                    std::to_string(found.values.size()) + " values, and there is room for " +
                                    std::to_string(capacity)};
        }
        std::ranges::copy(found.values, values);
        std::ranges::copy(found.extents, extents);
    });
}

int lisle_couple_finish(lisle_model **model) {
    int status = 0;
    if (*model != nullptr && (*model)->inside) {
        status = guarded(*model, [](auto &inside) { inside.finish(); });
    }
    delete *model;
    *model = nullptr;
    return status;
}
