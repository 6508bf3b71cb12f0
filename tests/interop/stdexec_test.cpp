// The scheduler with NVIDIA's stdexec.
#include <evencube/interop/stdexec.hpp>

namespace ex = stdexec;
using scheduler = evencube::stdexec_scheduler;

#include "interop/library_of_senders_test.hpp"
