#define PLIANT_EIGEN_INSTANCE template
#include "linalg/eigen_instances.hpp"
