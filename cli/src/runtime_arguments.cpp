#include "runtime_arguments.hpp"

#include <fmt/core.h>

#include "failure.hpp"
#include "number_text.hpp"

namespace evencube::cli {

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
  runtime_options options;
  options.workers = workers_argument(arguments.workers);
  options.balancer = arguments.balancer;
  options.options = key_values("--balancer-option", arguments.balancer_options);
  options.transmission = arguments.transmission;
  return options;
}

}  // namespace evencube::cli
