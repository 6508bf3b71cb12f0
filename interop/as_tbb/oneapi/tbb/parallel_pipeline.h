#pragma once

#include <tbb/parallel_pipeline.h>
