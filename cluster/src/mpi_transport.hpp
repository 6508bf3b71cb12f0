#pragma once

#include <evencube/cluster/transport.hpp>
#include <memory>

namespace evencube::detail {

/// A transport over MPI's world. `argc` and `argv` must live until it is open.
[[nodiscard]] std::unique_ptr<transport> make_mpi_transport(int& argc, char**& argv);

}  // namespace evencube::detail
