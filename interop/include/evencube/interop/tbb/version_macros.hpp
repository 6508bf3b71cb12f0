#pragma once

// The oneTBB version whose names EvenCube provides. If oneTBB's own headers of that version are
// also included, they define the same values.
// clang-format off
#ifndef TBB_VERSION_MAJOR
#define TBB_VERSION_MAJOR 2021
#define TBB_VERSION_MINOR 8
#define TBB_VERSION_PATCH 0
#define TBB_VERSION_STRING "2021.8"
#define ONETBB_SPEC_VERSION "1.0"
#define TBB_INTERFACE_VERSION 12080
#define TBB_INTERFACE_VERSION_MAJOR (TBB_INTERFACE_VERSION/1000)
#define TBB_INTERFACE_VERSION_MINOR (TBB_INTERFACE_VERSION%1000/10)
#endif

// The program's own definitions, or else oneTBB's defaults. EvenCube has no checks to switch on and
// always uses exceptions.
#ifndef TBB_USE_DEBUG
#if defined(_DEBUG) && _DEBUG+0
#define TBB_USE_DEBUG _DEBUG
#else
#define TBB_USE_DEBUG 0
#endif
#endif
#ifndef TBB_USE_ASSERT
#define TBB_USE_ASSERT TBB_USE_DEBUG
#endif
#ifndef TBB_USE_PROFILING_TOOLS
#define TBB_USE_PROFILING_TOOLS (TBB_USE_DEBUG ? 2 : 0)
#endif
#ifndef TBB_USE_EXCEPTIONS
#define TBB_USE_EXCEPTIONS 1
#endif
// clang-format on
