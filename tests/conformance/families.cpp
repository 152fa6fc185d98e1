#include "conformance/families.hpp"

#include "conformance/rank_one_family.hpp"
#include "conformance/smoothed_cone_family.hpp"
#include "rows/row_subset.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

// The family of the example, as a user of the library wrote it.
#define PLIANT_EXAMPLE_WITHOUT_MAIN
#include "../examples/cpp/own_family.cpp"

namespace pliant::testing {
namespace {

long double dot(const double* row, const LongVector& x) {
  long double sum = 0.0L;
  for (Index j = 0; j < x.size(); ++j) sum += static_cast<long double>(row[j]) * x[j];
  return sum;
}

// ---- linear ----

struct LinearData {
  Numbers G, lo, hi;
  bool sparse = false, two_sided = false, broken = false;
};

DataMatrix to_matrix(const LinearData& data, Index m, Index n) {
  if (!data.sparse) return DataMatrix::dense(m, n, data.G);
  std::vector<Index> starts{0}, columns;
  Numbers values;
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j < n; ++j) {
      const double entry = data.G[at(i * n + j)];
      if (entry == 0.0) continue;
      columns.push_back(j);
      values.push_back(entry);
    }
    starts.push_back(static_cast<Index>(values.size()));
  }
  return DataMatrix::csr(m, n, starts, columns, values);
}

// Two-sided rows take turns: two different sides, equal sides, only an upper, only a lower, none.
void random_sides(Random& random, Index m, LinearData& data) {
  for (Index i = 0; i < m; ++i) {
    const double lo = random.normal();
    const bool equal = i % 5 == 1;
    data.lo.push_back(i % 5 == 2 || i % 5 == 4 ? -kInfinity : lo);
    data.hi.push_back(i % 5 == 3 || i % 5 == 4 ? kInfinity : (equal ? lo : lo + random.uniform()));
  }
}

Instance make_linear(Random& random, Index m, Index n, LinearData data) {
  data.G = random.numbers(m * n);
  if (data.sparse) {
    for (double& entry : data.G) entry = random.uniform() < 0.4 ? entry : 0.0;
  }
  if (data.two_sided) {
    random_sides(random, m, data);
  } else {
    data.hi = random.numbers(m);
  }
  if (data.broken) data.G.back() = kNan;
  std::vector<std::pair<Index, double>> sides;  // row, sign
  for (Index i = 0; i < m; ++i) {
    if (!data.two_sided || data.hi[at(i)] < kInfinity) sides.emplace_back(i, 1.0);
    if (data.two_sided && data.lo[at(i)] > -kInfinity) sides.emplace_back(i, -1.0);
  }
  Instance instance;
  const DataMatrix G = to_matrix(data, m, n);
  instance.batch = data.two_sided ? linear_range(data.lo, G, data.hi) : linear_le(G, data.hi);
  instance.value = [data, sides, n](Index i, const LongVector& x) {
    const auto [row, sign] = sides[at(i)];
    const long double product = dot(data.G.data() + row * n, x);
    return sign > 0 ? product - data.hi[at(row)] : data.lo[at(row)] - product;
  };
  return instance;
}

Family linear_family(std::string name, bool sparse, bool two_sided) {
  LinearData good{{}, {}, {}, sparse, two_sided, false};
  LinearData bad = good;
  bad.broken = true;
  return {std::move(name), [good](Random& r, Index m, Index n) { return make_linear(r, m, n, good); },
          [bad](Random& r, Index m, Index n) { return make_linear(r, m, n, bad).batch; }, true, true};
}

// ---- quadratic ----

enum class Storage { dense, low_rank, diagonal, callback };
enum class Linear { in_range, anywhere };  // where q lies

// B has k rows per constraint; P = B'B for dense, low rank and callback, diag(first row squared) for
// diagonal. Row 0 of a dense or diagonal batch is P = 0 (a linear constraint).
struct QuadraticData {
  Index n = 0, k = 0;
  Numbers B, D, q, r;
};

QuadraticData random_quadratics(Random& random, Index m, Index n, Index k, Storage storage, Linear linear) {
  QuadraticData data{n, k, random.numbers(m * k * n), {}, {}, random.numbers(m)};
  for (Index i = 0; i < m; ++i) {
    const double scale = random.log_uniform(0.1, 10.0);
    for (Index p = 0; p < k * n; ++p) data.B[at(i * k * n + p)] *= i == 0 && storage != Storage::low_rank ? 0.0 : scale;
    const Vector z = random.vector(k);
    for (Index j = 0; j < n; ++j) {
      const double b = data.B[at(i * k * n + j)];
      data.D.push_back(j % 3 == 2 ? 0.0 : b * b);
      double in_range = 0.0;
      if (storage == Storage::diagonal) {
        in_range = data.D.back() * random.normal();
      } else {
        for (Index l = 0; l < k; ++l) in_range += data.B[at((i * k + l) * n + j)] * z[l];
      }
      const bool free = linear == Linear::anywhere || (i == 0 && storage != Storage::low_rank);
      data.q.push_back(free && i % 4 != 3 ? random.normal() : in_range);
    }
  }
  return data;
}

long double quadratic_value(const QuadraticData& data, Storage storage, Index i, const LongVector& x) {
  long double square = 0.0L;
  if (storage == Storage::diagonal) {
    for (Index j = 0; j < data.n; ++j) square += static_cast<long double>(data.D[at(i * data.n + j)]) * x[j] * x[j];
  } else {
    for (Index l = 0; l < data.k; ++l) {
      const long double u = dot(data.B.data() + (i * data.k + l) * data.n, x);
      square += u * u;
    }
  }
  return 0.5L * square + dot(data.q.data() + i * data.n, x) + static_cast<long double>(data.r[at(i)]);
}

Numbers dense_matrices(const QuadraticData& data, Index m) {
  Numbers P;
  for (Index i = 0; i < m; ++i) {
    const Eigen::Map<const Matrix> Bt(data.B.data() + i * data.k * data.n, data.n, data.k);
    const Matrix product = Bt * Bt.transpose();
    P.insert(P.end(), product.data(), product.data() + product.size());
  }
  return P;
}

// A callback that evaluates a quadratic with dense P on its own.
BatchPtr callback_quadratic(const QuadraticData& data, Index m) {
  struct Model {
    QuadraticData data;
    Numbers P;
    Eigen::Map<const Matrix> matrix(Index i) const { return {P.data() + i * data.n * data.n, data.n, data.n}; }
    Eigen::Map<const Vector> linear(Index i) const { return {data.q.data() + i * data.n, data.n}; }
  };
  const auto model = std::make_shared<Model>(Model{data, dense_matrices(data, m)});
  CallbackFunctions functions;
  functions.values = [model](ConstVectorRef x, Rows rows, VectorRef a) {
    for (Index k = 0; k < rows.size(); ++k) {
      const Index i = rows[k];
      a[k] = 0.5 * x.dot(model->matrix(i) * x) + model->linear(i).dot(x) + model->data.r[at(i)];
    }
  };
  functions.jacobian = [model](ConstVectorRef x, Rows rows, MatrixRef J) {
    for (Index k = 0; k < rows.size(); ++k) J.row(k) = model->matrix(rows[k]) * x + model->linear(rows[k]);
  };
  functions.hessian = [model](ConstVectorRef, ConstVectorRef w, Rows rows, MatrixRef H) {
    H.setZero();
    for (Index k = 0; k < rows.size(); ++k) H += w[k] * model->matrix(rows[k]);
  };
  RowConstants constants{Vector(m), Vector::Constant(m, kInfinity), Vector::Zero(m), false};
  for (Index i = 0; i < m; ++i) constants.smoothness[i] = model->matrix(i).norm() * (1.0 + 1e-9);
  return callback_le(m, data.n, functions, constants);
}

Instance make_quadratic(Random& random, Index m, Index n, Index k, Storage storage, Linear linear, bool broken) {
  QuadraticData data = random_quadratics(random, m, n, k, storage, linear);
  if (broken) data.B.back() = data.D.back() = kNan;
  Instance instance;
  switch (storage) {
    case Storage::dense:
      instance.batch = quadratic_le(Tensor({m, n, n}, dense_matrices(data, m)), Tensor({m, n}, data.q), data.r);
      break;
    case Storage::low_rank:
      instance.batch = quadratic_lowrank_le(Tensor({m, k, n}, data.B), Tensor({m, n}, data.q), data.r);
      break;
    case Storage::diagonal:
      instance.batch = quadratic_diagonal_le(Tensor({m, n}, data.D), Tensor({m, n}, data.q), data.r);
      break;
    case Storage::callback:
      instance.batch = callback_quadratic(data, m);
      break;
  }
  instance.value = [data, storage](Index i, const LongVector& x) { return quadratic_value(data, storage, i, x); };
  return instance;
}

/// `surplus` is the number of rows of B beyond n (negative: P is singular).
Family quadratic_family(std::string name, Storage storage, Linear linear, Index surplus) {
  const auto rank = [surplus](Index n) { return std::max<Index>(1, n + surplus); };
  Family family;
  family.name = std::move(name);
  family.make = [=](Random& r, Index m, Index n) { return make_quadratic(r, m, n, rank(n), storage, linear, false); };
  family.make_broken = [=](Random& r, Index m, Index n) {
    return make_quadratic(r, m, n, rank(n), storage, linear, true).batch;
  };
  family.growth_global = storage != Storage::callback && linear == Linear::in_range;
  return family;
}

// The data of a callback are out of reach; its constants can still be wrong.
BatchPtr broken_callback(Random&, Index m, Index n) {
  CallbackFunctions functions;
  functions.values = [](ConstVectorRef, Rows, VectorRef a) { a.setZero(); };
  functions.jacobian = [](ConstVectorRef, Rows, MatrixRef J) { J.setZero(); };
  return callback_le(m, n, functions, RowConstants{Vector::Constant(m, kNan), Vector::Zero(m), Vector::Zero(m), true});
}

// ---- log-sum-exp ----

/// `scale` stretches the inner values: at 300 a plain exp would overflow.
Instance make_log_sum_exp(Random& random, Index m, Index n, Index terms, double scale, bool broken) {
  Numbers A = random.numbers(m * terms * n);
  Numbers b = random.numbers(m * terms);
  for (double& entry : b) entry *= scale;
  if (broken) A.back() = kNan;
  Instance instance;
  instance.batch = log_sum_exp_le(Tensor({m, terms, n}, A), Tensor({m, terms}, b));
  instance.value = [A, b, n, terms](Index i, const LongVector& x) {
    std::vector<long double> z;
    long double top = -std::numeric_limits<long double>::infinity();
    for (Index k = i * terms; k < (i + 1) * terms; ++k) {
      z.push_back(dot(A.data() + k * n, x) + b[at(k)]);
      top = std::max(top, z.back());
    }
    long double sum = 0.0L;
    for (const long double t : z) sum += std::exp(t - top);
    return top + std::log(sum);
  };
  return instance;
}

Family log_sum_exp_family(std::string name, Index terms, double scale) {
  return {std::move(name), [=](Random& r, Index m, Index n) { return make_log_sum_exp(r, m, n, terms, scale, false); },
          [=](Random& r, Index m, Index n) { return make_log_sum_exp(r, m, n, terms, scale, true).batch; }, true};
}

// ---- the example outside the library (examples/cpp/own_family.cpp) ----

Instance make_balls(Random& random, Index m, Index n, bool broken) {
  Numbers centres = random.numbers(m * n);
  const Numbers radii = random.numbers(m);
  if (broken) centres.back() = kNan;
  Instance instance;
  instance.batch = std::make_shared<balls::BallBatch>(m, n, centres, radii);
  instance.value = [centres, radii, n](Index i, const LongVector& x) {
    long double sum = 0.0L;
    for (Index j = 0; j < n; ++j) {
      const long double difference = x[j] - static_cast<long double>(centres[at(i * n + j)]);
      sum += difference * difference;
    }
    return 0.5L * (sum - static_cast<long double>(radii[at(i)]) * static_cast<long double>(radii[at(i)]));
  };
  return instance;
}

/// Two of three rows of another family, the last one among them, as screening keeps them.
Family subset_of(const Family& whole) {
  const auto kept = [](Index size) {
    std::vector<Index> rows;
    for (Index i = 0; i < size; ++i) {
      if (i % 3 != 1 || i + 1 == size) rows.push_back(i);
    }
    return rows;
  };
  Family part = whole;
  part.name = "subset_of_" + whole.name;
  part.make = [=](Random& random, Index m, Index n) {
    const Instance all = whole.make(random, m, n);
    const std::vector<Index> rows = kept(all.batch->size());
    return Instance{row_subset(all.batch, rows),
                    [=](Index i, const LongVector& x) { return all.value(rows[at(i)], x); }};
  };
  // A two-sided row with NaN may have no finite side; a subset is then rightly valid.
  if (whole.name.ends_with("two_sided")) return part;
  part.make_broken = [=](Random& random, Index m, Index n) {
    const BatchPtr all = whole.make_broken(random, m, n);
    return row_subset(all, kept(all->size()));
  };
  return part;
}

std::vector<Family> make_families() {
  std::vector<Family> all{
      linear_family("linear_dense", false, false),
      linear_family("linear_csr", true, false),
      linear_family("linear_dense_two_sided", false, true),
      linear_family("linear_csr_two_sided", true, true),
      quadratic_family("quadratic", Storage::dense, Linear::anywhere, 3),
      quadratic_family("quadratic_singular", Storage::dense, Linear::in_range, -3),
      quadratic_family("quadratic_without_minimum", Storage::dense, Linear::anywhere, -3),
      quadratic_family("quadratic_lowrank", Storage::low_rank, Linear::anywhere, -4),
      quadratic_family("quadratic_lowrank_in_range", Storage::low_rank, Linear::in_range, -4),
      quadratic_family("quadratic_diagonal", Storage::diagonal, Linear::in_range, 0),
      quadratic_family("quadratic_diagonal_without_minimum", Storage::diagonal, Linear::anywhere, 0),
      log_sum_exp_family("log_sum_exp", 4, 1.0),
      log_sum_exp_family("log_sum_exp_one_term", 1, 1.0),
      log_sum_exp_family("log_sum_exp_many_terms", 70, 1.0),
      log_sum_exp_family("log_sum_exp_large_values", 5, 300.0),
      smoothed_family("smoothed_soc", 0, 0.5),
      smoothed_family("smoothed_lmi_2", 2, 1.0),
      smoothed_family("smoothed_lmi_3", 3, 0.3),
      smoothed_family("smoothed_lmi_5", 5, 1.0),
      rank_one_family("rank_one", false),
      rank_one_family("rank_one_lifted", true),
      {"ball", [](Random& r, Index m, Index n) { return make_balls(r, m, n, false); },
       [](Random& r, Index m, Index n) { return make_balls(r, m, n, true).batch; }, true},
      quadratic_family("callback", Storage::callback, Linear::anywhere, 0),
  };
  all[4].growth_global = true;  // P is definite: every q lies in its range
  all.back().make_broken = broken_callback;
  for (const std::size_t k : {0u, 1u, 2u, 3u, 4u, 7u, 11u, 14u, 19u}) all.push_back(subset_of(all[k]));
  return all;
}

}  // namespace

const std::vector<Family>& families() {
  static const std::vector<Family> all = make_families();
  return all;
}

}  // namespace pliant::testing
