#include "cones/cone_checks.hpp"
#include "io/cbf/cbf_problem.hpp"
#include "pliant/svec.hpp"

#include <fmt/format.h>

#include <cmath>

namespace pliant::io {
namespace {

// What CBF has no words for; empty: nothing.
std::string obstacle(const Problem& problem) {
  for (const Problem::WeightedTerm& t : problem.terms()) {
    if (!t.term->structure().linear) return fmt::format("an objective term of kind {}", t.term->kind());
  }
  for (const BatchPtr& batch : problem.batches()) {
    if (batch->linear_rows() == nullptr) {
      return fmt::format("a constraint of the family {}", batch->family());
    }
  }
  const SeparableParameters* psi = separable_parameters(problem.prox());
  if (psi == nullptr || psi->l1 > 0.0 || psi->l2 > 0.0) {
    return fmt::format("a prox term of kind {}", problem.prox().kind());
  }
  return {};
}

// The v that reading turns into scale * v = stored again, if rounding allows.
double entry_value(double stored, double scale) {
  const double v = stored / scale;
  for (const double candidate : {v, std::nextafter(v, kInfinity), std::nextafter(v, -kInfinity)}) {
    if (scale * candidate == stored) return candidate;
  }
  return v;
}

// f(column, value) for the entries of a row that are not 0.
void for_each_in_row(const DataMatrix& M, Index i, const auto& f) {
  if (M.is_sparse()) {
    for (Index p = M.starts()[i]; p < M.starts()[i + 1]; ++p) {
      if (M.values()[p] != 0.0) f(M.columns()[p], M.values()[p]);
    }
  } else {
    for (Index j = 0; j < M.cols(); ++j) {
      if (M.values()[i * M.cols() + j] != 0.0) f(j, M.values()[i * M.cols() + j]);
    }
  }
}

class Builder {
 public:
  explicit Builder(const Problem& problem) : problem_(problem) {}

  // Equalities first, then inequalities, all as L-, then the other cones: what is read back is written the same way.
  CbfFile build() {
    add_objective();
    add_bounds();
    add_equalities();
    add_inequalities();
    for (const ConicConstraint& conic : problem_.conic()) {
      for_each_cone(conic, [&](const Cone& cone, Index begin) { add_cone(conic, cone, begin); });
    }
    return std::move(out_);
  }

 private:
  void add_objective() {
    const Index n = problem_.dimension();
    const double sign = problem_.sense == Sense::maximize ? -1.0 : 1.0;
    const Vector origin = Vector::Zero(n);
    Vector c = Vector::Zero(n);
    problem_.add_smooth_gradient(origin, c);
    out_.n = n;
    out_.maximize = problem_.sense == Sense::maximize;
    out_.constant = sign * problem_.smooth_value(origin);
    for (Index j = 0; j < n; ++j) {
      if (c[j] != 0.0) out_.objective.push_back({0, j, sign * c[j]});
    }
  }

  // Bounds other than 0 become rows (add_inequalities).
  void add_bounds() {
    const SeparableParameters& psi = *separable_parameters(problem_.prox());
    lo_ = Vector::Constant(out_.n, -kInfinity);
    hi_ = Vector::Constant(out_.n, kInfinity);
    if (!psi.lo.empty()) lo_ = Eigen::Map<const Vector>(psi.lo.data(), out_.n);
    if (!psi.hi.empty()) hi_ = Eigen::Map<const Vector>(psi.hi.data(), out_.n);
    for (Index j = 0; j < out_.n; ++j) {
      const bool below = lo_[j] == 0.0, above = hi_[j] == 0.0;
      append(out_.variables, below && above ? CbfKind::zero
                             : below        ? CbfKind::nonnegative
                             : above        ? CbfKind::nonpositive
                                            : CbfKind::free);
    }
  }

  static void append(std::vector<CbfCone>& cones, CbfKind kind) {
    if (cones.empty() || cones.back().kind != kind) cones.push_back({kind, 0, 0.5});
    ++cones.back().rows;
  }

  /// sign * (row of M) + b as the next row of the file.
  void add_row(const DataMatrix& M, Index i, double sign, double b) {
    for_each_in_row(M, i, [&](Index j, double value) { out_.A.push_back({out_.m, j, sign * value}); });
    if (b != 0.0) out_.b.push_back({out_.m, 0, b});
    ++out_.m;
  }
  void add_linear_row(const DataMatrix& M, Index i, double sign, double b, CbfKind kind) {
    add_row(M, i, sign, b);
    append(out_.constraints, kind);
  }
  void add_bound_row(Index j, double sign, double bound, CbfKind kind) {
    out_.A.push_back({out_.m, j, sign});
    out_.b.push_back({out_.m, 0, -sign * bound});
    ++out_.m;
    append(out_.constraints, kind);
  }

  void add_equalities() {
    if (problem_.has_equalities()) {
      const DataMatrix& E = problem_.equality_matrix();
      for (Index i = 0; i < E.rows(); ++i) add_linear_row(E, i, 1.0, -problem_.equality_rhs()[i], CbfKind::zero);
    }
    for (const BatchPtr& batch : problem_.batches()) {
      const LinearRows& rows = *batch->linear_rows();
      for (Index i = 0; rows.two_sided() && i < rows.matrix().rows(); ++i) {
        if (rows.lower()[i] == rows.upper()[i]) add_linear_row(rows.matrix(), i, 1.0, -rows.upper()[i], CbfKind::zero);
      }
    }
    for (Index j = 0; j < out_.n; ++j) {
      if (lo_[j] == hi_[j] && lo_[j] != 0.0) add_bound_row(j, 1.0, lo_[j], CbfKind::zero);
    }
    add_rows_of_cones(ConeKind::zero, CbfKind::zero);
  }

  void add_inequalities() {
    for (const BatchPtr& batch : problem_.batches()) {
      const LinearRows& rows = *batch->linear_rows();
      for (Index i = 0; i < rows.matrix().rows(); ++i) {
        const double hi = rows.upper()[i], lo = rows.two_sided() ? rows.lower()[i] : -kInfinity;
        if (lo == hi) continue;
        if (hi < kInfinity) add_linear_row(rows.matrix(), i, 1.0, -hi, CbfKind::nonpositive);
        if (lo > -kInfinity) add_linear_row(rows.matrix(), i, -1.0, lo, CbfKind::nonpositive);
      }
    }
    for (Index j = 0; j < out_.n; ++j) {
      if (lo_[j] == hi_[j]) continue;
      if (hi_[j] < kInfinity && hi_[j] != 0.0) add_bound_row(j, 1.0, hi_[j], CbfKind::nonpositive);
      if (lo_[j] > -kInfinity && lo_[j] != 0.0) add_bound_row(j, -1.0, lo_[j], CbfKind::nonpositive);
    }
    add_rows_of_cones(ConeKind::nonnegative, CbfKind::nonpositive);
  }

  // h - Gx >= 0 as Gx - h <= 0.
  void add_rows_of_cones(ConeKind kind, CbfKind written) {
    for (const ConicConstraint& conic : problem_.conic()) {
      for_each_cone(conic, [&](const Cone& cone, Index begin) {
        if (cone.kind != kind) return;
        for (Index i = begin; i < begin + cone.rows; ++i) {
          add_linear_row(conic.G, i, 1.0, -conic.h[i], written);
        }
      });
    }
  }

  void add_cone(const ConicConstraint& conic, const Cone& cone, Index begin) {
    const auto add = [&](Index i) { add_row(conic.G, begin + i, -1.0, conic.h[begin + i]); };
    switch (cone.kind) {
      case ConeKind::zero:
      case ConeKind::nonnegative:
        return;
      case ConeKind::semidefinite:
        return add_matrix(conic, cone, begin);
      case ConeKind::exponential:
        for (Index i = 2; i >= 0; --i) add(i);
        out_.constraints.push_back({CbfKind::exponential, 3, 0.5});
        return;
      case ConeKind::second_order:
      case ConeKind::power:
        for (Index i = 0; i < cone.rows; ++i) add(i);
        out_.constraints.push_back(
            {cone.kind == ConeKind::power ? CbfKind::power : CbfKind::quadratic, cone.rows, cone.alpha});
        return;
    }
  }

  void add_matrix(const ConicConstraint& conic, const Cone& cone, Index begin) {
    const Index block = static_cast<Index>(out_.psd_constraints.size());
    const Index order = matrix_order(cone);
    out_.psd_constraints.push_back(order);
    for_each_svec_entry(order, [&](Index k, Index i, Index j) {
      const double scale = svec_scale(i, j);
      for_each_in_row(conic.G, begin + k, [&](Index column, double value) {
        out_.H.push_back({column, block, i, j, entry_value(-value, scale)});
      });
      const double h = conic.h[begin + k];
      if (h != 0.0) out_.D.push_back({0, block, i, j, entry_value(h, scale)});
    });
  }

  const Problem& problem_;
  CbfFile out_;
  Vector lo_, hi_;
};

}  // namespace

CbfFile to_cbf(const Problem& problem, const std::string& shown) {
  problem.validate();
  if (const std::string what = obstacle(problem); !what.empty()) {
    throw InputError(fmt::format("{}: {} cannot be expressed in CBF (expected .h5 for such problems)", shown, what));
  }
  return Builder(problem).build();
}

void write_cbf_problem(const Problem& problem, const std::filesystem::path& file) {
  write_cbf(to_cbf(problem, file.string()), file);
}

}  // namespace pliant::io
