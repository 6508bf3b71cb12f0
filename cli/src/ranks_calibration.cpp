#include "ranks_calibration.hpp"

#include <algorithm>
#include <chrono>

#include "calibration.hpp"
#include "failure.hpp"
#include "measurement.hpp"
#include "ranks_agreement.hpp"

namespace evencube::cli {
namespace {

constexpr int few = 10;
constexpr int many = 101;
constexpr std::size_t small = 1;
constexpr std::size_t large = std::size_t{1} << 20;

}  // namespace

rank_link_measurement::rank_link_measurement(cluster& world)
    : world_{world}, carry_{world.task<cargo, std::uint8_t>("carry", [](const cargo& bytes) {
        return static_cast<std::uint8_t>(bytes.back());
      })} {}

/// The next one leaves when the result of the one before has come. One result is so small that what
/// it takes is that of a message.
double rank_link_measurement::round_trip(std::size_t bytes) {
  using clock = std::chrono::steady_clock;
  cluster_group trips{world_};
  std::vector<double> times;
  int left = few + many;
  clock::time_point begun;
  const auto send = [&] {
    --left;
    cargo one(bytes);
    begun = clock::now();
    trips.spawn(carry_, std::move(one), {.rank = 1});
  };
  if (world_.rank() == 0) send();
  trips.wait([&](const cargo&, std::uint8_t) {
    times.push_back(std::chrono::duration<double>(clock::now() - begun).count());
    if (left > 0) send();
  });
  if (times.empty()) return 0;
  times.erase(times.begin(), times.begin() + few);
  return median_time(std::move(times));
}

traces::rank_link rank_link_measurement::measure() {
  if (world_.size() == 1) return {};
  const double with_little = round_trip(small);
  const double with_much = round_trip(large);
  return {with_little / 2,
          std::max(0.0, with_much - with_little) / static_cast<double>(large - small)};
}

void calibrate_over_ranks(cluster& world, const simulation_arguments& arguments) {
  machine_costs machine;
  agree(world, verdict_of([&] {
          if (world.size() == 1) {
            throw usage_error{
                "--calibrate --cluster needs at least two ranks: start it with mpirun -np 2"};
          }
          if (world.rank() != 0) return;
          require_calibration(arguments);
          machine = calibrate();
        }));
  rank_link_measurement between{world};
  machine.ranks = between.measure();
  agree(world, verdict_of([&] {
          if (world.rank() == 0) tell_calibration(arguments, machine);
        }));
}

}  // namespace evencube::cli
