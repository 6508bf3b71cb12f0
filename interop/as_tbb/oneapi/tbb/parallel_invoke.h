#pragma once

#include <tbb/parallel_invoke.h>
