#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "../common/spread.hpp"

/// A round whose tasks carry data. The receiver copies the data, into pages that it touches first,
/// while the workers go on computing. Or the data travels in messages, from rank to rank.
namespace bench::payload {

struct settings {
  std::vector<unsigned> kib{1, 16, 64, 256};
  std::vector<unsigned> ranks{2, 4};
  unsigned workers = 2;
  unsigned repetitions = 9;
  std::string balancer = "dem";
};

/// All in seconds, counted from the moment at which the round was asked for.
struct times {
  double first;  ///< until every worker that had nothing has begun a task
  double even;   ///< until the loads are as planned: the round has ended
  double all;    ///< until the last task has ended
};

struct row {
  bool between_ranks;
  unsigned places;  ///< workers or ranks
  unsigned kib;
  std::string transmission;
  spread first;
  spread even;
  spread all;
  spread even_of_phased;  ///< `even` over that of phased in the same turn; so too below
  spread all_of_phased;
};

/// The tasks that place 0 has at first, for each place.
inline constexpr std::size_t per_place = 32;

[[nodiscard]] std::vector<row> between_workers(const settings& how);

/// The elements of an array in JSON, without its brackets.
[[nodiscard]] std::string json_of(const std::vector<row>& rows);
void print(const std::vector<row>& rows, const settings& how);

/// Measures in turn, the first turn uncounted. `run(transmission)` measures once.
template <typename Run>
[[nodiscard]] std::vector<row> in_turns(const std::vector<std::string>& names, unsigned repetitions,
                                        row like, Run&& run) {
  std::vector<std::vector<double>> first(names.size());
  std::vector<std::vector<double>> even(names.size());
  std::vector<std::vector<double>> all(names.size());
  std::vector<std::vector<double>> even_ratios(names.size());
  std::vector<std::vector<double>> all_ratios(names.size());
  for (unsigned turn = 0; turn <= repetitions; ++turn) {
    std::vector<times> seen;
    times phased{};
    for (const std::string& name : names) {
      seen.push_back(run(name));
      if (name == "phased") phased = seen.back();
    }
    for (std::size_t i = 0; i < names.size() && turn != 0; ++i) {
      first[i].push_back(seen[i].first);
      even[i].push_back(seen[i].even);
      all[i].push_back(seen[i].all);
      even_ratios[i].push_back(seen[i].even / phased.even);
      all_ratios[i].push_back(seen[i].all / phased.all);
    }
  }
  std::vector<row> rows;
  for (std::size_t i = 0; i < names.size(); ++i) {
    like.transmission = names[i];
    like.first = summary(first[i]);
    like.even = summary(even[i]);
    like.all = summary(all[i]);
    like.even_of_phased = summary(even_ratios[i]);
    like.all_of_phased = summary(all_ratios[i]);
    rows.push_back(like);
  }
  return rows;
}

}  // namespace bench::payload
