// Eight numbers side by side, whatever vectors the machine has: the order of additions depends on nothing else.
#pragma once

#include "pliant/types.hpp"

namespace pliant {

constexpr Index kLanes = 8;
using Lanes = double __attribute__((vector_size(kLanes * sizeof(double))));
using HalfLanes = double __attribute__((vector_size(kLanes / 2 * sizeof(double))));

// As they lie among the data.
using StoredLanes = double __attribute__((vector_size(kLanes * sizeof(double)), aligned(alignof(double)), may_alias));
using StoredHalfLanes =
    double __attribute__((vector_size(kLanes / 2 * sizeof(double)), aligned(alignof(double)), may_alias));

// References, because how a vector is returned depends on the machine that is compiled for.
inline const StoredLanes& lanes_at(const double* p) { return *reinterpret_cast<const StoredLanes*>(p); }
inline StoredLanes& lanes_at(double* p) { return *reinterpret_cast<StoredLanes*>(p); }
inline const StoredHalfLanes& half_lanes_at(const double* p) { return *reinterpret_cast<const StoredHalfLanes*>(p); }
inline StoredHalfLanes& half_lanes_at(double* p) { return *reinterpret_cast<StoredHalfLanes*>(p); }

}  // namespace pliant
