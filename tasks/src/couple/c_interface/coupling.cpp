// SPDX-License-Identifier: Apache-2.0
// C's jobs, components and fields. What a component declares is kept until its job begins, since C says it in
// several calls and C++ in one.
#include <array>
#include <limits>
#include <utility>

#include "couple/c_interface/handles.hpp"

namespace couple = lisle::couple;
using couple::detail::answer;
using couple::detail::arguments;
using couple::detail::reject;

namespace lisle::couple::detail {
namespace {

void check_not_declared(const lisle_couple_component &of) {
    if (of.job->is_declared) {
        throw std::logic_error{"couple: \"" + of.inside->name() +
                               "\" declares something after the job has been configured or has begun"};
    }
}

lisle_couple_field &changed(const arguments &given, lisle_couple_field *field) {
    check_not_declared(*given(field, "handle of a field").owner);
    return *field;
}
want &wanted(const arguments &given, lisle_couple_field *field) {
    lisle_couple_field &found = changed(given, field);
    if (want *const inside = std::get_if<want>(&found.what)) {
        return *inside;
    }
    reject(
        "\"" + std::get<offer>(found.what).name + "\" of \"" + found.owner->inside->name() +
        "\" is offered: what it is over time, its lag, its period, its source, its weights and whether it is "
        "iterated are for fields that are wanted");
}

void add(lisle_couple_component &to, std::variant<offer, want> what, lisle_couple_field **handle,
         bool is_kept = false) {
    check_not_declared(to);
    to.fields.push_back({&to, std::move(what), is_kept});
    if (handle != nullptr) {
        *handle = &to.fields.back();
    }
}

void tell(component &of, lisle_couple_field &field) {
    if (want *const wanted = std::get_if<want>(&field.what)) {
        of.wants(std::move(*wanted));
    } else if (field.is_kept) {
        of.keeps(std::move(std::get<offer>(field.what)));
    } else {
        of.offers(std::move(std::get<offer>(field.what)));
    }
}
/// Tells components of what they have declared, once.
void declare(lisle_couple_job &all) {
    if (!std::exchange(all.is_declared, true)) {
        for (auto &[name, each] : all.components) {
            for (lisle_couple_field &field : each.fields) {
                tell(*each.inside, field);
            }
        }
    }
}

} // namespace
} // namespace lisle::couple::detail

using couple::detail::changed;
using couple::detail::wanted;

int lisle_couple_job_make(MPI_Comm all, int count, const char *const own[], lisle_couple_job **job) {
    return answer(__func__, [&](const arguments &given) {
        given.array(own, count, "names of components");
        std::vector<std::string> names;
        for (int at = 0; at != count; ++at) {
            names.push_back(given.text(own[at], "name of a component"));
        }
        auto &place = given(job, "place of the job");
        place = new lisle_couple_job{{all, names}, {}};
    });
}

int lisle_couple_job_component(lisle_couple_job *job, const char *name, lisle_couple_component **component) {
    return answer(__func__, [&](const arguments &given) {
        auto &from = given(job, "job");
        const std::string wanted = given.text(name, "name");
        auto &inside = from.inside[wanted];
        given(component, "place of the component") =
            &from.components.try_emplace(wanted, lisle_couple_component{&from, &inside, {}}).first->second;
    });
}

int lisle_couple_job_begin(lisle_couple_job *job) {
    return answer(__func__, [&](const arguments &given) {
        if (std::exchange(given(job, "job").has_begun, true)) {
            throw std::logic_error{"couple: the job has begun already"};
        }
        couple::detail::declare(*job);
        job->inside.begin();
    });
}

int lisle_couple_job_configure(lisle_couple_job *job, const char *path) {
    return answer(__func__, [&](const arguments &given) {
        couple::detail::declare(given(job, "job"));
        job->inside.configure(given.text(path, "path"));
    });
}

int lisle_couple_job_watch(lisle_couple_job *job) {
    return answer(__func__, [&](const arguments &given) { given(job, "job").inside.watch(); });
}

int lisle_couple_job_draw(lisle_couple_job *job, const char *path) {
    return answer(__func__,
                  [&](const arguments &given) { given(job, "job").inside.draw(given.text(path, "path")); });
}

int lisle_couple_job_save(lisle_couple_job *job, const char *path) {
    return answer(__func__,
                  [&](const arguments &given) { given(job, "job").inside.save(given.text(path, "path")); });
}

int lisle_couple_job_load(lisle_couple_job *job, const char *path) {
    return answer(__func__,
                  [&](const arguments &given) { given(job, "job").inside.load(given.text(path, "path")); });
}

int lisle_couple_job_end(lisle_couple_job **job) {
    return couple::detail::give_up(__func__, job);
}

int lisle_couple_ranks(const lisle_couple_component *component, MPI_Comm *ranks) {
    return answer(__func__, [&](const arguments &given) {
        given(ranks, "place of the communicator") = given(component, "component").inside->ranks();
    });
}

int lisle_couple_runs(lisle_couple_component *component, int64_t period, int64_t offset, int64_t end) {
    return answer(__func__, [&](const arguments &given) {
        given(component, "component").inside->runs({period, offset, end});
    });
}

int lisle_couple_offers(lisle_couple_component *component, const char *name,
                        const lisle_couple_points *points, const void *data, MPI_Datatype type,
                        lisle_couple_field **field) {
    return answer(__func__, [&](const arguments &given) {
        const couple::decomposition &mine = given(points, "handle of points").inside;
        given.array(data, mine.places(), "places of a field");
        couple::offer made{given.text(name, "name"), {const_cast<void *>(data), type}, mine};
        couple::detail::add(given(component, "component"), std::move(made), field);
    });
}

int lisle_couple_keeps(lisle_couple_component *component, const char *name, const lisle_couple_points *points,
                       void *data, MPI_Datatype type, lisle_couple_field **field) {
    return answer(__func__, [&](const arguments &given) {
        const couple::decomposition &mine = given(points, "handle of points").inside;
        given.array(data, mine.places(), "places of a field");
        couple::offer made{given.text(name, "name"), {data, type}, mine};
        couple::detail::add(given(component, "component"), std::move(made), field, true);
    });
}

int lisle_couple_wants(lisle_couple_component *component, const char *name, const lisle_couple_points *points,
                       void *data, MPI_Datatype type, const char *from, lisle_couple_field **field) {
    return answer(__func__, [&](const arguments &given) {
        const couple::decomposition &mine = given(points, "handle of points").inside;
        given.array(data, mine.places(), "places of a field");
        couple::want made{
            given.text(name, "name"), {data, type}, mine, given.text(from, "name of the other component")};
        couple::detail::add(given(component, "component"), std::move(made), field);
    });
}

int lisle_couple_field_levels(lisle_couple_field *field, int64_t levels, int64_t point_stride,
                              int64_t level_stride) {
    return answer(__func__, [&](const arguments &given) {
        if (levels < 1 || point_stride < 1 || level_stride < 0) {
            reject("lisle_couple_field_levels: a field has a level at least, and strides that are not "
                   "negative: " +
                   std::to_string(levels) + ", " + std::to_string(point_stride) + ", " +
                   std::to_string(level_stride));
        }
        std::visit(
            [&](auto &each) {
                each.place.levels = levels;
                each.place.point_stride = point_stride;
                each.place.level_stride = level_stride;
            },
            changed(given, field).what);
    });
}

int lisle_couple_field_unit(lisle_couple_field *field, const char *unit) {
    return answer(__func__, [&](const arguments &given) {
        std::visit([&](auto &each) { each.unit = given.text(unit, "unit"); }, changed(given, field).what);
    });
}

int lisle_couple_field_over_time(lisle_couple_field *field, int how) {
    using couple::over_time;
    constexpr std::array ways{over_time::latest, over_time::linear,  over_time::mean,
                              over_time::sum,    over_time::minimum, over_time::maximum};
    static_assert(
        ways[LISLE_COUPLE_LATEST] == over_time::latest && ways[LISLE_COUPLE_LINEAR] == over_time::linear &&
        ways[LISLE_COUPLE_MEAN] == over_time::mean && ways[LISLE_COUPLE_SUM] == over_time::sum &&
        ways[LISLE_COUPLE_MINIMUM] == over_time::minimum && ways[LISLE_COUPLE_MAXIMUM] == over_time::maximum);
    return answer(__func__, [&](const arguments &given) {
        if (how < 0 || how >= static_cast<int>(ways.size())) {
            reject("lisle_couple_field_over_time: there is no way " + std::to_string(how));
        }
        wanted(given, field).how = ways[static_cast<std::size_t>(how)];
    });
}

int lisle_couple_field_lag(lisle_couple_field *field, int64_t lag) {
    return answer(__func__, [&](const arguments &given) { wanted(given, field).lag = lag; });
}

int lisle_couple_field_every(lisle_couple_field *field, int64_t every) {
    return answer(__func__, [&](const arguments &given) { wanted(given, field).every = every; });
}

int lisle_couple_field_source(lisle_couple_field *field, const char *name) {
    return answer(__func__,
                  [&](const arguments &given) { wanted(given, field).field = given.text(name, "name"); });
}

int lisle_couple_field_weights(lisle_couple_field *field, const lisle_couple_weights *weights) {
    return answer(__func__, [&](const arguments &given) {
        couple::want &to = wanted(given, field);
        to.weights = given(weights, "handle of weights").inside.weights;
        to.regrids = true;
    });
}

int lisle_couple_field_iterated(lisle_couple_field *field) {
    return answer(__func__, [&](const arguments &given) { wanted(given, field).is_iterated = true; });
}

int64_t lisle_couple_time(const lisle_couple_component *component) {
    int64_t time = std::numeric_limits<int64_t>::min();
    answer(__func__, [&](const arguments &given) { time = given(component, "component").inside->time(); });
    return time;
}

int lisle_couple_is_at_end(const lisle_couple_component *component) {
    int is_at_end = -1;
    answer(__func__, [&](const arguments &given) {
        is_at_end = given(component, "component").inside->is_at_end() ? 1 : 0;
    });
    return is_at_end;
}

int lisle_couple_put(lisle_couple_component *component, const char *field) {
    return answer(__func__, [&](const arguments &given) {
        auto &inside = *given(component, "component").inside;
        field != nullptr ? inside.put(field) : inside.put();
    });
}

int lisle_couple_get(lisle_couple_component *component, const char *field) {
    return answer(__func__, [&](const arguments &given) {
        auto &inside = *given(component, "component").inside;
        field != nullptr ? inside.get(field) : inside.get();
    });
}

int lisle_couple_advance(lisle_couple_component *component) {
    return answer(__func__, [&](const arguments &given) { given(component, "component").inside->advance(); });
}

int lisle_couple_settle(lisle_couple_component *component) {
    return answer(__func__, [&](const arguments &given) { given(component, "component").inside->settle(); });
}

int lisle_couple_repeat(lisle_couple_component *component) {
    return answer(__func__, [&](const arguments &given) { given(component, "component").inside->repeat(); });
}
