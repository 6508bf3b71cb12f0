// The scheduler with beman.execution.
#include <evencube/interop/beman_execution.hpp>

namespace ex = beman::execution;
using scheduler = evencube::beman_scheduler;

#include "interop/library_of_senders_test.hpp"
