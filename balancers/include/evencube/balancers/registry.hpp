#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <evencube/balancers/balancer.hpp>

namespace evencube {

/// Options of a balancer by name, as text ("quota" -> "halving"), as the command line gives them.
using balancer_options = std::map<std::string, std::string, std::less<>>;

/// Makes the balancer registered as `name`. Throws std::invalid_argument that names the unknown
/// balancer and lists the known ones, or the unknown option or bad value and what is allowed.
[[nodiscard]] std::unique_ptr<balancer> make_balancer(std::string_view name,
                                                      const balancer_options& options = {});

}  // namespace evencube
