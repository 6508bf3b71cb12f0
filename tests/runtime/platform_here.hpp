#pragma once

#include <string>

#include <evencube/machine.hpp>

namespace evencube::test {

/// True if the library was built for the platform `portable`, which follows no forks, binds no
/// threads, and is not for signal handlers.
inline bool on_portable_platform() { return discover_machine().source == "hardware_concurrency"; }

}  // namespace evencube::test
