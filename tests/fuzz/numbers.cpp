// Numbers, lists and pairs as the command line reads them, distributions and triggers.

#include <cmath>
#include <cstdlib>
#include <evencube/simulator/distribution.hpp>
#include <limits>
#include <stdexcept>

#include "failure.hpp"
#include "number_text.hpp"
#include "runtime_arguments.hpp"
#include "simulation_arguments.hpp"
#include "support.hpp"
#include "visible_text.hpp"

namespace {

using namespace evencube;

template <typename Read>
void attempt(Read&& read) {
  try {
    read();
  } catch (const cli::usage_error&) {
  } catch (const std::invalid_argument&) {
  }
}

void check_distribution(std::string_view text) {
  const auto read = simulator::distribution::parse(text);
  for (const double u : {1e-9, 0.25, 0.5, 0.999999}) {
    const double drawn = read.sample(u, 3);
    fuzz::require(!std::isnan(drawn) && drawn >= 0, "what is drawn is a duration");
  }
  fuzz::require(read.mean() >= 0 && !(read.variance() < 0), "moments are not negative");
  (void)simulator::distribution::parse(read.text());
}

/// setenv() would keep every value that there ever was.
void check_environment_of(std::string_view text) {
  static std::string kept;
  ::unsetenv("EVENCUBE_WORKERS");
  kept = "EVENCUBE_WORKERS=";
  kept += text;
  fuzz::require(::putenv(kept.data()) == 0, "the environment takes it");
  cli::check_environment();
}

void check_visible(std::string_view text) {
  for (const bool lines : {false, true}) {
    for (const char letter : cli::visible(text, lines)) {
      const bool control = static_cast<unsigned char>(letter) < ' ' || letter == 0x7F;
      fuzz::require(!control || (lines && (letter == '\n' || letter == '\t')),
                    "no control character is shown");
    }
  }
  fuzz::require(cli::visible_and_short(text, 60).size() < 400, "what is long is cut");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::text_of(data, size);
  constexpr std::numeric_limits<std::int64_t> any;
  attempt([&] {
    const auto value = cli::whole_number("--x", text, -5, 1'000'000);
    fuzz::require(value >= -5 && value <= 1'000'000, "a number is in its range");
  });
  attempt([&] { (void)cli::whole_number("--x", text, any.min(), any.max()); });
  attempt([&] { fuzz::require(cli::whole_number("--x", text, 1, any.max()) > 0, "it is one"); });
  attempt([&] { fuzz::require(std::isfinite(cli::real_number("--x", text)), "it is finite"); });
  attempt([&] { fuzz::require(!cli::whole_numbers("--x", text).empty(), "there is one"); });
  attempt([&] { fuzz::require(!cli::real_numbers("--x", text).empty(), "there is one"); });
  attempt([&] { (void)cli::key_values("--x", fuzz::lines_of(text, 8)); });
  attempt([&] { (void)cli::workers_argument(std::string(text)); });
  attempt([&] { check_environment_of(text); });
  attempt([&] { fuzz::require(!cli::share_text(cli::real_number("", text)).empty(), "a share"); });
  attempt([&] { (void)cli::parse_trigger(std::string(text)); });
  attempt([&] {
    simulator::balancing balance;
    cli::set_information(std::string(text), balance);
  });
  attempt([&] { check_distribution(text); });
  attempt([&] { fuzz::require(!cli::duration_text(cli::real_number("", text)).empty(), "time"); });
  check_visible(text);
  return 0;
}
