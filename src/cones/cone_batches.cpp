// Many cones of one shape in one call.
#include "checks/shape_checks.hpp"
#include "parallel/parallel.hpp"
#include "pliant/batch_checks.hpp"
#include "pliant/cones.hpp"
#include "pliant/svec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

namespace pliant {
namespace {

constexpr Index kValidationChunks = 64;
// Entries (i, j) and (j, i) may differ by this much, relative to the larger one.
constexpr double kAsymmetry = 1e-12;

struct Built {
  std::shared_ptr<double[]> G, h;
};

// The shared arrays, filled cone by cone over threads: fill(i, rows of G, rows of h).
template <class Fill>
ConicConstraint build(Index m, Index n, Cone cone, const Fill& fill) {
  const Index rows = m * cone.rows;
  const Built built{std::make_shared_for_overwrite<double[]>(static_cast<std::size_t>(rows * n)),
                    std::make_shared_for_overwrite<double[]>(static_cast<std::size_t>(rows))};
  parallel::for_chunks(parallel::make_chunks(m, rows * n * static_cast<Index>(sizeof(double)), kValidationChunks),
                       [&](Index, Index begin, Index end) {
                         for (Index i = begin; i < end; ++i) {
                           fill(i, built.G.get() + i * cone.rows * n, built.h.get() + i * cone.rows);
                         }
                       });
  return {DataMatrix::dense(rows, n, Doubles(built.G.get(), rows * n, built.G)), Doubles(built.h.get(), rows, built.h),
          std::vector<Cone>(static_cast<std::size_t>(m), cone)};
}

void expect_symmetric(std::string_view field, const Doubles& values, Index matrices, Index k) {
  const Index wrong = first_row(matrices, values.size() * Index{sizeof(double)}, [&](Index begin, Index end) -> Index {
    for (Index i = begin; i < end; ++i) {
      const double* M = values.data() + i * k * k;
      for (Index r = 0; r < k; ++r) {
        for (Index c = 0; c < r; ++c) {
          const double u = M[r * k + c], v = M[c * k + r];
          if (!(std::abs(u - v) <= kAsymmetry * std::max(std::abs(u), std::abs(v)))) return i;
        }
      }
    }
    return -1;
  });
  if (wrong >= 0)
    throw InputError(fmt::format("lmi_le: {}: matrix {} (counting from 0) is not symmetric", field, wrong));
}

}  // namespace

ConicConstraint conic(DataMatrix G, Doubles h, std::vector<Cone> cones) {
  return {std::move(G), std::move(h), std::move(cones)};
}

ConicConstraint soc_le(const Tensor& matrices, const Tensor& offsets, const Tensor& slopes, const Doubles& d) {
  constexpr std::string_view kFunction = "soc_le";
  Shapes shapes(kFunction);
  shapes.expect("A", matrices, {"m", "k", "n"}).expect("b", offsets, {"m", "k"}).expect("c", slopes, {"m", "n"});
  const Index m = shapes["m"], n = shapes["n"], k = shapes["k"];
  expect_at_least(kFunction, "number of variables", 1, n);
  expect_at_least(kFunction, "rows of A_i", 1, k);
  expect_entries(kFunction, "d", m, d.size());
  const Doubles &A = matrices.values(), &b = offsets.values(), &c = slopes.values();
  return build(m, n, {ConeKind::second_order, k + 1, 0.5}, [&](Index i, double* G, double* h) {
    std::transform(c.data() + i * n, c.data() + (i + 1) * n, G, std::negate<>());
    std::transform(A.data() + i * k * n, A.data() + (i + 1) * k * n, G + n, std::negate<>());
    h[0] = d[i];
    std::copy_n(b.data() + i * k, k, h + 1);
  });
}

ConicConstraint lmi_le(const Tensor& constants, const Tensor& matrices) {
  constexpr std::string_view kFunction = "lmi_le";
  Shapes shapes(kFunction);
  shapes.expect("F0", constants, {"m", "k", "k"}).expect("F", matrices, {"m", "n", "k", "k"});
  const Index m = shapes["m"], n = shapes["n"], k = shapes["k"];
  expect_at_least(kFunction, "number of variables", 1, n);
  expect_at_least(kFunction, "order of the matrices", 1, k);
  const Doubles &F0 = constants.values(), &F = matrices.values();
  expect_symmetric("F0", F0, m, k);
  expect_symmetric("F", F, m * n, k);
  return build(m, n, {ConeKind::semidefinite, svec_size(k), 0.5}, [&](Index i, double* G, double* h) {
    const double* constant = F0.data() + i * k * k;
    const double* slopes = F.data() + i * n * k * k;
    for_each_svec_entry(k, [&](Index e, Index r, Index c) {
      h[e] = -svec_scale(r, c) * constant[r * k + c];
      for (Index j = 0; j < n; ++j) G[e * n + j] = svec_scale(r, c) * slopes[(j * k + r) * k + c];
    });
  });
}

}  // namespace pliant
