#pragma once

#include <stdexcept>

#include <evencube/detail/compiler.hpp>

namespace evencube {

/// Thrown when a runtime is misused, other than by a single invalid argument. Examples are a wait
/// on the wrong thread, a call in a forked child, and a hold of a runtime from within its tasks.
class EVENCUBE_EXPORT error : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

}  // namespace evencube
