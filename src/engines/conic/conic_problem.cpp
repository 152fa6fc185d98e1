#include "engines/conic/conic_problem.hpp"

#include "linalg/shifted_cholesky.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace pliant {
namespace {

// Semidefinite cones are dense blocks of the Newton matrix: one of order 140, or ten of order 78.
constexpr double kMostDenseEntries = 5e7;
// Entries times this must stay within 32 bits: a factor has more of them than its matrix.
constexpr double kRoomForFill = 8.0;

int narrow(Index i) { return static_cast<int>(i); }

}  // namespace

bool has_semidefinite_cones(const Problem& problem) {
  for (const ConicConstraint& conic : problem.conic()) {
    const auto semidefinite = [](const Cone& cone) { return cone.kind == ConeKind::semidefinite; };
    if (std::any_of(conic.cones.begin(), conic.cones.end(), semidefinite)) return true;
  }
  return false;
}

std::string conic_obstacle(const Problem& problem) {
  double entries = 0.0, dense = 0.0;
  for (const ConicConstraint& conic : problem.conic()) {
    entries += static_cast<double>(conic.G.nonzeros());
    for (const Cone& cone : conic.cones) {
      const double rows = static_cast<double>(cone.rows);
      if (cone.kind == ConeKind::semidefinite) dense += 0.5 * rows * (rows + 1.0);
    }
  }
  if (dense > kMostDenseEntries) {
    return fmt::format(
        "semidefinite cones too large for this mixture ({:.1e} entries in the Newton matrix, at most {:.0e})", dense,
        kMostDenseEntries);
  }
  if (kRoomForFill * (entries + dense) > std::numeric_limits<int>::max())
    return "more nonzeros than 32-bit factorisations can count";
  return standard_form_obstacle(problem, GroupNorms::left_out);
}

ConicProblem::ConicProblem(const Problem& problem) {
  const StandardForm standard = standard_form(problem);
  A_ = standard.A;
  standard_rows_ = standard.rows();
  form_.P = standard.P;
  form_.q = standard.q;
  form_.constant = standard.constant;
  append_rows(standard, true);
  append_bounds(standard, true);
  close_cone(ConeKind::zero);
  append_rows(standard, false);
  append_bounds(standard, false);
  if (standard.l1.size() > 0) append_absolute_values(standard);
  close_cone(ConeKind::nonnegative);
  if (const GroupParameters* groups = group_parameters(problem.prox())) append_groups(*groups);
  append_cones(problem);
  form_.G = SparseMatrix(narrow(static_cast<Index>(h_.size())), narrow(form_.variables()));
  form_.G.setFromTriplets(entries_.begin(), entries_.end());
  form_.h = Eigen::Map<const Vector>(h_.data(), static_cast<Index>(h_.size()));
  entries_ = {};
  h_ = {};
  A_ = {};
}

void ConicProblem::close_cone(ConeKind kind) {
  Index covered = 0;
  for (const Cone& cone : form_.cones) covered += cone.rows;
  const Index rows = static_cast<Index>(h_.size()) - covered;
  if (rows > 0) form_.cones.push_back({.kind = kind, .rows = rows});
}

void ConicProblem::append_rows(const StandardForm& standard, bool equalities) {
  const auto append = [&](Index i, double sign, double side) {
    for (decltype(A_)::InnerIterator it(A_, narrow(i)); it; ++it) {
      entries_.emplace_back(narrow(static_cast<Index>(h_.size())), narrow(it.col()), sign * it.value());
    }
    h_.push_back(sign * side);
    origins_.push_back({i, sign});
  };
  for (Index i = 0; i < standard.rows(); ++i) {
    const double lo = standard.lo[i], hi = standard.hi[i];
    if ((lo == hi) != equalities) continue;
    if (hi < kInfinity) append(i, 1.0, hi);
    if (!equalities && lo > -kInfinity) append(i, -1.0, lo);
  }
}

void ConicProblem::append_bounds(const StandardForm& standard, bool equalities) {
  const auto append = [&](Index j, double sign, double side) {
    entries_.emplace_back(narrow(static_cast<Index>(h_.size())), narrow(j), sign);
    h_.push_back(sign * side);
    origins_.push_back({-1, 0.0});
  };
  for (Index j = 0; j < standard.variables(); ++j) {
    const double lo = standard.lower[j], hi = standard.upper[j];
    if ((lo == hi) != equalities) continue;
    if (hi < kInfinity) append(j, 1.0, hi);
    if (!equalities && lo > -kInfinity) append(j, -1.0, lo);
  }
}

// x_j - t_j <= 0 and -x_j - t_j <= 0.
void ConicProblem::append_absolute_values(const StandardForm& standard) {
  const Index n = standard.variables();
  form_.q.conservativeResize(2 * n);
  form_.q.tail(n) = standard.l1;
  form_.P.conservativeResize(narrow(2 * n), narrow(2 * n));
  for (Index j = 0; j < n; ++j) {
    for (const double sign : {1.0, -1.0}) {
      entries_.emplace_back(narrow(static_cast<Index>(h_.size())), narrow(j), sign);
      entries_.emplace_back(narrow(static_cast<Index>(h_.size())), narrow(n + j), -1.0);
      h_.push_back(0.0);
      origins_.push_back({-1, 0.0});
    }
  }
}

// Rows (t_g, x_g) of one cone for each group that costs something.
void ConicProblem::append_groups(const GroupParameters& groups) {
  std::vector<std::vector<Index>> members(static_cast<std::size_t>(groups.weights.size()));
  for (Index j = 0; j < groups.groups.size(); ++j) members[static_cast<std::size_t>(groups.groups[j])].push_back(j);
  std::vector<double> costs;
  Index variable = form_.variables();
  for (std::size_t g = 0; g < members.size(); ++g) {
    const double weight = groups.weights[static_cast<Index>(g)];
    if (weight == 0.0 || members[g].empty()) continue;
    costs.push_back(weight);
    const auto append = [&](Index j) {
      entries_.emplace_back(narrow(static_cast<Index>(h_.size())), narrow(j), -1.0);
      h_.push_back(0.0);
    };
    append(variable++);
    for (const Index j : members[g]) append(j);
    form_.cones.push_back({.kind = ConeKind::second_order, .rows = static_cast<Index>(members[g].size()) + 1});
  }
  const Index before = form_.variables();
  form_.q.conservativeResize(variable);
  form_.q.tail(variable - before) = Eigen::Map<const Vector>(costs.data(), variable - before);
  form_.P.conservativeResize(narrow(variable), narrow(variable));
}

void ConicProblem::append_cones(const Problem& problem) {
  for (const ConicConstraint& conic : problem.conic()) {
    const Index first = static_cast<Index>(h_.size());
    cone_rows_.push_back(first);
    for_each_entry(conic.G, [&](Index i, Index j, double value) {
      if (value != 0.0) entries_.emplace_back(narrow(first + i), narrow(j), value);
    });
    h_.insert(h_.end(), conic.h.begin(), conic.h.end());
    form_.cones.insert(form_.cones.end(), conic.cones.begin(), conic.cones.end());
  }
  cone_rows_.push_back(static_cast<Index>(h_.size()));
}

Vector ConicProblem::row_duals(const Vector& z) const {
  Vector out = Vector::Zero(standard_rows_);
  for (std::size_t k = 0; k < origins_.size(); ++k) {
    if (origins_[k].row >= 0) out[origins_[k].row] += origins_[k].sign * z[static_cast<Index>(k)];
  }
  return out;
}

std::vector<Vector> ConicProblem::cone_multipliers(const Vector& z) const {
  std::vector<Vector> out;
  for (std::size_t c = 0; c + 1 < cone_rows_.size(); ++c) {
    out.emplace_back(z.segment(cone_rows_[c], cone_rows_[c + 1] - cone_rows_[c]));
  }
  return out;
}

}  // namespace pliant
