// Basic types shared by every public header.
#pragma once

#include <Eigen/Core>

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

namespace pliant {

/// 64-bit row, column and count type; problems may hold more than 2^31 numbers.
using Index = std::int64_t;

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;  // column-major: Hessians, factorisations
using VectorRef = Eigen::Ref<Vector>;
using ConstVectorRef = Eigen::Ref<const Vector>;
using MatrixRef = Eigen::Ref<Matrix>;
using ConstMatrixRef = Eigen::Ref<const Matrix>;

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// How fast a convex function f grows from x along d: f(x + t d) <= f(x) + t slope + t^2/2 curvature for all t >= 0.
/// Infinite where nothing is known, or where x + t d leaves the domain.
struct Growth {
  double slope = kInfinity;
  double curvature = kInfinity;
};

/// Bad input at the boundary. The message names the field and what was expected of it.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace pliant
