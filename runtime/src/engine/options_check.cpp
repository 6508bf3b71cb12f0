#include "engine/options_check.hpp"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <system_error>

namespace evencube::detail {

namespace {

[[noreturn]] void bad_workers(const std::string& value) {
  throw std::invalid_argument("workers: " + value + " is not allowed; at least 1, at most " +
                              std::to_string(runtime_options::max_workers));
}

std::string pinned_to(pinning policy) {
  switch (policy) {
    case pinning::cache:
      return "last-level cache";
    case pinning::numa:
      return "NUMA node";
    default:
      return to_string(policy);
  }
}

}  // namespace

runtime_options checked_options(runtime_options options, const machine& hardware,
                                std::string& reason) {
  if (options.workers > runtime_options::max_workers) bad_workers(std::to_string(options.workers));
  if (options.workers == 0) {
    options.workers = hardware.default_workers;
    reason = hardware.reason;
    if (const char* text = std::getenv("EVENCUBE_WORKERS"); text != nullptr && *text != '\0') {
      unsigned n = 0;
      const char* const end = text + std::strlen(text);
      if (const auto read = std::from_chars(text, end, n);
          read.ec != std::errc{} || read.ptr != end || n < 1 || n > runtime_options::max_workers) {
        bad_workers("EVENCUBE_WORKERS=" + std::string(text));
      }
      options.workers = n;
      reason = std::to_string(n) + (n == 1 ? " worker" : " workers") + ": EVENCUBE_WORKERS";
    }
    if (options.workers > runtime_options::max_workers) {
      bad_workers(std::to_string(options.workers) + ", one for each processing unit,");
    }
  } else {
    reason = std::to_string(options.workers) + (options.workers == 1 ? " worker" : " workers") +
             ": as asked; " + std::to_string(hardware.units.size()) + " processing " +
             (hardware.units.size() == 1 ? "unit" : "units") + " allowed";
  }
  if (options.spare_workers > runtime_options::max_spare_workers) {
    throw std::invalid_argument("spare_workers: " + std::to_string(options.spare_workers) +
                                " is not allowed; at most " +
                                std::to_string(runtime_options::max_spare_workers));
  }
  if (options.injection_capacity == 0 || options.injection_capacity > 65534) {
    throw std::invalid_argument(
        "injection_capacity: " + std::to_string(options.injection_capacity) +
        " is not allowed; at least 1, at most 65534");
  }
  if (options.period.count() < 0 || options.period > runtime_options::max_period) {
    throw std::invalid_argument(
        "period: " + std::to_string(options.period.count()) +
        " us is not allowed; 0 (never), or at most " +
        std::to_string(std::chrono::microseconds(runtime_options::max_period).count()) + " us");
  }
  if (options.mode < balancer_mode::automatic || options.mode > balancer_mode::on_demand) {
    throw std::invalid_argument("mode: " + std::to_string(static_cast<int>(options.mode)) +
                                " is no balancer_mode");
  }
  if (options.pin_to < pinning::unit || options.pin_to > pinning::none) {
    throw std::invalid_argument("pin_to: " + std::to_string(static_cast<int>(options.pin_to)) +
                                " is no pinning");
  }
  if (options.hotness < hotness::never || options.hotness > hotness::always) {
    throw std::invalid_argument("hotness: " + std::to_string(static_cast<int>(options.hotness)) +
                                " is not allowed; never, learned or always");
  }
  const bool described = !options.synthetic_machine.empty();
  if (!options.pin || described) options.pin_to = pinning::none;
  if (described) {
    reason += "; placed on the machine \"" + options.synthetic_machine +
              "\" that was described, and not bound";
  } else if (options.pin_to == pinning::none) {
    reason += "; not bound";
  } else if (options.pin_to != pinning::unit) {
    reason += "; each bound to its " + pinned_to(options.pin_to);
  }
  if (options.name.empty()) {
    throw std::invalid_argument("name: an empty one is not allowed; at least one character");
  }
  check_pulls(options.balancer.name(), options.pulls);
  options.options = chosen_options(options.balancer, options.options);
  options.balancer = std::string(options.balancer.name());
  return options;
}

void check_pulls(const std::string& balancer, bool pulls) {
  if (pulls || balancer != "random_stealing") return;
  throw std::invalid_argument(
      "pulls: off is not allowed with the balancer \"random_stealing\", which moves tasks by pulls "
      "alone; on, or another balancer");
}

}  // namespace evencube::detail
