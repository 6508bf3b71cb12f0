#pragma once

#include <stdexcept>

namespace evencube::workloads {

/// Thrown for a file that does not have the expected format. The message begins with the file's
/// name and gives the reason.
class input_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace evencube::workloads
