#pragma once

#include <tbb/partitioner.h>
