// The quadratic term 1/2 x'Px + q'x with P dense or CSR, both triangles stored.
#pragma once

#include "linalg/spectrum.hpp"
#include "pliant/array.hpp"
#include "pliant/data_matrix.hpp"
#include "pliant/objective_term.hpp"

namespace pliant {

class QuadraticTerm final : public ObjectiveTerm {
 public:
  QuadraticTerm(DataMatrix P, Doubles q);

  const DataMatrix& P() const { return P_; }
  const Doubles& q() const { return q_; }

  std::string_view kind() const override { return "quadratic"; }
  Index dimension() const override { return q_.size(); }
  TermStructure structure() const override {
    TermStructure out;
    out.quadratic = {&P_, &q_};
    return out;
  }
  StoredForm stored() const override { return {"quadratic", {{"P", P_}, {"q", q_}}}; }
  Index components() const override { return 1; }
  Index bytes() const override { return P_.bytes() + q_.size() * static_cast<Index>(sizeof(double)); }

  double value(ConstVectorRef x) const override;
  double add_gradient(ConstVectorRef x, double weight, VectorRef gradient) const override;
  void add_hessian(ConstVectorRef x, double weight, MatrixRef H) const override;
  void prepare_line(ConstVectorRef x, ConstVectorRef d, ObjectiveLine& line) const override;
  LinePoint line_point(ObjectiveLine& line, double t) const override;
  double component_value(Index i, ConstVectorRef x) const override;
  void add_component_gradient(Index i, ConstVectorRef x, double weight, VectorRef gradient) const override;

  /// Bounds of lambda_max(P) and lambda_min(P).
  double smoothness() const override { return eigenvalues().upper; }
  double component_smoothness(Index) const override { return smoothness(); }
  double strong_convexity() const override { return eigenvalues().lower; }
  /// 0 if q = 0, else -|q|^2/(2 mu), infinite where mu = 0 is all that is proven.
  double lower_bound() const override;
  double add_absolute_sums(ConstVectorRef x, double weight, VectorRef gradient_sizes) const override;
  Index rounding_length() const override;
  double convexity_defect() const override { return eigenvalues().defect; }
  /// Slope (Px + q)'d, curvature d'Pd.
  Growth growth(ConstVectorRef x, ConstVectorRef d) const override;

  void validate() const override;

 private:
  static constexpr Index kOwnRoundings = 16;  ///< products and the like around the sums
  const EigenvalueBounds& eigenvalues() const {
    return eigenvalues_.get([&] { return symmetric_eigenvalues(P_); });
  }
  /// out = Px, each row by one thread.
  void multiply(ConstVectorRef x, double* out) const;
  void validate_symmetry(double tolerance) const;

  DataMatrix P_;
  Doubles q_;
  LazyEigenvalueBounds eigenvalues_;
};

}  // namespace pliant
