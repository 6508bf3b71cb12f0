#pragma once

#include <tbb/task.h>
