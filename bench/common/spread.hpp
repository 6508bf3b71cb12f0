#pragma once

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

namespace bench {

/// What is told of several measurements of one thing.
struct spread {
  double min;
  double median;
  double max;
};

/// Of one value at least.
inline spread summary(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {values.front(), values[values.size() / 2], values.back()};
}

inline std::string json_of(const spread& s) {
  std::ostringstream text;
  text << "{\"min\":" << s.min << ",\"median\":" << s.median << ",\"max\":" << s.max << "}";
  return text.str();
}

}  // namespace bench
