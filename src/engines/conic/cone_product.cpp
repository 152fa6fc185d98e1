#include "engines/conic/cone_product.hpp"

#include "cones/cone_checks.hpp"
#include "engines/conic/scaling3.hpp"
#include "engines/conic/second_order.hpp"
#include "engines/interior/steps.hpp"
#include "linalg/symmetric_eigen.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

namespace soc = second_order;

constexpr double kShrink = 0.8, kShortest = 1e-12;  // of steps that leave a cone

soc::Part part(const ConeProduct::Block& b, const Vector& u) { return {u.data() + b.first, b.cone.rows}; }
Vector3 part3(const ConeProduct::Block& b, const Vector& u) { return u.segment<3>(b.first); }

}  // namespace

ConeProduct::ConeProduct(const std::vector<Cone>& cones) {
  Index second_order = 0, three = 0, semidefinite = 0;
  for (const Cone& cone : cones) {
    Block b{cone, rows_, 0};
    rows_ += cone.rows;
    switch (cone.kind) {
      case ConeKind::zero:
        break;
      case ConeKind::semidefinite:
        degree_ += static_cast<double>(matrix_order(cone));
        b.place = semidefinite++;
        break;
      case ConeKind::nonnegative:
        degree_ += static_cast<double>(cone.rows);
        break;
      case ConeKind::second_order:
        degree_ += 1.0;
        b.place = second_order++;
        break;
      case ConeKind::exponential:
      case ConeKind::power:
        degree_ += kDegree3;
        b.place = three++;
        break;
    }
    blocks_.push_back(b);
  }
  w_ = Vector::Zero(rows_);
  eta_.resize(static_cast<std::size_t>(second_order), 1.0);
  H3_.resize(static_cast<std::size_t>(three), Matrix3::Identity());
  psd_.resize(static_cast<std::size_t>(semidefinite));
}

void ConeProduct::centre(Vector& u) const {
  u = Vector::Zero(rows_);
  for (const Block& b : blocks_) {
    if (b.cone.kind == ConeKind::nonnegative) u.segment(b.first, b.cone.rows).setOnes();
    if (b.cone.kind == ConeKind::second_order) u[b.first] = 1.0;
    if (b.cone.kind == ConeKind::exponential || b.cone.kind == ConeKind::power) u.segment<3>(b.first) = centre3(b.cone);
    if (b.cone.kind == ConeKind::semidefinite) {
      u.segment(b.first, b.cone.rows) = svec(Matrix::Identity(matrix_order(b.cone), matrix_order(b.cone)));
    }
  }
}

void ConeProduct::shift_inside(Vector& u, bool dual) const {
  double least = kInfinity;
  for (const Block& b : blocks_) {
    if (b.cone.kind == ConeKind::nonnegative && b.cone.rows > 0) least = std::min(least, part(b, u).minCoeff());
    if (b.cone.kind == ConeKind::second_order) least = std::min(least, soc::smallest_eigenvalue(part(b, u)));
    if (b.cone.kind == ConeKind::semidefinite) least = std::min(least, smallest_eigenvalue(smat(part(b, u))));
    if (b.cone.kind == ConeKind::zero && !dual) u.segment(b.first, b.cone.rows).setZero();
  }
  if (least > 1.0 || least == kInfinity) return;
  Vector e;
  centre(e);
  u += (1.0 - least) * e;
}

bool ConeProduct::scale_second_order(const Block& b, const Vector& s, const Vector& z) {
  double& eta = eta_[static_cast<std::size_t>(b.place)];
  eta = soc::scaling(part(b, s), part(b, z), {w_.data() + b.first, b.cone.rows});
  return eta > 0.0 && std::isfinite(eta) && w(b).allFinite();
}

bool ConeProduct::scale(const Vector& s, const Vector& z, double mu, bool dual_only) {
  for (const Block& b : blocks_) {
    bool inside = true;
    switch (b.cone.kind) {
      case ConeKind::zero:
        break;
      case ConeKind::semidefinite:
        inside = psd_[static_cast<std::size_t>(b.place)].compute(part(b, s), part(b, z));
        break;
      case ConeKind::nonnegative:
        inside = b.cone.rows == 0 || (part(b, s).minCoeff() > 0.0 && part(b, z).minCoeff() > 0.0);
        w_.segment(b.first, b.cone.rows) = part(b, s).cwiseQuotient(part(b, z));
        break;
      case ConeKind::second_order:
        inside = scale_second_order(b, s, z);
        break;
      case ConeKind::exponential:
      case ConeKind::power:
        inside = scaling3(b.cone, part3(b, s), part3(b, z), mu, dual_only, H3_[static_cast<std::size_t>(b.place)]);
        break;
    }
    if (!inside) return false;
  }
  return true;
}

void ConeProduct::multiply(const Vector& v, Vector& out) const {
  out.setZero(rows_);
  for (const Block& b : blocks_) {
    auto o = out.segment(b.first, b.cone.rows);
    if (b.cone.kind == ConeKind::nonnegative) {
      o = w(b).cwiseProduct(part(b, v));
    } else if (b.cone.kind == ConeKind::second_order) {  // eta^2 (2 w (w'v) - J v)
      o = 2.0 * w(b).dot(part(b, v)) * w(b) + part(b, v);
      o[0] -= 2.0 * v[b.first];
      o *= eta(b) * eta(b);
    } else if (b.cone.kind == ConeKind::exponential || b.cone.kind == ConeKind::power) {
      out.segment<3>(b.first) = H3(b) * part3(b, v);
    } else if (b.cone.kind == ConeKind::semidefinite) {
      o = psd(b).multiply(part(b, v));
    }
  }
}

// W (lambda \ (lambda o lambda + (W^-1 ds) o (W dz) - sigma mu e)), and W (lambda \ (lambda o lambda)) = s.
void ConeProduct::correct_second_order(const Block& b, const Vector& s, const Vector& z, const Vector& ds,
                                       const Vector& dz, double sigma_mu, Vector& out) const {
  const Vector lambda = eta(b) * soc::apply(w(b), part(b, z), false);
  Vector r = soc::product(soc::apply(w(b), part(b, ds), true), soc::apply(w(b), part(b, dz), false));
  r[0] -= sigma_mu;
  out.segment(b.first, b.cone.rows) = part(b, s) + eta(b) * soc::apply(w(b), soc::divide(lambda, r), false);
}

void ConeProduct::corrector(const Vector& s, const Vector& z, const Vector& ds, const Vector& dz, double sigma_mu,
                            Vector& out) const {
  out.setZero(rows_);
  for (const Block& b : blocks_) {
    if (b.cone.kind == ConeKind::nonnegative) {
      for (Index i = b.first; i < b.first + b.cone.rows; ++i) out[i] = s[i] + (ds[i] * dz[i] - sigma_mu) / z[i];
    } else if (b.cone.kind == ConeKind::second_order) {
      correct_second_order(b, s, z, ds, dz, sigma_mu, out);
    } else if (b.cone.kind == ConeKind::exponential || b.cone.kind == ConeKind::power) {
      out.segment<3>(b.first) = corrector3(b.cone, part3(b, s), part3(b, z), part3(b, ds), part3(b, dz), sigma_mu);
    } else if (b.cone.kind == ConeKind::semidefinite) {
      out.segment(b.first, b.cone.rows) = psd(b).corrector(part(b, s), part(b, ds), part(b, dz), sigma_mu);
    }
  }
}

double ConeProduct::longest_step(const Vector& s, const Vector& ds, const Vector& z, const Vector& dz,
                                 double limit) const {
  double t = limit;
  for (const Block& b : blocks_) {
    if (b.cone.kind == ConeKind::nonnegative) {
      t = interior::longest_step(part(b, z), part(b, dz), interior::longest_step(part(b, s), part(b, ds), t));
    } else if (b.cone.kind == ConeKind::second_order) {
      t = std::min({t, soc::longest_step(part(b, s), part(b, ds)), soc::longest_step(part(b, z), part(b, dz))});
    } else if (b.cone.kind == ConeKind::semidefinite) {
      t = std::min({t, semidefinite::longest_step(part(b, s), part(b, ds)),
                    semidefinite::longest_step(part(b, z), part(b, dz))});
    }
  }
  for (const Block& b : blocks_) {  // no formula here: the step shrinks until it ends inside
    if (b.cone.kind != ConeKind::exponential && b.cone.kind != ConeKind::power) continue;
    const Vector3 s3 = part3(b, s), ds3 = part3(b, ds), z3 = part3(b, z), dz3 = part3(b, dz);
    while (t > kShortest && !(inside3(b.cone, s3 + t * ds3) && DualBarrier3::at(b.cone, z3 + t * dz3))) t *= kShrink;
  }
  return t;
}

bool ConeProduct::barrier(const Vector& s, const Vector& z, double& value) const {
  value = 0.0;
  for (const Block& b : blocks_) {
    if (b.cone.kind == ConeKind::nonnegative) {
      for (Index i = b.first; i < b.first + b.cone.rows; ++i) {
        if (!(s[i] > 0.0 && z[i] > 0.0)) return false;
        value -= std::log(s[i]) + std::log(z[i]);
      }
    } else if (b.cone.kind == ConeKind::second_order) {
      const double s_det = soc::root_det(part(b, s)), z_det = soc::root_det(part(b, z));
      if (!(s_det > 0.0 && z_det > 0.0)) return false;
      value -= std::log(s_det) + std::log(z_det);
    } else if (b.cone.kind == ConeKind::semidefinite) {
      value -= semidefinite::log_det(part(b, s)) + semidefinite::log_det(part(b, z));  // infinite outside
    } else if (b.cone.kind == ConeKind::exponential || b.cone.kind == ConeKind::power) {
      const auto dual = DualBarrier3::at(b.cone, part3(b, z));
      const auto shadow = negative_gradient3(b.cone, part3(b, s));
      const auto primal = shadow ? DualBarrier3::at(b.cone, *shadow) : std::nullopt;
      if (!dual || !primal) return false;
      value += dual->value() - primal->value() - kDegree3;  // f(s) = -3 - f*(-grad f(s))
    }
  }
  return std::isfinite(value);
}

}  // namespace pliant
