// SPDX-License-Identifier: Apache-2.0
#include "launch/host/interpose/hidden_state.hpp"

#include "launch/host/image/private_object.hpp"

#include <cmath>
#include <cstring>

namespace lisle::host {

namespace {

constexpr auto keep_sign = [](hosted_rank &rank, void *where) {
    int *&sign = rank_hidden_state.of(rank).sign;
    sign = static_cast<int *>(where);
    *sign = 0;
};
const private_objects sign_objects{
    {"signgam", sizeof(int), keep_sign},
    {"__signgam", sizeof(int), keep_sign},
};

} // namespace

} // namespace lisle::host

using lisle::host::rank_hidden_state;

extern "C" {

char *strtok(char *text, const char *separators) noexcept {
    return strtok_r(text, separators, &rank_hidden_state.current().token);
}

int hcreate(std::size_t size) noexcept {
    return hcreate_r(size, &rank_hidden_state.current().table);
}

void hdestroy() noexcept {
    hdestroy_r(&rank_hidden_state.current().table);
}

ENTRY *hsearch(ENTRY item, ACTION action) noexcept {
    ENTRY *found = nullptr;
    return hsearch_r(item, action, &found, &rank_hidden_state.current().table) != 0 ? found : nullptr;
}

double lgamma(double x) noexcept {
    return lgamma_r(x, rank_hidden_state.current().sign);
}
float lgammaf(float x) noexcept {
    return lgammaf_r(x, rank_hidden_state.current().sign);
}
long double lgammal(long double x) noexcept {
    return lgammal_r(x, rank_hidden_state.current().sign);
}
double gamma(double x) noexcept {
    return lgamma(x);
}
float gammaf(float x) noexcept {
    return lgammaf(x);
}
long double gammal(long double x) noexcept {
    return lgammal(x);
}

} // extern "C"
