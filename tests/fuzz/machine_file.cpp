// The files that `evencube simulate --calibrate` writes and --machine reads.

#include <sys/mman.h>
#include <unistd.h>

#include <cmath>

#include "failure.hpp"
#include "machine_file.hpp"
#include "support.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace evencube;
  static const int file = ::memfd_create("machine", MFD_CLOEXEC);
  fuzz::require(
      ::ftruncate(file, 0) == 0 && ::pwrite(file, data, size, 0) == static_cast<ssize_t>(size),
      "the file is written");
  try {
    const auto machine = cli::machine_called("/proc/self/fd/" + std::to_string(file));
    fuzz::require(std::isfinite(machine.costs.measure) && machine.costs.measure >= 0,
                  "a cost is a duration");
    (void)cli::to_json(machine).dump();
    (void)cli::to_text(machine);
    simulator::model model;
    cli::apply(machine, model);
    fuzz::require(model.costs.measure == machine.costs.measure, "costs are taken over");
  } catch (const cli::usage_error&) {
  }
  return 0;
}
