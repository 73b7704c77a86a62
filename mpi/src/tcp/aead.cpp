// SPDX-License-Identifier: Apache-2.0
#include "tcp/aead.hpp"

#include <cstring>
#include <dlfcn.h>
#include <new>
#include <string>

#include "base/error.hpp"
#include "mpi.h"

namespace lisle::tcp {

namespace {

// As in openssl/evp.h, since 1.1.
constexpr int get_tag = 0x10;
constexpr int set_tag = 0x11;

/// The functions of libcrypto that are used here, with its pointers to opaque types.
struct openssl {
    using update = int(void *, unsigned char *, int *, const unsigned char *, int);
    using initialise = int(void *, const void *, void *, const unsigned char *, const unsigned char *);
    using end = int(void *, unsigned char *, int *);

    void *(*new_context)() = nullptr;
    void (*free_context)(void *) = nullptr;
    const void *(*aes_256_gcm)() = nullptr;
    int (*control)(void *, int, int, void *) = nullptr;
    initialise *begin_sealing = nullptr, *begin_opening = nullptr;
    update *seal = nullptr, *open = nullptr;
    end *end_sealing = nullptr, *end_opening = nullptr;
    std::string problem; ///< empty: all are there

    openssl() {
        void *library = dlopen("libcrypto.so.3", RTLD_NOW | RTLD_LOCAL);
        library = library != nullptr ? library : dlopen("libcrypto.so.1.1", RTLD_NOW | RTLD_LOCAL);
        if (library == nullptr) {
            problem = dlerror();
            return;
        }
        find(library, "EVP_CIPHER_CTX_new", new_context);
        find(library, "EVP_CIPHER_CTX_free", free_context);
        find(library, "EVP_aes_256_gcm", aes_256_gcm);
        find(library, "EVP_CIPHER_CTX_ctrl", control);
        find(library, "EVP_EncryptInit_ex", begin_sealing);
        find(library, "EVP_DecryptInit_ex", begin_opening);
        find(library, "EVP_EncryptUpdate", seal);
        find(library, "EVP_DecryptUpdate", open);
        find(library, "EVP_EncryptFinal_ex", end_sealing);
        find(library, "EVP_DecryptFinal_ex", end_opening);
    }

  private:
    template <class Function> void find(void *library, const char *name, Function *&into) {
        into = reinterpret_cast<Function *>(dlsym(library, name));
        if (into == nullptr) {
            problem = dlerror();
        }
    }
};

const openssl &loaded() {
    static const openssl once;
    return once;
}

unsigned char *bytes_at(std::byte *at) noexcept {
    return reinterpret_cast<unsigned char *>(at);
}
const unsigned char *bytes_at(const std::byte *at) noexcept {
    return reinterpret_cast<const unsigned char *>(at);
}

} // namespace

void require_openssl() {
    if (const std::string &problem = loaded().problem; !problem.empty()) {
        fail(MPI_ERR_OTHER,
             "LISLE_NETWORK_SECURITY needs OpenSSL's libcrypto.so.3 (Debian's package libssl3): ", problem);
    }
}

void aead::release::operator()(void *context) const noexcept {
    loaded().free_context(context);
}

aead::aead(work does, const sha256_digest &key) : does_{does}, context_{loaded().new_context()} {
    const auto begin = does_ == work::seals ? loaded().begin_sealing : loaded().begin_opening;
    if (context_ == nullptr ||
        begin(context_.get(), loaded().aes_256_gcm(), nullptr, bytes_at(key.data()), nullptr) != 1) {
        throw std::bad_alloc{};
    }
}

bool aead::begin() noexcept {
    std::array<std::byte, 12> nonce{};
    std::memcpy(nonce.data(), &texts_, sizeof texts_);
    ++texts_;
    const auto begin = does_ == work::seals ? loaded().begin_sealing : loaded().begin_opening;
    return begin(context_.get(), nullptr, nullptr, nullptr, bytes_at(nonce.data())) == 1;
}

bool aead::add_plain(std::span<const std::byte> bytes) noexcept {
    const auto add = does_ == work::seals ? loaded().seal : loaded().open;
    int count = 0;
    return add(context_.get(), nullptr, &count, bytes_at(bytes.data()), static_cast<int>(bytes.size())) == 1;
}

bool aead::add_hidden(std::span<const std::byte> bytes, std::byte *to) noexcept {
    const auto add = does_ == work::seals ? loaded().seal : loaded().open;
    int count = 0;
    return add(context_.get(), bytes_at(to), &count, bytes_at(bytes.data()),
               static_cast<int>(bytes.size())) == 1;
}

bool aead::finish(tag &made) noexcept {
    std::array<unsigned char, 16> nothing{};
    int count = 0;
    return loaded().end_sealing(context_.get(), nothing.data(), &count) == 1 &&
           loaded().control(context_.get(), get_tag, static_cast<int>(made.size()), made.data()) == 1;
}

bool aead::check(const tag &said) noexcept {
    tag expected = said;
    std::array<unsigned char, 16> nothing{};
    int count = 0;
    return loaded().control(context_.get(), set_tag, static_cast<int>(expected.size()), expected.data()) ==
               1 &&
           loaded().end_opening(context_.get(), nothing.data(), &count) == 1;
}

} // namespace lisle::tcp
