#pragma once

#include <string>

#include <evencube/machine.hpp>

namespace evencube::test {

/// True if the library was built for the platform `portable`, which follows no forks, binds no
/// threads, and is not for signal handlers.
inline bool on_portable_platform() { return discover_machine().source == "hardware_concurrency"; }

/// True if the library was built for the platform `windows`, which follows no forks, too.
inline bool on_windows() { return discover_machine().source == "GetProcessAffinityMask"; }

/// True if a forked child may use runtimes.
inline bool follows_forks() { return !on_portable_platform() && !on_windows(); }

}  // namespace evencube::test
