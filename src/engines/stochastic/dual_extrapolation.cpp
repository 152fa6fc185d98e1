#include "engines/stochastic/dual_extrapolation.hpp"

#include <Eigen/Cholesky>

#include <algorithm>

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
  Index read = combine(dual, xi);
  follow(dual, xi, alphas_.col(0), images_.col(0));
  if (++applied_ % kFar == 0) {
    if (far_alpha_.size() > 0) follow(dual, xi, far_alpha_, far_image_);
    read += dual.refresh();
    far_alpha_ = dual.alphas();
    far_image_ = dual.image();
  }
  return read;
}

Index DualExtrapolation::combine(DualCoordinates& dual, double xi) {
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

// t = 1, 4, 16, ... times the way from an earlier iterate, until the dual falls or a coordinate arrives at the end of
// its domain.
void DualExtrapolation::follow(DualCoordinates& dual, double xi, ConstVectorRef from_alpha, ConstVectorRef from_image) {
  constexpr double kGrowth = 4.0;
  alpha_direction_ = dual.alphas() - from_alpha;
  image_direction_ = dual.image() - from_image;
  const double longest = dual.longest_step(alpha_direction_, xi);
  alpha_start_ = dual.alphas();
  image_start_ = dual.image();
  double best = dual.value(alpha_start_, image_start_);
  for (double t = std::min(1.0, longest); t > 0.0 && t < kInfinity; t = std::min(kGrowth * t, longest)) {
    alpha_ = alpha_start_ + t * alpha_direction_;
    image_ = image_start_ + t * image_direction_;
    dual.clip(alpha_, image_, xi);  // by rounding at most
    const double value = dual.value(alpha_, image_);
    if (!(value > best)) return;
    best = value;
    dual.assign(alpha_, image_);
    if (t == longest) return;
  }
}

}  // namespace pliant
