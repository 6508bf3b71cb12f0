#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <utility>

#include <evencube/evencube.hpp>
#include <evencube/workloads/search_tree.hpp>

#include "packed.hpp"
#include "spawning.hpp"
#include "workloads.hpp"

namespace evencube::workloads {
namespace {

constexpr std::string_view uts_name = "uts";

/// What a walk has seen.
struct tree_tally {
  std::uint64_t nodes = 0;
  std::uint64_t leaves = 0;
  unsigned depth = 0;

  void add(const tree_tally& other) {
    nodes += other.nodes;
    leaves += other.leaves;
    depth = std::max(depth, other.depth);
  }

  friend bool operator==(const tree_tally&, const tree_tally&) = default;
};

/// Nodes that were found and not looked at yet: a stack.
using open_nodes = std::vector<tree_node>;

/// Looks at up to `most` nodes, depth first.
tree_tally walk(const search_tree& tree, open_nodes& open, std::uint64_t most) {
  tree_tally seen;
  while (!open.empty() && seen.nodes < most) {
    const tree_node node = open.back();
    open.pop_back();
    const std::size_t children = children_of(tree, node);
    for (std::size_t i = 0; i < children; ++i) open.push_back(child_of(node, i));
    ++seen.nodes;
    seen.leaves += children == 0 ? 1 : 0;
    seen.depth = std::max(seen.depth, node.level);
  }
  return seen;
}

/// What is left open, as the work of at most two tasks: nodes found first, below which there is
/// more, and the others.
std::vector<open_nodes> halves(open_nodes open) {
  if (open.empty()) return {};
  std::vector<open_nodes> made;
  const auto middle = open.begin() + static_cast<std::ptrdiff_t>(open.size() / 2);
  if (middle != open.begin()) made.emplace_back(open.begin(), middle);
  open.erase(open.begin(), middle);
  made.push_back(std::move(open));
  return made;
}

/// What carried tasks give.
struct carried_tally {
  tree_tally seen;
  std::uint64_t tasks = 0;
};

task_bytes packed(const open_nodes& open) {
  packer out{open.size() * sizeof(tree_node)};
  out.put_all(std::span{open});
  return out.take();
}

/// The nodes travel; a task's tally stays where its parent ran, and is added up there.
class carried_walk final : public carried_function {
 public:
  carried_walk(const search_tree& tree, std::uint64_t nodes_per_task)
      : tree_{tree}, nodes_per_task_{nodes_per_task} {}

  [[nodiscard]] outcome run(std::span<const std::byte> argument) const override {
    auto open = unpacker{argument}.rest<tree_node>();
    outcome made;
    packer out;
    out.put(carried_tally{walk(tree_, open, nodes_per_task_), 1});
    made.result = out.take();
    for (const auto& half : halves(std::move(open))) made.more.push_back({packed(half)});
    return made;
  }

  void add(task_bytes& sum, std::span<const std::byte> result) const override {
    auto added = unpacker{result}.get<carried_tally>();
    if (!sum.empty()) {
      const auto before = unpacker{sum}.get<carried_tally>();
      added.seen.add(before.seen);
      added.tasks += before.tasks;
    }
    packer out;
    out.put(added);
    sum = out.take();
  }

 private:
  search_tree tree_;
  std::uint64_t nodes_per_task_;
};

/// Nobody knows what hangs below a node. So a task looks at no more than a given number of them,
/// and what it leaves open becomes two tasks, the upper and the lower half of its stack. Their
/// number follows from the tree alone.
class uts_workload final : public workload {
 public:
  uts_workload(const search_tree& tree, std::uint64_t nodes_per_task, placement where)
      : tree_{tree}, nodes_per_task_{nodes_per_task}, where_{where} {}

  [[nodiscard]] std::string_view name() const noexcept override { return uts_name; }

  void run_serial() override {
    open_nodes open{root_of(tree_)};
    serial_ = walk(tree_, open, ~std::uint64_t{0});
    ran_serially_ = true;
  }

  void reset() override {
    clear();
    ran_ = false;
  }

  void run(runtime& workers) override {
    clear();
    workers.run([&] {
      task_group group;
      spawn(group, workers, {root_of(tree_)});
      group.wait();
    });
    ran_ = true;
  }

  void run_by(const task_loop& loop, unsigned /*threads*/) override {
    clear();
    // In rounds: what is left open by one is the work of the next.
    std::vector<open_nodes> work{{root_of(tree_)}};
    std::uint64_t before = 0;
    do {
      before = nodes_;
      loop(work.size(),
           [&](std::size_t index) { note(walk(tree_, work[index], nodes_per_task_)); });
      tasks_ += work.size();
      std::vector<open_nodes> next;
      for (auto& left : work) {
        for (auto& half : halves(std::move(left))) next.push_back(std::move(half));
      }
      work = std::move(next);
    } while (!work.empty() && nodes_ != before);  // an engine that does nothing would not end
    ran_ = true;
  }

  [[nodiscard]] std::unique_ptr<carried_run> run_carried() override {
    clear();
    ran_ = false;
    return std::make_unique<numbered_run>(
        std::vector<std::size_t>{1},
        [this](const carried_part&) { return carried_task{packed({root_of(tree_)})}; },
        [this](std::span<const std::byte> result) {
          const auto tally = unpacker{result}.get<carried_tally>();
          note(tally.seen);
          tasks_ += tally.tasks;
        },
        [this] { ran_ = true; });
  }

  [[nodiscard]] std::uint64_t tasks() const noexcept override { return tasks_; }

  [[nodiscard]] verification verify() const override {
    if (!ran_serially_ || !ran_) {
      throw std::logic_error{"nothing to compare: run_serial() and run() come first"};
    }
    const tree_tally found{nodes_, leaves_, depth_};
    const auto text = std::to_string(found.nodes) + " nodes, " + std::to_string(found.leaves) +
                      " leaves, depth " + std::to_string(found.depth);
    if (found != serial_) return {false, text + ": differs from the serial twin's"};
    if (tree_.nodes == 0) return {true, text + ", as the serial twin found"};
    const tree_tally published{tree_.nodes, tree_.leaves, tree_.depth};
    if (found != published) return {false, text + ": differs from what was published"};
    return {true, text + ", as the serial twin found and as published"};
  }

 private:
  void clear() noexcept {
    tasks_ = 0;
    nodes_ = 0;
    leaves_ = 0;
    depth_ = 0;
  }

  void spawn(task_group& group, const runtime& workers, open_nodes open) {
    // relaxed, here and below: counters that nobody reads before the wait has ended.
    const auto index = tasks_.fetch_add(1, std::memory_order_relaxed);
    group.spawn(
        [this, &group, &workers, open = std::move(open)]() mutable {
          note(walk(tree_, open, nodes_per_task_));
          for (auto& half : halves(std::move(open))) spawn(group, workers, std::move(half));
        },
        hints(where_, index, workers, 1, "subtree"));
  }

  void note(const tree_tally& seen) noexcept {
    nodes_.fetch_add(seen.nodes, std::memory_order_relaxed);
    leaves_.fetch_add(seen.leaves, std::memory_order_relaxed);
    unsigned known = depth_.load(std::memory_order_relaxed);
    while (known < seen.depth &&
           !depth_.compare_exchange_weak(known, seen.depth, std::memory_order_relaxed)) {
    }
  }

  search_tree tree_;
  std::uint64_t nodes_per_task_;
  placement where_;
  tree_tally serial_;
  std::atomic<std::uint64_t> tasks_{0};
  std::atomic<std::uint64_t> nodes_{0};
  std::atomic<std::uint64_t> leaves_{0};
  std::atomic<unsigned> depth_{0};
  bool ran_serially_ = false;
  bool ran_ = false;
};

}  // namespace

workload_entry uts_entry() {
  return {std::string{uts_name},
          "count the nodes of a tree whose shape nobody can foresee",
          "",
          {{"tree", "T1, T3, T1L, T3L (25 times as large) or tiny",
            text_option{"T1", {"T1", "T3", "T1L", "T3L", "tiny"}}},
           {"tile", "nodes that one task looks at", whole_option{2048, 1, 1'000'000}}},
          [](const option_values& options) -> std::unique_ptr<workload> {
            return std::make_unique<uts_workload>(tree_named(options.text("tree")),
                                                  options.whole("tile"), options.where());
          },
          "",
          "",
          [](const option_values& options, unsigned) -> std::unique_ptr<carried_function> {
            return std::make_unique<carried_walk>(tree_named(options.text("tree")),
                                                  options.whole("tile"));
          }};
}

}  // namespace evencube::workloads
