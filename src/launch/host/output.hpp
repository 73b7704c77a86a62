// SPDX-License-Identifier: Apache-2.0
#pragma once
namespace lisle::host {
struct hosted_rank;
void flush_output(hosted_rank &rank);
} // namespace lisle::host
