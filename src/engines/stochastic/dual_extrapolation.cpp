#include "engines/stochastic/dual_extrapolation.hpp"

#include <Eigen/Cholesky>

namespace pliant {

void DualExtrapolation::keep(const DualCoordinates& dual) {
  if (alphas_.cols() == 0) {
    alphas_.resize(dual.size(), kEpochs + 1);
    images_.resize(dual.x().size(), kEpochs + 1);
    alpha_.resize(dual.size());
    image_.resize(dual.x().size());
  }
  alphas_.col(count_) = dual.alphas();
  images_.col(count_) = dual.image();
  ++count_;
}

Index DualExtrapolation::apply(DualCoordinates& dual, double xi) {
  constexpr double kRidge = 1e-12;  // relative, where the last epochs hardly differ in direction
  using Small = Eigen::Matrix<double, kEpochs, kEpochs>;
  using Weights = Eigen::Matrix<double, kEpochs, 1>;
  Small gram;
  for (Index a = 0; a < kEpochs; ++a) {
    for (Index b = 0; b < kEpochs; ++b) {
      gram(a, b) = (images_.col(a + 1) - images_.col(a)).dot(images_.col(b + 1) - images_.col(b));
    }
  }
  const double size = gram.trace();
  if (!(size > 0.0)) return 0;
  gram.diagonal().array() += kRidge * size;
  const Weights solved = gram.ldlt().solve(Weights::Ones());
  const Weights weights = solved / solved.sum();
  if (!weights.allFinite()) return 0;
  alpha_.noalias() = alphas_.rightCols<kEpochs>() * weights;
  image_.noalias() = images_.rightCols<kEpochs>() * weights;
  const Index read = dual.clip(alpha_, image_, xi);
  if (dual.value(alpha_, image_) > dual.value(dual.alphas(), dual.image())) dual.assign(alpha_, image_);
  return read;
}

}  // namespace pliant
