#pragma once

#include <tbb/tick_count.h>
