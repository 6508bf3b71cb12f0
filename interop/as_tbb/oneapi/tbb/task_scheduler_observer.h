#pragma once

#include <tbb/task_scheduler_observer.h>
