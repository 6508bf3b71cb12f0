#pragma once

#include <tbb/blocked_range3d.h>
