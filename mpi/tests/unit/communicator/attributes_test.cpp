// SPDX-License-Identifier: Apache-2.0
// The rules of attribute callbacks.
#include <gtest/gtest.h>

#include <string>

#include "../error_code.hpp"
#include "base/error.hpp"
#include "communicator/attributes.hpp"

namespace {

using namespace lisle;

/// What the callbacks did, in order: "c" copied, "d" deleted, each with the value.
std::string events;
int delete_answer = MPI_SUCCESS;
int copy_answer = MPI_SUCCESS;

int value_of(void *value) {
    return *static_cast<int *>(value);
}

int on_copy(MPI_Comm, int, void *extra_state, void *in, void *out, int *flag) {
    if (copy_answer != MPI_SUCCESS) {
        return copy_answer;
    }
    events += sentence("c", value_of(in), " ");
    *static_cast<void **>(out) = extra_state != nullptr ? extra_state : in;
    *flag = 1;
    return MPI_SUCCESS;
}

int on_delete(MPI_Comm, int, void *value, void *) {
    events += sentence("d", value_of(value), " ");
    return delete_answer;
}

class attribute_rules : public testing::Test {
  protected:
    void SetUp() override {
        events.clear();
        delete_answer = copy_answer = MPI_SUCCESS;
        key_ = create_keyval<MPI_Comm>(on_copy, on_delete, nullptr);
    }

    MPI_Comm comm_ = MPI_COMM_SELF;
    MPI_Comm copy_ = MPI_COMM_WORLD;
    int key_ = MPI_KEYVAL_INVALID;
    int one_ = 1;
    int two_ = 2;
    int three_ = 3;
    void *value_ = nullptr;
};

TEST_F(attribute_rules, replacing_deletes_the_former_value) {
    attribute_set set;
    EXPECT_FALSE(set.get(keyval_kind::comm, key_, &value_));
    set.set(comm_, key_, &one_);
    set.set(comm_, key_, &two_);
    EXPECT_EQ(events, "d1 ");
    EXPECT_TRUE(set.get(keyval_kind::comm, key_, &value_));
    EXPECT_EQ(value_, &two_);
    set.erase(comm_, key_);
    EXPECT_EQ(events, "d1 d2 ");
    EXPECT_EQ(code_of([&] { set.erase(comm_, key_); }), MPI_ERR_KEYVAL);
}

TEST_F(attribute_rules, the_end_deletes_in_reverse_order_of_setting) {
    attribute_set set;
    const int second = create_keyval<MPI_Comm>(MPI_COMM_NULL_COPY_FN, on_delete, nullptr);
    const int third = create_keyval<MPI_Comm>(MPI_COMM_NULL_COPY_FN, on_delete, nullptr);
    set.set(comm_, key_, &one_);
    set.set(comm_, second, &two_);
    set.set(comm_, third, &three_);
    set.set(comm_, key_, &one_); // now the latest
    events.clear();
    set.clear(comm_);
    EXPECT_EQ(events, "d1 d3 d2 ");
}

TEST_F(attribute_rules, copy_functions_decide) {
    const int never = create_keyval<MPI_Comm>(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, nullptr);
    const int always = create_keyval<MPI_Comm>(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, nullptr);
    const int other = create_keyval<MPI_Comm>(on_copy, on_delete, &three_);
    attribute_set set;
    attribute_set duplicate;
    set.set(comm_, never, &one_);
    set.set(comm_, always, &two_);
    set.set(comm_, other, &one_);
    set.copy_to(duplicate, comm_, copy_);
    EXPECT_EQ(events, "c1 ");
    EXPECT_FALSE(duplicate.get(keyval_kind::comm, never, &value_));
    EXPECT_TRUE(duplicate.get(keyval_kind::comm, always, &value_));
    EXPECT_EQ(value_, &two_);
    EXPECT_TRUE(duplicate.get(keyval_kind::comm, other, &value_));
    EXPECT_EQ(value_, &three_);
}

TEST_F(attribute_rules, failed_deletion_keeps_the_attribute) {
    attribute_set set;
    set.set(comm_, key_, &one_);
    delete_answer = MPI_ERR_OTHER;
    EXPECT_EQ(code_of([&] { set.clear(comm_); }), MPI_ERR_OTHER);
    EXPECT_EQ(code_of([&] { set.set(comm_, key_, &two_); }), MPI_ERR_OTHER);
    EXPECT_TRUE(set.get(keyval_kind::comm, key_, &value_));
    EXPECT_EQ(value_, &one_);
    delete_answer = MPI_SUCCESS;
    set.clear(comm_);
    EXPECT_FALSE(set.get(keyval_kind::comm, key_, &value_));
}

TEST_F(attribute_rules, failed_copy_takes_back_what_was_copied) {
    const int failing = create_keyval<MPI_Comm>(
        [](MPI_Comm, int, void *, void *, void *, int *) { return 12345; }, on_delete, nullptr);
    attribute_set set;
    attribute_set duplicate;
    set.set(comm_, key_, &one_);
    set.set(comm_, failing, &two_);
    EXPECT_EQ(code_of([&] { set.copy_to(duplicate, comm_, copy_); }), 12345);
    EXPECT_EQ(events, "c1 d1 ");
    EXPECT_FALSE(duplicate.get(keyval_kind::comm, key_, &value_));
}

TEST_F(attribute_rules, freed_keys_live_as_long_as_values) {
    attribute_set set;
    attribute_set duplicate;
    set.set(comm_, key_, &one_);
    free_keyval(keyval_kind::comm, key_);
    free_keyval(keyval_kind::comm, key_); // harmless while the key lives
    EXPECT_TRUE(set.get(keyval_kind::comm, key_, &value_));
    set.copy_to(duplicate, comm_, copy_);
    set.clear(comm_);
    EXPECT_TRUE(duplicate.get(keyval_kind::comm, key_, &value_));
    duplicate.erase(copy_, key_);
    EXPECT_EQ(events, "c1 d1 d1 ");
    EXPECT_EQ(code_of([&] { set.set(comm_, key_, &one_); }), MPI_ERR_KEYVAL);
    EXPECT_EQ(code_of([&] { free_keyval(keyval_kind::comm, key_); }), MPI_ERR_KEYVAL);
}

TEST_F(attribute_rules, keys_are_for_one_sort_of_object) {
    attribute_set set;
    EXPECT_EQ(code_of([&] { set.set(MPI_INT, key_, &one_); }), MPI_ERR_KEYVAL);
    EXPECT_EQ(code_of([&] { (void)set.get(keyval_kind::win, key_, &value_); }), MPI_ERR_KEYVAL);
    EXPECT_EQ(code_of([&] { set.set(comm_, MPI_KEYVAL_INVALID, &one_); }), MPI_ERR_KEYVAL);
    EXPECT_EQ(code_of([&] { free_keyval(keyval_kind::type, key_); }), MPI_ERR_KEYVAL);
}

TEST_F(attribute_rules, callbacks_may_use_attributes) {
    static attribute_set *current;
    static int other;
    attribute_set set;
    current = &set;
    other = create_keyval<MPI_Comm>(MPI_COMM_NULL_COPY_FN, on_delete, nullptr);
    const int meddling = create_keyval<MPI_Comm>(
        MPI_COMM_NULL_COPY_FN,
        [](MPI_Comm comm, int, void *, void *) -> int {
            current->erase(comm, other);
            return MPI_SUCCESS;
        },
        nullptr);
    set.set(comm_, other, &two_);
    set.set(comm_, meddling, &one_);
    set.clear(comm_);
    EXPECT_EQ(events, "d2 ");
}

TEST_F(attribute_rules, many_keys_come_and_go) {
    attribute_set set;
    for (int i = 0; i < 100000; ++i) {
        const int key = create_keyval<MPI_Comm>(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, nullptr);
        set.set(comm_, key, &one_);
        set.erase(comm_, key);
        free_keyval(keyval_kind::comm, key);
    }
    EXPECT_FALSE(set.get(keyval_kind::comm, key_, &value_));
}

} // namespace
