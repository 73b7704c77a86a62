// SPDX-License-Identifier: Apache-2.0
// UCX's protocol layer (UCP), loaded when a job asks for it: nobody else pays for its libraries.
#pragma once

#include <memory>
#include <ucp/api/ucp.h>

namespace lisle::fabric::network {

/// The library of the process. Stays loaded until the process ends: it has threads of its own.
class ucx {
  public:
    /// Throws mpi_error (MPI_ERR_OTHER) with the way out if it cannot be loaded.
    static const ucx &instance();

    decltype(&::ucp_config_read) config_read;
    decltype(&::ucp_config_release) config_release;
    decltype(&::ucp_config_modify) config_modify;
    decltype(&::ucp_init_version) init_version;
    decltype(&::ucp_cleanup) cleanup;
    decltype(&::ucp_worker_create) worker_create;
    decltype(&::ucp_worker_destroy) worker_destroy;
    decltype(&::ucp_worker_get_address) worker_get_address;
    decltype(&::ucp_worker_release_address) worker_release_address;
    decltype(&::ucp_worker_get_efd) worker_get_efd;
    decltype(&::ucp_worker_arm) worker_arm;
    decltype(&::ucp_worker_progress) worker_progress;
    decltype(&::ucp_worker_set_am_recv_handler) worker_set_am_recv_handler;
    decltype(&::ucp_am_send_nbx) am_send;
    decltype(&::ucp_tag_send_nbx) tag_send;
    decltype(&::ucp_tag_recv_nbx) tag_recv;
    decltype(&::ucp_request_cancel) request_cancel;
    decltype(&::ucp_request_check_status) request_check_status;
    decltype(&::ucp_request_free) request_free;
    decltype(&::ucp_ep_create) ep_create;
    decltype(&::ucp_ep_close_nbx) ep_close;
    decltype(&::ucp_ep_flush_nbx) ep_flush;
    decltype(&::ucp_mem_map) mem_map;
    decltype(&::ucp_mem_unmap) mem_unmap;
    decltype(&::ucp_rkey_pack) rkey_pack;
    decltype(&::ucp_rkey_buffer_release) rkey_buffer_release;
    decltype(&::ucp_ep_rkey_unpack) rkey_unpack;
    decltype(&::ucp_rkey_destroy) rkey_destroy;
    decltype(&::ucp_get_nbx) get;
    decltype(&::ucp_put_nbx) put;
    decltype(&::ucs_status_string) status_string;

  private:
    ucx();
};

struct destroy_context {
    void operator()(ucp_context_h made) const noexcept { ucx::instance().cleanup(made); }
};
struct destroy_worker {
    void operator()(ucp_worker_h made) const noexcept { ucx::instance().worker_destroy(made); }
};
struct destroy_key {
    void operator()(ucp_rkey_h made) const noexcept { ucx::instance().rkey_destroy(made); }
};
using owned_context = std::unique_ptr<ucp_context, destroy_context>;
using owned_worker = std::unique_ptr<ucp_worker, destroy_worker>;
using owned_key = std::unique_ptr<ucp_rkey, destroy_key>;

} // namespace lisle::fabric::network
