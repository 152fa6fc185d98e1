#include "engines/conic/conic_kkt.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

constexpr double kProportional = 5e-32;  // of the largest diagonal entry, added to the regularisation
constexpr Index kLargestDenseCone = 4;   // larger second-order cones are expanded

}  // namespace

ConicKkt::Shape ConicKkt::shape(const Cone& cone) {
  if (cone.kind == ConeKind::zero || cone.kind == ConeKind::nonnegative) return Shape::diagonal;
  return cone.kind == ConeKind::second_order && cone.rows > kLargestDenseCone ? Shape::expanded : Shape::dense;
}

ConicKkt::ConicKkt(const ConicForm& form, const ConeProduct& cones, LdlKind kind)
    : cones_(cones), n_(form.variables()), m_(form.rows()) {
  for (const ConeProduct::Block& b : cones.blocks()) expansions_ += shape(b.cone) == Shape::expanded ? 1 : 0;
  build_pattern(form);
  regularised_ = K_;
  ldl_ = std::make_unique<RefinedLdl>(K_, n_ + expansions_, kind, RefinementRules{});
}

// Unknowns: dx, one for each u (positive pivots); dz, one for each v (negative pivots).
void ConicKkt::build_pattern(const ConicForm& form) {
  const Index first_row = n_ + expansions_, first_v = first_row + m_, size = first_v + expansions_;
  std::vector<Eigen::Triplet<double, int>> entries;
  entries.reserve(static_cast<std::size_t>(form.P.nonZeros() + form.G.nonZeros() + size + 2 * m_));
  const auto add = [&](Index i, Index j, double value) {
    entries.emplace_back(static_cast<int>(i), static_cast<int>(j), value);
  };
  for (int j = 0; j < form.G.outerSize(); ++j) {
    for (SparseMatrix::InnerIterator it(form.P, j); it; ++it) {
      if (it.row() >= j) add(it.row(), j, it.value());
    }
    for (SparseMatrix::InnerIterator it(form.G, j); it; ++it) add(first_row + it.row(), j, it.value());
  }
  for (Index k = 0; k < size; ++k) add(k, k, 0.0);
  const auto for_each_place = [&](const auto& f) {
    Index expansion = 0;
    for (std::size_t c = 0; c < cones_.blocks().size(); ++c) {
      const ConeProduct::Block& b = cones_.blocks()[c];
      const Index begin = first_row + b.first, end = begin + b.cone.rows;
      if (shape(b.cone) == Shape::dense) {
        for (Index j = begin; j < end; ++j) {
          for (Index i = j; i < end; ++i) f(c, i, j);
        }
        continue;
      }
      for (Index i = begin; i < end; ++i) f(c, i, i);
      if (shape(b.cone) == Shape::diagonal) continue;
      for (Index i = begin; i < end; ++i) f(c, i, n_ + expansion);
      f(c, n_ + expansion, n_ + expansion);
      for (Index i = begin + 1; i < end; ++i) f(c, first_v + expansion, i);
      f(c, first_v + expansion, first_v + expansion);
      ++expansion;
    }
  };
  for_each_place([&](std::size_t, Index i, Index j) { add(i, j, 0.0); });
  K_ = SparseMatrix(static_cast<int>(size), static_cast<int>(size));
  K_.setFromTriplets(entries.begin(), entries.end());
  places_.resize(cones_.blocks().size());
  for_each_place([&](std::size_t c, Index i, Index j) { places_[c].push_back(place(i, j)); });
}

std::size_t ConicKkt::place(Index row, Index column) const {
  const int* begin = K_.innerIndexPtr() + K_.outerIndexPtr()[column];
  const int* end = K_.innerIndexPtr() + K_.outerIndexPtr()[column + 1];
  return static_cast<std::size_t>(std::lower_bound(begin, end, static_cast<int>(row)) - K_.innerIndexPtr());
}

// With W^2 = eta^2 (2 w w' - J) and a = w'w: D = diag(1/(2a), 1, ...), u = (sqrt(a - 1/(2a)), 2 w_0 w_1/u_0) and
// v = (0, sqrt(|u_1|^2/|w_1|^2 - 2) w_1).
void ConicKkt::set_expanded(const ConeProduct::Block& b, const std::vector<std::size_t>& places) {
  const auto w = cones_.w(b);
  const double eta = cones_.eta(b), a = w.squaredNorm(), d = 0.5 / a;
  const double u0 = std::sqrt(a - d), u1 = 2.0 * w[0] / u0;
  const double v1 = std::sqrt((2.0 * (2.0 + 1.0 / a)) / (2.0 * a - 1.0 / a));
  double* values = K_.valuePtr();
  auto at = places.begin();
  for (Index i = 0; i < w.size(); ++i) values[*at++] = -eta * eta * (i == 0 ? d : 1.0);
  for (Index i = 0; i < w.size(); ++i) values[*at++] = eta * (i == 0 ? u0 : u1 * w[i]);
  values[*at++] = 1.0;
  for (Index i = 1; i < w.size(); ++i) values[*at++] = eta * v1 * w[i];
  values[*at] = -1.0;
}

bool ConicKkt::factorize(double regularisation) {
  double* values = K_.valuePtr();
  for (std::size_t c = 0; c < cones_.blocks().size(); ++c) {
    const ConeProduct::Block& b = cones_.blocks()[c];
    const std::vector<std::size_t>& places = places_[c];
    auto at = places.begin();
    switch (b.cone.kind) {
      case ConeKind::zero:
        for (const std::size_t k : places) values[k] = 0.0;
        break;
      case ConeKind::nonnegative:
        for (Index i = 0; i < b.cone.rows; ++i)
          values[places[static_cast<std::size_t>(i)]] = -cones_.ratio()[b.first + i];
        break;
      case ConeKind::second_order: {
        if (shape(b.cone) == Shape::expanded) {
          set_expanded(b, places);
          break;
        }
        const auto w = cones_.w(b);
        const double scale = cones_.eta(b) * cones_.eta(b);
        for (Index j = 0; j < w.size(); ++j) {
          for (Index i = j; i < w.size(); ++i) {
            const double J = i != j ? 0.0 : i == 0 ? 1.0 : -1.0;
            values[*at++] = -scale * (2.0 * w[i] * w[j] - J);
          }
        }
        break;
      }
      case ConeKind::semidefinite:
        cones_.psd(b).for_each_entry([&](double value) { values[*at++] = -value; });
        break;
      case ConeKind::exponential:
      case ConeKind::power:
        for (Index j = 0; j < 3; ++j) {
          for (Index i = j; i < 3; ++i) values[*at++] = -cones_.H3(b)(i, j);
        }
        break;
    }
  }
  return factorize_matrix(regularisation);
}

bool ConicKkt::factorize_unit(double regularisation) {
  for (const std::vector<std::size_t>& places : places_) {
    for (const std::size_t k : places) K_.valuePtr()[k] = 0.0;
  }
  for (Index j = n_; j < K_.cols(); ++j) K_.valuePtr()[K_.outerIndexPtr()[j]] = j < n_ + expansions_ ? 1.0 : -1.0;
  for (const ConeProduct::Block& b : cones_.blocks()) {
    if (b.cone.kind != ConeKind::zero) continue;
    for (Index i = 0; i < b.cone.rows; ++i) {
      K_.valuePtr()[K_.outerIndexPtr()[n_ + expansions_ + b.first + i]] = 0.0;
    }
  }
  return factorize_matrix(regularisation);
}

bool ConicKkt::factorize_matrix(double regularisation) {
  std::copy(K_.valuePtr(), K_.valuePtr() + K_.nonZeros(), regularised_.valuePtr());
  double largest = 0.0;
  for (Index j = 0; j < K_.cols(); ++j) largest = std::max(largest, std::abs(K_.valuePtr()[K_.outerIndexPtr()[j]]));
  if (!std::isfinite(largest)) return false;
  regularisation += kProportional * largest;
  for (Index j = 0; j < K_.cols(); ++j) {
    regularised_.valuePtr()[K_.outerIndexPtr()[j]] += j < n_ + expansions_ ? regularisation : -regularisation;
  }
  return ldl_->factorize(K_, regularised_);
}

bool ConicKkt::solve(const Vector& r_x, const Vector& r_z, Vector& dx, Vector& dz) {
  rhs_.setZero(K_.cols());
  rhs_.head(n_) = r_x;
  rhs_.segment(n_ + expansions_, m_) = r_z;
  error_ = ldl_->solve(rhs_, z_);
  dx = z_.head(n_);
  dz = z_.segment(n_ + expansions_, m_);
  return std::isfinite(error_);
}

}  // namespace pliant
