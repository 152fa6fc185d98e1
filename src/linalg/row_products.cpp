#include "linalg/row_products.hpp"

#include "linalg/lanes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pliant {
namespace {

double total(const Lanes& v) { return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7])); }

// One row at a time with two additions under way keeps up with memory; more rows at once were no faster.
template <bool kSquares>
void product_of(const double* row, Index n, const double* x, double& out, double* square_out) {
  Lanes sum{}, more{}, square{}, more_squares{};
  Index j = 0;
  for (; j + 2 * kLanes <= n; j += 2 * kLanes) {
    const Lanes first = lanes_at(row + j), second = lanes_at(row + j + kLanes);
    sum += first * lanes_at(x + j);
    more += second * lanes_at(x + j + kLanes);
    if constexpr (kSquares) {
      square += first * first;
      more_squares += second * second;
    }
  }
  for (; j + kLanes <= n; j += kLanes) {
    const Lanes entry = lanes_at(row + j);
    sum += entry * lanes_at(x + j);
    if constexpr (kSquares) square += entry * entry;
  }
  double rest = 0.0, rest_of_square = 0.0;
  for (; j < n; ++j) {
    rest += row[j] * x[j];
    if constexpr (kSquares) rest_of_square += row[j] * row[j];
  }
  out = total(sum + more) + rest;
  if constexpr (kSquares) *square_out = total(square + more_squares) + rest_of_square;
}

// Hardware follows long runs by itself; the beginnings of scattered rows it cannot guess.
void fetch_ahead(const double* row, Index n) {
  constexpr Index kLine = 64 / sizeof(double);
  constexpr Index kMost = 12 * kLine;
  for (Index j = 0; j < std::min(n, kMost); j += kLine) __builtin_prefetch(row + j);
}

template <bool kSquares>
void products_of(const double* data, Index n, Rows rows, const double* x, double* out, double* squares) {
  constexpr Index kAhead = 8;  // rows
  for (Index k = 0; k < rows.size(); ++k) {
    if (!rows.contiguous() && k + kAhead < rows.size()) fetch_ahead(data + rows[k + kAhead] * n, n);
    product_of<kSquares>(data + rows[k] * n, n, x, out[k], kSquares ? squares + k : nullptr);
  }
}

// What weight and entry contribute, for lanes and single numbers.
struct Product {
  template <class T>
  static void add(double w, const T& entry, T& sum) {
    sum += w * entry;
  }
};
struct Size {
  static void add(double w, double entry, double& sum) {
    sum += entry == 0.0 ? 0.0 : std::max(w * std::abs(entry), std::numeric_limits<double>::min());
  }
  static void add(double w, const Lanes& entry, Lanes& sum) {
    const Lanes product = w * (entry < 0.0 ? -entry : entry), none{};
    const Lanes least = none + std::numeric_limits<double>::min();
    const Lanes size = product < least ? least : product;
    sum += entry == 0.0 ? none : size;
  }
};

// A few rows at once: the sum is read and written once for them.
template <class Contribution, Index kRows>
void add_rows(const double* const* rows, const double* w, Index n, double* out) {
  Index j = 0;
  for (; j + kLanes <= n; j += kLanes) {
    Lanes sum = lanes_at(out + j);
    for (Index r = 0; r < kRows; ++r) {
      const Lanes entry = lanes_at(rows[r] + j);
      Contribution::add(w[r], entry, sum);
    }
    lanes_at(out + j) = sum;
  }
  for (; j < n; ++j) {
    for (Index r = 0; r < kRows; ++r) Contribution::add(w[r], rows[r][j], out[j]);
  }
}

template <class Contribution>
void add_all_rows(const double* data, Index n, Rows rows, const double* w, double* out) {
  constexpr Index kAtOnce = 4;
  const double* group[kAtOnce];
  double weights[kAtOnce];
  Index filled = 0;
  for (Index k = 0; k < rows.size(); ++k) {
    if (w[k] == 0.0) continue;
    group[filled] = data + rows[k] * n;
    weights[filled] = w[k];
    if (++filled == kAtOnce) {
      add_rows<Contribution, kAtOnce>(group, weights, n, out);
      filled = 0;
    }
  }
  for (Index k = 0; k < filled; ++k) add_rows<Contribution, 1>(group + k, weights + k, n, out);
}

}  // namespace

void add_weighted_rows(const double* data, Index n, Rows rows, const double* w, double* out) {
  add_all_rows<Product>(data, n, rows, w, out);
}

void add_weighted_sizes(const double* data, Index n, Rows rows, const double* w, double* out) {
  add_all_rows<Size>(data, n, rows, w, out);
}

void row_products(const double* data, Index n, Rows rows, const double* x, double* out, double* squares) {
  if (squares != nullptr) {
    products_of<true>(data, n, rows, x, out, squares);
  } else {
    products_of<false>(data, n, rows, x, out, nullptr);
  }
}

}  // namespace pliant
