// SPDX-License-Identifier: Apache-2.0
#include "world/pmi/pmix_client.hpp"

#ifdef LISLE_WITH_PMIX

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <pmix.h>
#include <thread>

#include "base/error.hpp"
#include "base/loaded_library.hpp"
#include "mpi.h"

namespace lisle {

namespace {

/// The functions of the client library that are used here. Loaded once; stays until the process ends,
/// because PMIx has threads of its own.
struct pmix_library {
    pmix_library();
    decltype(&PMIx_Init) init;
    decltype(&PMIx_Finalize) finalize;
    decltype(&PMIx_Put) put;
    decltype(&PMIx_Commit) commit;
    decltype(&PMIx_Fence) fence;
    decltype(&PMIx_Get) get;
    decltype(&PMIx_Abort) abort;
    decltype(&PMIx_Error_string) error_string;
};

pmix_library::pmix_library() {
    const loaded_library library{"libpmix.so.2",
                                 "a PMIx launcher started this program, but its client library is not here",
                                 "install libpmix2"};
    library.find(init, "PMIx_Init");
    library.find(finalize, "PMIx_Finalize");
    library.find(put, "PMIx_Put");
    library.find(commit, "PMIx_Commit");
    library.find(fence, "PMIx_Fence");
    library.find(get, "PMIx_Get");
    library.find(abort, "PMIx_Abort");
    library.find(error_string, "PMIx_Error_string");
}

/// A value that PMIx has allocated, with what it refers to.
class answer {
  public:
    explicit answer(pmix_value_t *value) noexcept : value_{value} {}
    answer(answer &&other) noexcept : value_{std::exchange(other.value_, nullptr)} {}
    answer(const answer &) = delete;
    answer &operator=(const answer &) = delete;
    answer &operator=(answer &&) = delete;
    ~answer() {
        if (value_ == nullptr) {
            return;
        }
        if (value_->type == PMIX_STRING) {
            std::free(value_->data.string);
        } else if (value_->type == PMIX_BYTE_OBJECT) {
            std::free(value_->data.bo.bytes);
        }
        std::free(value_);
    }
    explicit operator bool() const noexcept { return value_ != nullptr; }
    const pmix_value_t &operator*() const noexcept { return *value_; }
    const pmix_value_t *operator->() const noexcept { return value_; }

  private:
    pmix_value_t *value_;
};

class pmix_client final : public process_manager {
  public:
    pmix_client();
    ~pmix_client() override { finalize(); }

    [[nodiscard]] std::string name() const override { return "a PMIx launcher (Slurm, PRRTE, orterun)"; }
    [[nodiscard]] int process() const noexcept override { return static_cast<int>(self_.rank); }
    [[nodiscard]] int processes() const noexcept override { return processes_; }
    [[nodiscard]] std::vector<int> nodes() override;
    void put(std::string_view key, std::span<const std::byte> value) override;
    void fence() override;
    [[nodiscard]] std::vector<std::byte> get(int process, std::string_view key) override;
    void abort(int code, const std::string &sentence) noexcept override;
    void finalize() noexcept override;

  private:
    void check(pmix_status_t status, const char *call) const {
        if (status != PMIX_SUCCESS) {
            fail(MPI_ERR_OTHER, call, " failed: ", library_.error_string(status));
        }
    }
    /// What the launcher knows under this key of a process (or of all, PMIX_RANK_WILDCARD), or null.
    [[nodiscard]] answer look_up(pmix_rank_t rank, const std::string &key) const;

    pmix_library library_;
    pmix_proc_t self_{};
    int processes_ = 0;
    bool connected_ = false;
};

pmix_client::pmix_client() {
    check(library_.init(&self_, nullptr, 0), "PMIx_Init");
    connected_ = true;
    const answer size = look_up(PMIX_RANK_WILDCARD, PMIX_JOB_SIZE);
    if (!size || size->type != PMIX_UINT32 || size->data.uint32 <= self_.rank) {
        fail(MPI_ERR_OTHER, "the PMIx launcher does not tell how many processes the job has");
    }
    processes_ = static_cast<int>(size->data.uint32);
}

answer pmix_client::look_up(pmix_rank_t rank, const std::string &key) const {
    pmix_proc_t whom = self_;
    whom.rank = rank;
    pmix_value_t *value = nullptr;
    const pmix_status_t status = library_.get(&whom, key.c_str(), nullptr, 0, &value);
    return answer{status == PMIX_SUCCESS ? value : nullptr};
}

std::vector<int> pmix_client::nodes() {
    std::vector<std::string> names;
    names.reserve(static_cast<std::size_t>(processes_));
    for (int process = 0; process != processes_; ++process) {
        const auto rank = static_cast<pmix_rank_t>(process);
        // Not the name that the machine has: several of a launcher's nodes may be on one machine.
        if (const answer node = look_up(rank, PMIX_NODEID); node && node->type == PMIX_UINT32) {
            names.push_back(std::to_string(node->data.uint32));
        } else if (const answer host = look_up(rank, PMIX_HOSTNAME); host && host->type == PMIX_STRING) {
            names.emplace_back(host->data.string);
        } else {
            return {};
        }
    }
    return number_nodes(names);
}

void pmix_client::put(std::string_view key, std::span<const std::byte> value) {
    pmix_value_t stored{};
    stored.type = PMIX_BYTE_OBJECT;
    // PMIx copies the bytes without writing to them; only its type lacks the const.
    stored.data.bo.bytes = const_cast<char *>(reinterpret_cast<const char *>(value.data()));
    stored.data.bo.size = value.size();
    check(library_.put(PMIX_GLOBAL, sentence("lisle.", key).c_str(), &stored), "PMIx_Put");
}

void pmix_client::fence() {
    check(library_.commit(), "PMIx_Commit");
    pmix_proc_t all = self_;
    all.rank = PMIX_RANK_WILDCARD;
    check(library_.fence(&all, 1, nullptr, 0), "PMIx_Fence");
}

std::vector<std::byte> pmix_client::get(int process, std::string_view key) {
    // Slurm's fence may end a little before the values of other processes are available.
    constexpr int most_tries = 100;
    constexpr std::chrono::milliseconds pause{20};
    const auto ask = [&] { return look_up(static_cast<pmix_rank_t>(process), sentence("lisle.", key)); };
    std::optional<answer> last{ask()};
    for (int tries = 1; !*last && tries < most_tries; ++tries) {
        std::this_thread::sleep_for(pause);
        last.emplace(ask());
    }
    const answer &found = *last;
    if (!found || found->type != PMIX_BYTE_OBJECT) {
        fail(MPI_ERR_OTHER, "process ", process, " of ", processes_, " has put nothing under the key ", key,
             " into the launcher's store");
    }
    const auto *const bytes = reinterpret_cast<const std::byte *>(found->data.bo.bytes);
    return {bytes, bytes + found->data.bo.size};
}

void pmix_client::abort(int code, const std::string &sentence) noexcept {
    static_cast<void>(library_.abort(code, sentence.c_str(), nullptr, 0));
}

void pmix_client::finalize() noexcept {
    if (std::exchange(connected_, false)) {
        static_cast<void>(library_.finalize(nullptr, 0));
    }
}

} // namespace

std::unique_ptr<process_manager> connect_to_pmix() {
    return std::make_unique<pmix_client>();
}

} // namespace lisle

#else

namespace lisle {

std::unique_ptr<process_manager> connect_to_pmix() {
    return nullptr;
}

} // namespace lisle

#endif
