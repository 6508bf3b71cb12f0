#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include <evencube/balancers/locality.hpp>
#include <evencube/evencube.hpp>

#include "kit.hpp"
#include "samples.hpp"

namespace evencube::papers {
namespace {

// Mehrotra, Ranka, Wang 1992, Section 4: the conditional loop over an array in blocks, on threads.
// Each thread lists the elements of its block for which the condition holds, the lists are moved by
// one of the three approaches until they are equally long, and each thread computes its own.

constexpr unsigned threads = 8;
constexpr std::size_t elements = 4096;  // M, of each thread

/// An element for which the condition holds: its place in the order of all such, and its index.
struct item {
  load_type place;
  std::size_t index;
};
using item_list = std::vector<item>;

struct input {
  std::vector<double> values;
  std::vector<item_list> lists;  // by thread

  [[nodiscard]] std::vector<load_type> loads() const {
    std::vector<load_type> all;
    for (const item_list& list : lists) all.push_back(static_cast<load_type>(list.size()));
    return all;
  }
};

/// Draws an array whose condition holds with probability[k] in the block of thread k.
input draw_input(std::uint64_t seed, std::uint32_t index,
                 const std::array<double, threads>& probability) {
  random_stream random(seed, random_purpose::sampling, index);
  input drawn;
  drawn.lists.resize(threads);
  load_type place = 0;
  for (std::size_t i = 0; i < threads * elements; ++i) {
    drawn.values.push_back(random.uniform());
    const std::size_t block = i / elements;
    if (random.uniform() < probability[block]) drawn.lists[block].push_back({place++, i});
  }
  return drawn;
}

/// f(A[i - 1], A[i], A[i + 1]), with old values on the right-hand side.
double computed(const std::vector<double>& values, std::size_t i) {
  const double before = values[i == 0 ? i : i - 1];
  const double after = values[i + 1 == values.size() ? i : i + 1];
  return 0.25 * before + 0.5 * values[i] + 0.25 * after;
}

/// Carries out the steps of a movement. In each step the senders take the items of their packets
/// out of their lists, and then the receivers put them into theirs.
void carry_out(runtime& rt, const movement& moved, std::vector<item_list>& lists) {
  const auto each_thread = [&](auto&& body) {
    rt.run([&] { parallel_for(std::size_t{0}, lists.size(), body); });
  };
  const auto by_place = [](const item& a, const item& b) { return a.place < b.place; };
  for (const auto& step : moved.steps) {
    std::vector<item_list> in_transit(step.size());
    each_thread([&](std::size_t k) {
      for (std::size_t p = 0; p < step.size(); ++p) {
        if (step[p].from != k) continue;
        const auto first =
            std::lower_bound(lists[k].begin(), lists[k].end(), item{step[p].first, 0}, by_place);
        const auto last = std::lower_bound(first, lists[k].end(),
                                           item{step[p].first + step[p].count, 0}, by_place);
        in_transit[p].assign(first, last);
        lists[k].erase(first, last);
      }
    });
    each_thread([&](std::size_t k) {
      for (std::size_t p = 0; p < step.size(); ++p) {
        if (step[p].to != k) continue;
        const auto at =
            std::lower_bound(lists[k].begin(), lists[k].end(), item{step[p].first, 0}, by_place);
        lists[k].insert(at, in_transit[p].begin(), in_transit[p].end());
      }
    });
  }
}

/// Whether each thread has exactly its block of the items, in their order.
bool in_blocks(const std::vector<item_list>& lists, load_type total) {
  const auto starts = block_starts(total, lists.size());
  for (std::size_t k = 0; k < lists.size(); ++k) {
    load_type place = starts[k];
    for (const item& one : lists[k]) {
      if (one.place != place++) return false;
    }
    if (place != starts[k + 1]) return false;
  }
  return true;
}

/// Whether the threads compute what one thread computes.
bool same_result(runtime& rt, const input& drawn, const std::vector<item_list>& lists) {
  std::vector<double> parallel = drawn.values;
  rt.run([&] {
    parallel_for(std::size_t{0}, lists.size(), [&](std::size_t k) {
      for (const item& one : lists[k]) parallel[one.index] = computed(drawn.values, one.index);
    });
  });
  std::vector<double> serial = drawn.values;
  for (const item_list& list : drawn.lists) {
    for (const item& one : list) serial[one.index] = computed(drawn.values, one.index);
  }
  return parallel == serial;
}

struct named_approach {
  const char* name;
  const char* section;
  movement_approach how;
};
constexpr std::array approaches{
    named_approach{"concatenated", "Approach 1, Section 2.1", movement_approach::concatenated},
    named_approach{"counted", "Approach 2, Section 2.2", movement_approach::counted},
    named_approach{"by distance", "Approach 3, Section 2.3", movement_approach::by_distance}};

struct named_input {
  const char* name;
  std::array<double, threads> probability;
};
constexpr std::array inputs{
    named_input{"p = 0.5 everywhere", {0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5}},
    named_input{"p = 0.9 in two blocks, 0.05 elsewhere",
                {0.9, 0.9, 0.05, 0.05, 0.05, 0.05, 0.05, 0.05}}};

/// What one approach did with the draws of one input.
struct tally {
  std::size_t in_blocks = 0;
  std::size_t same_result = 0;
  std::size_t in_bound = 0;  // of approach 1
  double startups = 0;
  double items = 0;
  double hops = 0;
  double longest_before = 0;
  double longest_after = 0;
};

/// The price of one direction is at most D startups and D (D + 1) / 2 packets.
bool within_bound(const movement& moved, const std::vector<load_type>& loads) {
  const auto [left, right] = max_shift(loads);
  const auto packet = *std::max_element(loads.begin(), loads.end());
  const auto steps = static_cast<load_type>(left + right);
  const auto packets = static_cast<load_type>(left * (left + 1) / 2 + right * (right + 1) / 2);
  return moved.cost.startups <= steps && moved.cost.items <= packets * packet;
}

tally try_approach(runtime& rt, movement_approach how, const named_input& from, std::size_t draws,
                   std::uint64_t seed) {
  tally t;
  for (std::size_t i = 0; i < draws; ++i) {
    const input drawn = draw_input(seed, static_cast<std::uint32_t>(i), from.probability);
    const auto loads = drawn.loads();
    const movement moved = move_packets(how, loads);
    std::vector<item_list> lists = drawn.lists;
    carry_out(rt, moved, lists);
    const auto longest = [](const std::vector<item_list>& of) {
      std::size_t most = 0;
      for (const item_list& list : of) most = std::max(most, list.size());
      return static_cast<double>(most);
    };
    load_type total = 0;
    for (const load_type load : loads) total += load;
    t.in_blocks += in_blocks(lists, total) ? 1U : 0U;
    t.same_result += same_result(rt, drawn, lists) ? 1U : 0U;
    t.in_bound += within_bound(moved, loads) ? 1U : 0U;
    const double share = 1 / static_cast<double>(draws);
    t.startups += share * static_cast<double>(moved.cost.startups);
    t.items += share * static_cast<double>(moved.cost.items);
    t.hops += share * static_cast<double>(moved.cost.transfers);
    t.longest_before += share * longest(drawn.lists);
    t.longest_after += share * longest(lists);
  }
  return t;
}

}  // namespace

void mehrotra_loop(notebook& book) {
  const std::size_t draws = book.sized(4, 50);
  book.done.method =
      "The loop runs on threads: each holds a block of the array and lists its elements for which "
      "the condition is true. The lists are moved by each of the three approaches, step by step, "
      "all threads at once, until every thread has its share in the order of the array; then all "
      "threads compute. The result is compared with that of one thread. The prices are in startups "
      "(tau) and items (phi S), the largest of each step.";
  book.done.parameters = {
      {"threads", fmt::to_string(threads), "ours"},
      {"M", fmt::to_string(elements), "Section 4"},
      {"p", "0.5; in a second input 0.9 in two blocks and 0.05 elsewhere", "Section 4; ours"},
      {"values on the right-hand side of the loop", "old ones", "ours"},
      {"draws", fmt::to_string(draws), "ours"}};
  runtime rt({.workers = threads, .pin = false});
  data_table& table =
      book.table("loop", {"input", "approach", "startups", "items", "packet-hops",
                          "most items of a thread before", "most items of a thread after"});
  for (const named_approach& approach : approaches) {
    tally all;
    for (const named_input& from : inputs) {
      const tally t = try_approach(rt, approach.how, from, draws, book.seed());
      add(table, from.name, approach.name, fixed(t.startups, 1), fixed(t.items, 1),
          fixed(t.hops, 1), fixed(t.longest_before, 1), fixed(t.longest_after, 1));
      all.in_blocks += t.in_blocks;
      all.same_result += t.same_result;
      all.in_bound += t.in_bound;
    }
    const std::size_t count = draws * inputs.size();
    const auto of = [&](std::size_t good) {
      return fmt::format("so in {} of {} draws", good, count);
    };
    const std::string name = std::string(", ") + approach.section;
    book.row("shares on threads" + name, "equal, in the order of the array",
             proven(all.in_blocks == count, of(all.in_blocks)));
    book.row("result of the loop" + name, "that of one thread",
             proven(all.same_result == count, of(all.same_result)));
    if (approach.how != movement_approach::concatenated) continue;
    book.row("cost of one direction" + name, "O(D tau + D^2 phi S)",
             claim(all.in_bound == count,
                   fmt::format("at most D tau + D (D + 1) / 2 phi S in {} of {} draws",
                               all.in_bound, count)),
             "The paper prints D (D - 1) / 2; its sum over the steps gives D (D + 1) / 2.");
  }
}

}  // namespace evencube::papers
