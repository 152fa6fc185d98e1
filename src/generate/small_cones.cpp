// Very many small cones: robust linear programs (second-order cones) and linear matrix inequalities.
//
//   min c'x   s.t.   t_i e - G_i x in K_i,  |x_j| <= box,     e = (1, 0, ...) or I
//
// x = 0 lies inside. Three ways to be nasty, all at once if wanted:
//   apex=S      a share S of the cones has its apex (s = 0) at a planted x0, which is optimal: enough of them have
//               multipliers inside the dual cone, the others touch for nothing
//   parallel=E  the G_i are copies of a few, up to noise of relative size E
//   scale=D     cone i is multiplied by 10^(u_i), u_i uniform in (-D, D)
#include "cones/cone_checks.hpp"
#include "cones/distance.hpp"
#include "generate/data.hpp"
#include "generate/family.hpp"
#include "pliant/svec.hpp"

#include <algorithm>
#include <cmath>

namespace pliant::generation {
namespace {

constexpr double kPlantedSize = 0.15;   // |x0|/sqrt(n)
constexpr double kRoom = 1.1;           // constants of cones without apex there leave this much room at x0
constexpr Index kBasesPerVariable = 4;  // distinct G_i of the parallel variant

class SmallCones {
 public:
  /// `spread`: size of row k of every G_i, relative to 1/sqrt(n).
  SmallCones(const Parameters& p, Cone cone, Vector identity, Vector spread)
      : n_(p.n()),
        m_(p.m()),
        cone_(cone),
        identity_(std::move(identity)),
        spread_(std::move(spread)),
        apex_(p.real("apex")),
        parallel_(p.real("parallel")),
        decades_(p.real("scale")),
        rows_(p.stream(Label::rows)),
        noise_(p.stream(Label::noise)),
        sides_(p.stream(Label::right_hand_side)),
        scales_(p.stream(Label::row_scale)),
        touching_(p.stream(Label::targets)) {
    planted_ = Vector(n_);
    p.stream(Label::planted_point).normals(planted_.data(), n_);
    planted_ *= kPlantedSize * std::sqrt(static_cast<double>(n_)) / planted_.norm();
  }

  const Vector& planted() const { return planted_; }
  bool has_apex(Index i) const { return apex_ > 0.0 && (i < carriers() || touching_.uniform(i) < apex_); }
  /// Cones with multipliers, whose apexes pin x0 down.
  Index carriers() const { return apex_ > 0.0 ? std::min(m_, (n_ + cone_.rows - 1) / cone_.rows) : 0; }

  double scale(Index i) const { return std::pow(10.0, scales_.uniform(i, -decades_, decades_)); }
  double side(Index i) const { return sides_.uniform(i, 1.0, 1.2); }

  /// G_i without its scale.
  Matrix matrix(Index i) const {
    using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const double size = 1.0 / std::sqrt(static_cast<double>(n_));
    Rows G(cone_.rows, n_);
    rows_.row(parallel_ > 0.0 ? i % (kBasesPerVariable * n_) : i).normals(G.data(), G.size(), size);
    if (parallel_ > 0.0) {
      Rows change(cone_.rows, n_);
      noise_.row(i).normals(change.data(), change.size(), parallel_ * size);
      G += change;
    }
    Matrix out = spread_.asDiagonal() * G;
    if (has_apex(i)) {  // G x0 = t e
      out += (side(i) * identity_ - out * planted_) * planted_.transpose() / planted_.squaredNorm();
    }
    return out;
  }

  /// The constant t_i, without its scale.
  double constant(Index i) const {
    if (apex_ == 0.0 || has_apex(i)) return side(i);
    return std::max(side(i), kRoom * cone_distance(cone_, -matrix(i) * planted_));
  }

  ConicConstraint build(const Parameters& p) const {
    const NumberRows G(p, m_, cone_.rows * n_, [cones = *this](Index i, double* row) {
      const Matrix Gi = cones.scale(i) * cones.matrix(i);
      for (Index k = 0; k < Gi.rows(); ++k) as_vector(row + k * Gi.cols(), Gi.cols()) = Gi.row(k);
    });
    const NumberRows h(p, m_, cone_.rows, [cones = *this](Index i, double* row) {
      as_vector(row, cones.cone_.rows) = cones.scale(i) * cones.constant(i) * cones.identity_;
    });
    return {DataMatrix::dense(m_ * cone_.rows, n_, G.share()), h.share(),
            std::vector<Cone>(static_cast<std::size_t>(m_), cone_)};
  }

  /// -sum G_i'z_i over the carriers, z_i = e + noise well inside the dual cone.
  Vector cost(const random::Stream& multipliers) const {
    Vector c = Vector::Zero(n_);
    for (Index i = 0; i < carriers(); ++i) {
      Vector z(cone_.rows);
      multipliers.row(i).normals(z.data(), z.size(), 0.3 / std::sqrt(static_cast<double>(z.size())));
      c -= matrix(i).transpose() * (identity_ + z);
    }
    return c;
  }

 private:
  Index n_, m_;
  Cone cone_;
  Vector identity_, spread_;
  double apex_, parallel_, decades_;
  random::Stream rows_, noise_, sides_, scales_, touching_;
  Vector planted_;
};

Problem finish(const Parameters& p, const SmallCones& cones) {
  const Index n = p.n();
  const double width = p.real("box");
  Problem problem(n);
  Vector c(n);
  if (cones.carriers() > 0) {
    c = cones.cost(p.stream(Label::multipliers));
  } else {
    p.stream(Label::cost).normals(c.data(), n);
  }
  problem.minimize(linear(to_array(c)));
  problem.regularize(box(to_array(Vector::Constant(n, -width)), to_array(Vector::Constant(n, width))));
  if (p.m() > 0) problem.subject_to(cones.build(p));
  problem.slater_point = Vector::Zero(n);
  if (cones.carriers() > 0 && cones.planted().lpNorm<Eigen::Infinity>() <= width) {
    problem.known_optimum = KnownOptimum{c.dot(cones.planted()), cones.planted()};
  }
  return problem;
}

// a_i'x + |B_i x| <= t_i: rows a_i whose uncertainty is an ellipsoid of dimension k.
Problem robust_lp(const Parameters& p) {
  const Index k = p.count("k");
  Vector spread = Vector::Constant(k + 1, p.real("radius"));
  spread[0] = 1.0;
  return finish(p, SmallCones(p, {ConeKind::second_order, k + 1, 0.5}, Vector::Unit(k + 1, 0), spread));
}

// sum_j x_j F_ij <= t_i I with symmetric Gaussian F_ij.
Problem small_lmi(const Parameters& p) {
  const Index k = p.count("k");
  const Index rows = svec_size(k);
  return finish(p,
                SmallCones(p, {ConeKind::semidefinite, rows, 0.5}, svec(Matrix::Identity(k, k)), Vector::Ones(rows)));
}

std::vector<ParameterSpec> parameters(Index n, Index m, std::vector<ParameterSpec> own) {
  own.insert(own.end(), {positive("box", 10.0), real("apex", 0.0, 0.0, 1.0), real("parallel", 0.0, 0.0, 1.0),
                         real("scale", 0.0, 0.0, 6.0)});
  return sizes_and(n, m, std::move(own));
}

}  // namespace

std::vector<Family> small_cone_families() {
  return {
      {"robust_lp", "min c'x s.t. a_i'x + |B_i x| <= t_i: second-order cones of k + 1 rows, |x_j| <= box",
       parameters(50, 2000, {count("k", 2, 1), positive("radius", 0.3)}), robust_lp},
      {"small_lmi", "min c'x s.t. sum_j x_j F_ij <= t_i I: matrices of order k, |x_j| <= box",
       parameters(20, 1000, {count("k", 3, 1)}), small_lmi},
  };
}

}  // namespace pliant::generation
