// SPDX-License-Identifier: Apache-2.0
// SHA-256 and HMAC against the examples of FIPS 180-4 and RFC 4231.
#include "base/sha256.hpp"
#include "base/shared_secret.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

namespace {

using namespace lisle;

std::string text_of(const sha256_digest &bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (const std::byte each : bytes) {
        text += digits[std::to_integer<std::size_t>(each >> 4)];
        text += digits[std::to_integer<std::size_t>(each & std::byte{15})];
    }
    return text;
}

std::span<const std::byte> bytes_of(std::string_view text) {
    return std::as_bytes(std::span{text});
}

std::string sum(std::string_view text, std::size_t piece = 1000) {
    sha256 of;
    while (!text.empty()) {
        const std::size_t here = std::min(piece, text.size());
        of.add(bytes_of(text.substr(0, here)));
        text.remove_prefix(here);
    }
    return text_of(of.finish());
}

TEST(sha256, is_that_of_the_standard) {
    EXPECT_EQ(sum(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(sum("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(sum("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    const std::string million(1000000, 'a');
    for (const std::size_t piece : {63U, 64U, 65U, 1000U}) {
        EXPECT_EQ(sum(million, piece), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    }
}

TEST(sha256, of_any_length_is_the_same_in_any_pieces) {
    std::string text;
    for (int length = 0; length != 200; ++length) {
        EXPECT_EQ(sum(text), sum(text, 7)) << length;
        text += static_cast<char>(length);
    }
}

TEST(hmac, is_that_of_its_examples) {
    const auto of = [](std::string_view key, std::string_view text) {
        const std::array<std::span<const std::byte>, 2> pieces{bytes_of(text.substr(0, 3)),
                                                               bytes_of(text.substr(3))};
        return text_of(hmac(bytes_of(key), pieces));
    };
    EXPECT_EQ(of(std::string(20, '\x0b'), "Hi There"),
              "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    EXPECT_EQ(of("Jefe", "what do ya want for nothing?"),
              "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

TEST(shared_secret, tells_nothing_of_itself_and_differs_by_use) {
    const auto one = make_secret(), other = make_secret();
    ASSERT_TRUE(one && other);
    EXPECT_NE(*one, *other);
    EXPECT_EQ(one->derive("use"), one->derive("use"));
    EXPECT_NE(one->derive("use"), one->derive("other use"));
    EXPECT_NE(one->derive("use"), other->derive("use"));
    EXPECT_NE(one->derive_word("use"), 0U);
}

} // namespace
