#pragma once

#include <gtest/gtest.h>

#include <evencube/evencube.hpp>
#include <string>

#include "runtime/deadline.hpp"

namespace evencube::test {

/// Cases that run on a runtime with so many workers.
class on_workers : public testing::TestWithParam<unsigned> {
 protected:
  runtime rt_{runtime_options{.workers = GetParam()}};
  deadline deadline_{rt_, std::chrono::seconds{60}};
};

inline std::string workers_name(const testing::TestParamInfo<unsigned>& of) {
  return std::to_string(of.param) + "_workers";
}

}  // namespace evencube::test
