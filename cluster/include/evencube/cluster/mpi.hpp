#pragma once

// Without MPI this header is empty, so it compiles everywhere.
#if __has_include(<mpi.h>)

#include <mpi.h>

#include <memory>

#include <evencube/cluster.hpp>

namespace evencube::detail {

/// Allows a cluster over an MPI communicator: `evencube::cluster world(MPI_COMM_WORLD);`.
template <>
struct communicator<MPI_Comm> {
  static std::unique_ptr<transport> transport_over(MPI_Comm ranks) {
    return make_mpi_transport(MPI_Comm_c2f(ranks));
  }
};

}  // namespace evencube::detail

#endif
