#include <gtest/gtest.h>

#include <evencube/balancers/conformance.hpp>

#include <algorithm>
#include <cctype>
#include <limits>

#include "support.hpp"

namespace evencube {
namespace {

class conforming_balancer : public ::testing::TestWithParam<std::string> {};

TEST_P(conforming_balancer, keeps_every_promise) {
  const auto broken = conformance::check_balancer(describe_balancer(GetParam()));
  EXPECT_TRUE(broken.empty()) << conformance::to_string(
      {broken.begin(), broken.begin() + std::min<std::ptrdiff_t>(std::ssize(broken), 20)});
}

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const auto& entry : registered_balancers()) names.push_back(entry.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(registry, conforming_balancer, ::testing::ValuesIn(all_names()),
                         [](const auto& which) { return which.param; });

/// A balancer whose faults can be chosen: the kit has to notice each.
class faulty final : public balancer {
 public:
  explicit faulty(int fault) : fault_(fault) {}
  [[nodiscard]] std::string_view name() const noexcept override { return "faulty"; }
  void make_plan(const balance_request& request, plan& out) const override {
    if (fault_ != 0) check_request(request, name());
    if (fault_ != 1) refuse_capacities(request, name());
    if (fault_ != 2) reset_plan(out, 0);
    const node_id nodes = request.graph.nodes();
    if (nodes < 2) return;
    const node_id next = request.graph.neighbour(0, 0);
    if (fault_ == 3 && request.loads[0] < std::numeric_limits<load_type>::max()) {
      out.phases.push_back({{0, next, request.loads[0] + 1}});
    }
    if (fault_ == 4) out.phases.push_back({{0, nodes - 1, 1}});
    if (fault_ == 5 && request.loads[0] > 0) out.phases.push_back({{0, next, 1}});
    if (fault_ == 6 && request.loads[0] > 0 && ++calls_ % 2 == 0) {
      out.phases.push_back({{0, next, 1}});
    }
  }

 private:
  int fault_;
  static inline int calls_ = 0;
};

TEST(conformance_kit, notices_every_fault) {
  for (int fault = 0; fault <= 6; ++fault) {
    balancer_descriptor d;
    d.name = std::string("faulty");
    d.make = [fault](const balancer_options&) -> std::unique_ptr<balancer> {
      return std::make_unique<faulty>(fault);
    };
    EXPECT_FALSE(conformance::check_balancer(d).empty()) << "fault " << fault;
  }
}

TEST(conformance_kit, notices_declarations_that_do_not_hold) {
  auto dem = describe_balancer("dem");
  dem.guarantees.difference = [](const balance_request& request, const balancer_options&) {
    return std::optional<load_type>((request.graph.dimensions() + 1) / 2);
  };
  EXPECT_FALSE(conformance::check_balancer(dem).empty());
  auto tight = describe_balancer("dem");
  tight.guarantees.deviation = [](const balance_request&, const balancer_options&) {
    return std::optional<double>(0.25);
  };
  EXPECT_FALSE(conformance::check_balancer(tight).empty());
  auto rotate = describe_balancer("rotate");
  rotate.guarantees.idle_when_equal = true;
  EXPECT_FALSE(conformance::check_balancer(rotate).empty());
  auto random = describe_balancer("random");
  random.guarantees.never_widens = true;
  EXPECT_FALSE(conformance::check_balancer(random).empty());
  auto oem = describe_balancer("oem");
  oem.guarantees.preserves_order = true;
  EXPECT_FALSE(conformance::check_balancer(oem).empty());
}

}  // namespace
}  // namespace evencube
