#include <evencube/cluster/detail/object_moves.hpp>

#include <algorithm>
#include <evencube/balancers/plan_tools.hpp>
#include <evencube/balancers/registry.hpp>
#include <evencube/balancers/topology.hpp>
#include <evencube/balancers/whole_tasks.hpp>
#include <vector>

namespace evencube::detail {
namespace {

/// The objects of each rank, the largest first.
class shelves {
 public:
  shelves(std::span<placed_object> all, unsigned ranks) : of_(ranks) {
    for (placed_object& one : all) of_[one.rank].push_back(&one);
    for (shelf& each : of_) std::sort(each.begin(), each.end(), larger);
  }

  /// Takes the largest objects of a rank that bring `quanta` nearer to 0.
  std::vector<placed_object*> take(node_id from, load_type quanta) {
    std::vector<placed_object*> taken;
    std::erase_if(of_[from], [&](placed_object* one) {
      if (!takes_whole_task(quanta, one->load)) return false;
      quanta -= one->load;
      taken.push_back(one);
      return true;
    });
    return taken;
  }
  void put(node_id to, const std::vector<placed_object*>& come) {
    shelf& here = of_[to];
    here.insert(here.end(), come.begin(), come.end());
    std::sort(here.begin(), here.end(), larger);
    for (placed_object* one : come) one->rank = to;
  }
  /// Moves the smallest object of a rank, which lies nearest to any amount. Returns its load.
  load_type move_one(node_id from, node_id to) {
    if (of_[from].empty()) return 0;
    placed_object* const one = of_[from].back();
    of_[from].pop_back();
    put(to, {one});
    return one->load;
  }
  [[nodiscard]] std::vector<load_type> loads() const {
    std::vector<load_type> all;
    for (const shelf& each : of_) {
      load_type sum = 0;
      for (const placed_object* one : each) sum += one->load;
      all.push_back(sum);
    }
    return all;
  }

 private:
  using shelf = std::vector<placed_object*>;

  static bool larger(const placed_object* a, const placed_object* b) noexcept {
    return a->load != b->load ? a->load > b->load : a->id < b->id;
  }

  std::vector<shelf> of_;
};

}  // namespace

plan place_objects(std::span<placed_object> all, unsigned ranks, const balancer_choice& by,
                   const balancer_options& options, std::uint64_t seed) {
  shelves here(all, ranks);
  std::vector<load_type> planned = here.loads();
  const topology cube = topology::cube(ranks);
  plan made;
  make_balancer(by.name(), chosen_options(by, options))
      ->make_plan({.graph = cube, .loads = planned, .seed = seed}, made);
  validate_plan(cube, planned, made);
  for (const phase& now : made.phases) {
    // All objects leave before any comes: a phase moves what was there when it began.
    std::vector<std::vector<placed_object*>> moving;
    for (const transfer& each : now) moving.push_back(here.take(each.from, each.quanta));
    for (std::size_t k = 0; k < now.size(); ++k) here.put(now[k].to, moving[k]);
  }
  apply_plan(made, planned);
  std::vector<load_type> errors = here.loads();
  load_type largest = 1;
  for (const placed_object& one : all) largest = std::max(largest, one.load);
  for (unsigned k = 0; k < ranks; ++k) errors[k] -= planned[k];
  even_errors(errors, largest, [&](node_id from, node_id to) { return here.move_one(from, to); });
  return made;
}

}  // namespace evencube::detail
