#include "rows/device_batch.hpp"

#include "constraints/linear.hpp"
#include "constraints/log_sum_exp.hpp"
#include "constraints/quadratic.hpp"
#include "constraints/rank_one.hpp"
#include "parallel/long_vectors.hpp"
#include "pliant/constraints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

pliant_cuda_shape shape_of(const DeviceMatrix& G, pliant_cuda_family family, Index terms = 1) {
  const auto bytes = static_cast<std::int32_t>(G.single ? sizeof(float) : sizeof(double));
  return {static_cast<std::int32_t>(G.device), family, bytes, G.rows, G.columns, terms};
}

}  // namespace

DeviceBatch::DeviceBatch(const pliant_cuda_shape& shape) : api_(device_library()), shape_(shape) {
  expect_done(api_, api_.create(&shape_, &rows_));
}

DeviceBatch::DeviceBatch(const DeviceMatrix& G, const DeviceVector& lower, const DeviceVector& upper)
    : DeviceBatch(shape_of(G, PLIANT_CUDA_LINEAR)) {
  expect_done(api_, api_.await_stream(rows_, G.stream));
  expect_done(api_, api_.adopt(rows_, G.numbers));
  set_constants(lower, upper);
}

DeviceBatch::DeviceBatch(const LinearRows& rows, int device)
    : DeviceBatch(shape_of({.rows = rows.matrix().rows(), .columns = rows.matrix().cols(), .device = device},
                           PLIANT_CUDA_LINEAR)) {
  expect_done(api_, api_.upload(rows_, 0, shape_.rows, rows.matrix().values().data()));
  set_constants({rows.two_sided() ? rows.lower().data() : nullptr, false, false}, {rows.upper().data(), false, false});
}

DeviceBatch::DeviceBatch(const DeviceMatrix& points, bool lifted, const DeviceVector& b)
    : DeviceBatch(shape_of(points, PLIANT_CUDA_FORMS)) {
  lifted_ = lifted;
  expect_done(api_, api_.await_stream(rows_, points.stream));
  expect_done(api_, api_.adopt(rows_, points.numbers));
  set_constants({}, b);
  set_coordinates(Matrix());
}

DeviceBatch::DeviceBatch(const RankOneBatch& points, int device)
    : DeviceBatch(shape_of({.rows = points.size(), .columns = points.width(), .device = device}, PLIANT_CUDA_FORMS)) {
  lifted_ = points.lifted();
  expect_done(api_, api_.upload(rows_, 0, shape_.rows, points.points().data()));
  set_constants({}, {points.b().data(), false, false});
  set_coordinates(Matrix());
}

DeviceBatch::DeviceBatch(const DeviceMatrix& terms, Index count, pliant_cuda_family family, const void* beside,
                         const DeviceVector& upper)
    : DeviceBatch(shape_of(terms, family, count)) {
  expect_done(api_, api_.await_stream(rows_, terms.stream));
  expect_done(api_, api_.adopt(rows_, terms.numbers));
  expect_done(api_, api_.set_beside(rows_, beside, 1));
  set_constants({}, upper);
}

DeviceBatch::DeviceBatch(const QuadraticRows& rows, int device)
    : DeviceBatch(
          shape_of({.rows = rows.size(), .columns = rows.n, .device = device}, PLIANT_CUDA_QUADRATIC, rows.rank)) {
  expect_done(api_, api_.upload(rows_, 0, shape_.rows, rows.data.data()));
  expect_done(api_, api_.set_beside(rows_, rows.q.data(), 0));
  const Vector upper = -Eigen::Map<const Vector>(rows.r.data(), rows.r.size());
  set_constants({}, {upper.data(), false, false});
}

DeviceBatch::DeviceBatch(const LogSumExpBatch& rows, int device)
    : DeviceBatch(shape_of({.rows = rows.size(), .columns = rows.dimension(), .device = device},
                           PLIANT_CUDA_LOG_SUM_EXP, rows.terms())) {
  expect_done(api_, api_.upload(rows_, 0, shape_.rows, rows.A().data()));
  expect_done(api_, api_.set_beside(rows_, rows.b().data(), 0));
  const Vector upper = Vector::Zero(rows.size());
  set_constants({}, {upper.data(), false, false});
  constants_.largest = rows.constant_scale();
}

std::string DeviceBatch::obstacle(const ConstraintBatch& rows) {
  const BatchStructure structure = rows.structure();
  if (structure.rank_one != nullptr && structure.rank_one->width() <= PLIANT_CUDA_WIDEST_FORM) return "";
  if (structure.linear_rows != nullptr && !structure.linear_rows->matrix().is_sparse()) return "";
  const QuadraticRows* quadratic = structure.quadratic_rows;
  if (quadratic != nullptr && quadratic->form == QuadraticRows::Form::factored &&
      quadratic->rank < PLIANT_CUDA_MOST_TERMS) {
    return "";
  }
  const auto* exponentials = dynamic_cast<const LogSumExpBatch*>(&rows);
  if (exponentials != nullptr && exponentials->terms() <= PLIANT_CUDA_MOST_TERMS) return "";
  return fmt::format(
      "takes dense linear rows, points of up to {} numbers, quadratic rows of rank up to {} and log-sum-exp rows of up "
      "to {} "
      "terms",
      PLIANT_CUDA_WIDEST_FORM, PLIANT_CUDA_MOST_TERMS - 1, PLIANT_CUDA_MOST_TERMS);
}

std::shared_ptr<DeviceBatch> DeviceBatch::copy_of(const ConstraintBatch& rows, int device) {
  const BatchStructure structure = rows.structure();
  if (structure.rank_one != nullptr) return std::make_shared<DeviceBatch>(*structure.rank_one, device);
  if (structure.quadratic_rows != nullptr) return std::make_shared<DeviceBatch>(*structure.quadratic_rows, device);
  if (const auto* exponentials = dynamic_cast<const LogSumExpBatch*>(&rows)) {
    return std::make_shared<DeviceBatch>(*exponentials, device);
  }
  return std::make_shared<DeviceBatch>(*structure.linear_rows, device);
}

Index DeviceBatch::row_bytes() const {
  const Index own = shape_.terms * shape_.width * shape_.number_bytes;
  if (straight()) return own;
  const bool quadratic = shape_.family == PLIANT_CUDA_QUADRATIC;
  return own + beside_width() * (quadratic ? shape_.number_bytes : static_cast<Index>(sizeof(double)));
}

void DeviceBatch::set_coordinates(const Matrix& R) {
  if (!points()) {
    if (R.size() > 0) throw InputError("these rows on a device know no other coordinates");
    return;
  }
  R_ = R;
  const Matrix metric = R.size() > 0 ? Matrix(R.transpose() * R) : Matrix(Matrix::Identity(order(), order()));
  expect_done(api_, api_.set_norm_form(rows_, form_of(metric).data()));
}

const double* DeviceBatch::argument(const Vector& x) {
  if (!points()) return x.data();
  const Matrix Y = smat(x);
  form_ = form_of(R_.size() > 0 ? Matrix(R_.transpose() * Y * R_) : Y);
  return form_.data();
}

// (p,1)'X(p,1) = p'Ap + 2c'p + s with X = [A c; c' s].
std::vector<double> DeviceBatch::form_of(const Matrix& X) const {
  std::vector<double> out;
  for (Index j = 0; j < shape_.width; ++j) {
    for (Index k = 0; k <= j; ++k) out.push_back(j == k ? X(j, j) : X(j, k) + X(k, j));
  }
  for (Index j = 0; j < shape_.width; ++j) out.push_back(lifted_ ? X(j, order() - 1) + X(order() - 1, j) : 0.0);
  out.push_back(lifted_ ? X(order() - 1, order() - 1) : 0.0);
  return out;
}

BatchPtr DeviceBatch::fetch_points(const std::vector<Index>& list) {
  const auto count = static_cast<Index>(list.size());
  std::vector<double> lower(list.size()), b(list.size());
  Doubles numbers = gather_numbers(list, lower, b);
  return std::make_shared<RankOneBatch>(count, order(), lifted_, std::move(numbers), Doubles(std::move(b)));
}

// ln sum exp(z) <= c is ln sum exp(z - c) <= 0.
BatchPtr DeviceBatch::fetch_curved(const std::vector<Index>& list) {
  const auto count = static_cast<Index>(list.size());
  std::vector<double> lower(list.size()), upper(list.size()),
      beside(list.size() * static_cast<std::size_t>(beside_width()));
  Doubles numbers = gather_numbers(list, lower, upper, beside.data());
  if (shape_.family == PLIANT_CUDA_QUADRATIC) {
    for (double& side : upper) side = -side;
    return std::make_shared<QuadraticLowRankBatch>(count, shape_.width, shape_.terms, std::move(numbers),
                                                   Doubles(std::move(beside)), Doubles(std::move(upper)));
  }
  for (std::size_t k = 0; k < beside.size(); ++k) beside[k] -= upper[k / static_cast<std::size_t>(shape_.terms)];
  return std::make_shared<LogSumExpBatch>(count, shape_.width, shape_.terms, std::move(numbers),
                                          Doubles(std::move(beside)));
}

// The numbers of many rows lie in pages that all threads touch first.
Doubles DeviceBatch::gather_numbers(const std::vector<Index>& stored, std::vector<double>& lower,
                                    std::vector<double>& upper, double* beside) {
  const auto count = static_cast<Index>(stored.size());
  const auto numbers = std::make_shared<Vector>();
  parallel::resize(*numbers, count * shape_.terms * shape_.width);
  parallel::fill(*numbers, 0.0);
  expect_done(api_, api_.gather(rows_, stored.data(), count, numbers->data(), lower.data(), upper.data(), beside));
  return {numbers->data(), numbers->size(), numbers};
}

DeviceBatch::~DeviceBatch() {
  if (rows_ != nullptr) api_.destroy(rows_);
}

void DeviceBatch::set_constants(const DeviceVector& lower, const DeviceVector& upper) {
  const auto bytes = static_cast<std::int32_t>(upper.single ? sizeof(float) : sizeof(double));
  expect_done(api_,
              api_.set_constants(rows_, lower.numbers, upper.numbers, upper.on_device ? 1 : 0, bytes, &constants_));
  if (lower.numbers == nullptr && constants_.constraints == shape_.rows) return;
  if (points()) throw InputError("points on a device: b has infinite entries");
  if (!straight()) throw InputError("rows on a device: curved rows have infinite sides");
  sides_.resize(static_cast<std::size_t>(constants_.constraints));
  expect_done(api_, api_.list_sides(rows_, sides_.data()));
}

std::vector<Index> DeviceBatch::rows_behind(const std::vector<Index>& list) const {
  std::vector<Index> stored;
  for (const Index i : list) {
    const Index r = side(i).row;
    if (stored.empty() || stored.back() != r) stored.push_back(r);
  }
  return stored;
}

BatchPtr DeviceBatch::fetch(const std::vector<Index>& list) {
  if (points()) return fetch_points(list);
  if (!straight()) return fetch_curved(list);
  const std::vector<Index> stored = rows_behind(list);
  const auto count = static_cast<Index>(stored.size());
  std::vector<double> lower(stored.size()), upper(stored.size());
  DataMatrix G = DataMatrix::dense(count, shape_.width, gather_numbers(stored, lower, upper));
  if (!two_sided()) return finite_linear_le(std::move(G), Doubles(std::move(upper)));
  // Sides that are not listed become infinite.
  std::vector<double> lo(stored.size(), -kInfinity), hi(stored.size(), kInfinity);
  std::size_t at = 0;
  for (const Index i : list) {
    const Index side = sides_[static_cast<std::size_t>(i)];
    while (stored[at] != side / 2) ++at;
    if (side % 2 == 0) {
      hi[at] = upper[at];
    } else {
      lo[at] = lower[at];
    }
  }
  return linear_range(Doubles(std::move(lo)), std::move(G), Doubles(std::move(hi)));
}

Index DeviceBatch::name_gram_rows(const std::vector<Index>& list) {
  const std::vector<Index> stored = rows_behind(list);
  gram_places_.clear();
  std::size_t at = 0;
  for (const Index i : list) {
    const Index r = side(i).row;
    while (stored[at] != r) ++at;
    gram_places_.push_back(static_cast<Index>(at));
  }
  // Row after row, which of a column-major matrix is its transpose.
  const Matrix R = R_.size() > 0 ? Matrix(R_.transpose()) : Matrix(Matrix::Identity(order(), order()));
  expect_done(api_, api_.gram_gather(rows_, stored.data(), static_cast<Index>(stored.size()),
                                     points() ? R.data() : nullptr, points() ? order() : 0));
  return ++gram_;
}

void DeviceBatch::begin_gram(std::span<const Index> places, ConstVectorRef weights) {
  gram_weights_.clear();
  for (std::size_t k = 0; k < places.size(); ++k) {
    const double weight = weights[static_cast<Index>(k)];
    if (weight != 0.0) gram_weights_.push_back({gram_places_[static_cast<std::size_t>(places[k])], weight});
  }
  expect_done(api_, api_.gram_begin(rows_, gram_weights_.data(), static_cast<Index>(gram_weights_.size())));
}

void DeviceBatch::end_gram(MatrixRef H) {
  constexpr Index kTile = PLIANT_CUDA_GRAM_TILE;
  const Index n = dimension(), edge = (n + kTile - 1) / kTile;
  gram_tiles_.resize(static_cast<std::size_t>(edge * (edge + 1) / 2 * kTile * kTile));
  expect_done(api_, api_.gram_end(rows_, gram_tiles_.data()));
  const Index bytes = n * n * static_cast<Index>(sizeof(double));
  parallel::for_range_of(n, bytes, [&](Index first, Index last) {
    for (Index j = first; j < last; ++j) {
      for (Index i = j; i < n; ++i) {
        const Index down = i / kTile, across = j / kTile, tile = down * (down + 1) / 2 + across;
        H(i, j) += gram_tiles_[static_cast<std::size_t>((tile * kTile + i % kTile) * kTile + j % kTile)];
      }
    }
  });
}

DeviceBatchPtr linear_le_on_device(const DeviceMatrix& G, const double* h) {
  return linear_le_on_device(G, DeviceVector{h});
}
DeviceBatchPtr linear_le_on_device(const DeviceMatrix& G, const DeviceVector& h) {
  return std::make_shared<DeviceBatch>(G, DeviceVector{}, h);
}

DeviceBatchPtr linear_range_on_device(const double* lo, const DeviceMatrix& G, const double* hi) {
  return linear_range_on_device(DeviceVector{lo}, G, DeviceVector{hi});
}
DeviceBatchPtr linear_range_on_device(const DeviceVector& lo, const DeviceMatrix& G, const DeviceVector& hi) {
  if (lo.single != hi.single || lo.on_device != hi.on_device) {
    throw InputError("rows on a device: lower and upper sides must be stored alike");
  }
  return std::make_shared<DeviceBatch>(G, lo, hi);
}

DeviceBatchPtr rank_one_lifted_le_on_device(const DeviceMatrix& points, const double* b) {
  return rank_one_lifted_le_on_device(points, DeviceVector{b});
}
DeviceBatchPtr rank_one_lifted_le_on_device(const DeviceMatrix& points, const DeviceVector& b) {
  return std::make_shared<DeviceBatch>(points, true, b);
}
DeviceBatchPtr rank_one_le_on_device(const DeviceMatrix& points, const DeviceVector& b) {
  return std::make_shared<DeviceBatch>(points, false, b);
}

DeviceBatchPtr quadratic_lowrank_le_on_device(const DeviceMatrix& factors, Index rank, const void* q,
                                              const DeviceVector& upper) {
  return std::make_shared<DeviceBatch>(factors, rank, PLIANT_CUDA_QUADRATIC, q, upper);
}
DeviceBatchPtr log_sum_exp_le_on_device(const DeviceMatrix& A, Index terms, const double* b,
                                        const DeviceVector& upper) {
  return std::make_shared<DeviceBatch>(A, terms, PLIANT_CUDA_LOG_SUM_EXP, b, upper);
}

Index constraints_of(const DeviceBatch& rows) { return rows.size(); }
Index stored_rows_of(const DeviceBatch& rows) { return rows.stored_rows(); }
DeviceSide side_of(const DeviceBatch& rows, Index constraint) { return rows.side(constraint); }

}  // namespace pliant
