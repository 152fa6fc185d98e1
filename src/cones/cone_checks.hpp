// What makes a conic constraint well formed, and how it is named in messages.
#pragma once

#include "pliant/cones.hpp"

#include <string>
#include <string_view>

namespace pliant {

/// nonneg, soc, psd, exp, pow and zero, as in files and messages.
std::string_view to_string(ConeKind kind);

/// "conic constraint 2 (name)"
std::string describe_conic(Index index, std::string_view name);

/// Order of the matrix of a semidefinite cone whose shape has been checked.
Index matrix_order(const Cone& cone);

/// Cones of a constraint; every row of a nonnegative or a zero cone is one of its own.
Index count_cones(const ConicConstraint& conic);

/// Throws InputError naming `what` unless the rows of the cones are possible and add up.
void check_shape(const ConicConstraint& conic, std::string_view what);
/// The same for NaN and infinite numbers and for the exponents of power cones.
void check_numbers(const ConicConstraint& conic, std::string_view what);

/// f(cone, begin) for every cone, `begin` its first row.
template <class F>
void for_each_cone(const ConicConstraint& conic, const F& f) {
  Index begin = 0;
  for (const Cone& cone : conic.cones) {
    f(cone, begin);
    begin += cone.rows;
  }
}

}  // namespace pliant
