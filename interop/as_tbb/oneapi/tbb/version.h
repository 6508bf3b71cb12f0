#pragma once

#include <tbb/version.h>
