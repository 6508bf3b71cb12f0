#pragma once

#include <stdexcept>

namespace evencube::workloads {

/// A file that does not have the format that it should have. The message begins with its name and
/// says why.
class input_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace evencube::workloads
