// SPDX-License-Identifier: Apache-2.0
#include "launch/host/interpose/random.hpp"

namespace lisle::host {

random_state::random_state() {
    initstate_r(1, first_, sizeof first_, &data_);
    // What drand48 starts from without a seed is all zeros with the default factors; seed48 keeps that.
    unsigned short start[3] = {0, 0, 0};
    seed48_r(start, &forty_eight);
}

std::int32_t random_state::draw() {
    const std::scoped_lock lock(mutex_);
    std::int32_t value = 0;
    random_r(&data_, &value);
    return value;
}

void random_state::seed(unsigned value) {
    const std::scoped_lock lock(mutex_);
    srandom_r(value, &data_);
}

char *random_state::use(unsigned seed, char *state, std::size_t size) {
    const std::scoped_lock lock(mutex_);
    char *const former = reinterpret_cast<char *>(&data_.state[-1]);
    return initstate_r(seed, state, size, &data_) == 0 ? former : nullptr;
}

char *random_state::use(char *state) {
    const std::scoped_lock lock(mutex_);
    char *const former = reinterpret_cast<char *>(&data_.state[-1]);
    return setstate_r(state, &data_) == 0 ? former : nullptr;
}

namespace {

/// What a function of the 48-bit family draws from the rank's own state.
template <class Value, class Draw> Value drawn(Draw draw) noexcept {
    Value value{};
    draw(&rank_random.current().forty_eight, &value);
    return value;
}

} // namespace

} // namespace lisle::host

using lisle::host::drawn;
using lisle::host::rank_random;

extern "C" {

int rand() noexcept {
    return rank_random.current().draw();
}
void srand(unsigned seed) noexcept {
    rank_random.current().seed(seed);
}
long random() noexcept {
    return rank_random.current().draw();
}
void srandom(unsigned seed) noexcept {
    rank_random.current().seed(seed);
}
char *initstate(unsigned seed, char *state, std::size_t size) noexcept {
    return rank_random.current().use(seed, state, size);
}
char *setstate(char *state) noexcept {
    return rank_random.current().use(state);
}

double drand48() noexcept {
    return drawn<double>(drand48_r);
}
double erand48(unsigned short from[3]) noexcept {
    return drawn<double>([from](drand48_data *state, double *value) { erand48_r(from, state, value); });
}
long lrand48() noexcept {
    return drawn<long>(lrand48_r);
}
long nrand48(unsigned short from[3]) noexcept {
    return drawn<long>([from](drand48_data *state, long *value) { nrand48_r(from, state, value); });
}
long mrand48() noexcept {
    return drawn<long>(mrand48_r);
}
long jrand48(unsigned short from[3]) noexcept {
    return drawn<long>([from](drand48_data *state, long *value) { jrand48_r(from, state, value); });
}

void srand48(long seed) noexcept {
    srand48_r(seed, &rank_random.current().forty_eight);
}

unsigned short *seed48(unsigned short seed[3]) noexcept {
    drand48_data &data = rank_random.current().forty_eight;
    seed48_r(seed, &data);
    return data.__old_x;
}

void lcong48(unsigned short parameters[7]) noexcept {
    lcong48_r(parameters, &rank_random.current().forty_eight);
}

} // extern "C"
