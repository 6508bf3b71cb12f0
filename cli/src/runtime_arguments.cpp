#include "runtime_arguments.hpp"

#include <fmt/core.h>

#include <cstdlib>
#include <stdexcept>
#include <system_error>

#include <evencube/balancers/registry.hpp>

#include "failure.hpp"
#include "number_text.hpp"

namespace evencube::cli {
namespace {

/// Besides the registered balancers, which only plan, the runtime knows one that needs no plan.
constexpr const char* unplanned = "random_stealing";

void check_balancer(const std::string& name) {
  std::string known = unplanned;
  for (const auto& descriptor : registered_balancers()) {
    if (descriptor.name == name) {
      return;
    }
    known += ", " + descriptor.name;
  }
  if (name != unplanned) {
    throw usage_error{fmt::format("unknown balancer \"{}\"; known: {}", name, known)};
  }
}

}  // namespace

unsigned workers_argument(const std::string& text) {
  if (text == "auto") {
    return 0;
  }
  try {
    return static_cast<unsigned>(whole_number("--workers", text, 1, runtime_options::max_workers));
  } catch (const usage_error& problem) {
    throw usage_error{fmt::format("{}, or auto", problem.what())};
  }
}

void add_workers_option(CLI::App& command, std::string& workers) {
  command
      .add_option("--workers", workers,
                  fmt::format("Worker threads, 1 to {}, or auto: one per core that may be used",
                              runtime_options::max_workers))
      ->capture_default_str();
}

void add_runtime_options(CLI::App& command, runtime_arguments& arguments) {
  add_workers_option(command, arguments.workers);
  command
      .add_option("--balancer", arguments.balancer,
                  "A name of evencube balancers, or random_stealing")
      ->capture_default_str();
  command
      .add_option("--balancer-option", arguments.balancer_options,
                  "key=value of the balancer, repeatable")
      ->allow_extra_args(false);
  command
      .add_option(
          "--transmission", arguments.transmission,
          "How plans are carried out: direct, phased, overlapped, overlapped_rounds or pipelined")
      ->capture_default_str();
}

runtime_options make_runtime_options(const runtime_arguments& arguments) {
  check_balancer(arguments.balancer);
  runtime_options options;
  options.workers = workers_argument(arguments.workers);
  options.balancer = arguments.balancer;
  options.options = key_values("--balancer-option", arguments.balancer_options);
  options.transmission = arguments.transmission;
  return options;
}

void check_environment() {
  const char* const text = std::getenv("EVENCUBE_WORKERS");
  if (text == nullptr || *text == '\0') return;
  try {
    static_cast<void>(whole_number("", text, 1, runtime_options::max_workers));
  } catch (const usage_error&) {
    throw usage_error{fmt::format("EVENCUBE_WORKERS={}: must be a whole number from 1 to {}", text,
                                  runtime_options::max_workers)};
  }
}

std::unique_ptr<runtime> start_runtime(const runtime_options& options) {
  try {
    return std::make_unique<runtime>(options);
  } catch (const std::invalid_argument& problem) {
    throw usage_error{problem.what()};
  } catch (const std::system_error& problem) {
    throw std::runtime_error{fmt::format(
        "cannot start {} worker threads: {}; the processes (ulimit -u) or the address "
        "space (ulimit -v) that this user may have are used up",
        options.workers == 0 ? "the" : std::to_string(options.workers), problem.code().message())};
  }
}

}  // namespace evencube::cli
