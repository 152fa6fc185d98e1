// Optimal power flow on the IEEE 14-bus network, relaxed to second-order cones (Jabr 2006), for many loads at once.
//
// With V_i the complex voltage of bus i, the relaxation keeps u_i = |V_i|^2 and c_l + j s_l = V_f conj(V_t) for every
// branch l from f to t. Power flows are linear in (u, c, s), and c_l^2 + s_l^2 = u_f u_t becomes a cone:
//
//   |(2 c_l, 2 s_l, u_f - u_t)| <= u_f + u_t.
//
// Loads depend on w in [-1, 1]^k; every quantity responds to it by an affine rule v(w) = v_0 + sum_q w_q v_q, so that
// balances hold for all w if they hold for each coefficient, and cones and limits are asked for at the sampled w.
#include "generate/data.hpp"
#include "generate/family.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <complex>
#include <utility>

namespace pliant::generation {
namespace {

// The public test case "IEEE 14 bus", with the costs usual for it; powers in MW and MVAr, impedances per unit.
constexpr double kBase = 100.0;  // MVA
constexpr Index kBuses = 14;

struct Load {
  double active, reactive;
};
constexpr std::array<Load, kBuses> kLoads{{{0, 0},
                                           {21.7, 12.7},
                                           {94.2, 19},
                                           {47.8, -3.9},
                                           {7.6, 1.6},
                                           {11.2, 7.5},
                                           {0, 0},
                                           {0, 0},
                                           {29.5, 16.6},
                                           {9, 5.8},
                                           {3.5, 1.8},
                                           {6.1, 1.6},
                                           {13.5, 5.8},
                                           {14.9, 5}}};

struct Generator {
  Index bus;  // from 1, as in the data
  double most, least_reactive, most_reactive;
  double square, slope;  // dollars per hour: square P^2 + slope P
};
constexpr std::array kGenerators{Generator{1, 332.4, 0, 10, 0.0430292599, 20}, Generator{2, 140, -40, 50, 0.25, 20},
                                 Generator{3, 100, 0, 40, 0.01, 40}, Generator{6, 100, -6, 24, 0.01, 40},
                                 Generator{8, 100, -6, 24, 0.01, 40}};

struct Branch {
  Index from, to;
  double resistance, reactance, charging;
  double tap = 1.0;
};
constexpr std::array kBranches{Branch{1, 2, 0.01938, 0.05917, 0.0528},
                               Branch{1, 5, 0.05403, 0.22304, 0.0492},
                               Branch{2, 3, 0.04699, 0.19797, 0.0438},
                               Branch{2, 4, 0.05811, 0.17632, 0.034},
                               Branch{2, 5, 0.05695, 0.17388, 0.0346},
                               Branch{3, 4, 0.06701, 0.17103, 0.0128},
                               Branch{4, 5, 0.01335, 0.04211, 0},
                               Branch{4, 7, 0, 0.20912, 0, 0.978},
                               Branch{4, 9, 0, 0.55618, 0, 0.969},
                               Branch{5, 6, 0, 0.25202, 0, 0.932},
                               Branch{6, 11, 0.09498, 0.1989, 0},
                               Branch{6, 12, 0.12291, 0.25581, 0},
                               Branch{6, 13, 0.06615, 0.13027, 0},
                               Branch{7, 8, 0, 0.17615, 0},
                               Branch{7, 9, 0, 0.11001, 0},
                               Branch{9, 10, 0.03181, 0.0845, 0},
                               Branch{9, 14, 0.12711, 0.27038, 0},
                               Branch{10, 11, 0.08205, 0.19207, 0},
                               Branch{12, 13, 0.22092, 0.19988, 0},
                               Branch{13, 14, 0.17093, 0.34802, 0}};

constexpr Index kShuntBus = 9;
constexpr double kShunt = 19.0;                              // MVAr at one per unit
constexpr double kLeastVoltage = 0.94, kMostVoltage = 1.06;  // per unit
constexpr double kDollars = 1000.0;                          // the objective is in thousands per hour
constexpr double kVariance = 1.0 / 3.0;                      // of a number uniform in (-1, 1)

constexpr Index kLines = kBranches.size(), kPlants = kGenerators.size();
constexpr Index kConeRows = 4;
// Where the quantities of one coefficient lie.
constexpr Index kU = 0, kC = kU + kBuses, kS = kC + kLines, kP = kS + kLines, kQ = kP + kPlants, kSize = kQ + kPlants;

// Generation less flows, first the active balances and then the reactive ones: M v = loads.
Matrix balances() {
  Matrix M = Matrix::Zero(2 * kBuses, kSize);
  for (Index l = 0; l < kLines; ++l) {
    const Branch& branch = kBranches[static_cast<std::size_t>(l)];
    const Index f = branch.from - 1, t = branch.to - 1;
    const std::complex<double> y = 1.0 / std::complex<double>(branch.resistance, branch.reactance);
    const double g = y.real(), b = y.imag(), own = b + 0.5 * branch.charging, tap = branch.tap;
    M(f, kU + f) -= g / (tap * tap);  // S_ft = u_f conj(y + j charging/2)/tap^2 - (c + js) conj(y)/tap
    M(f, kC + l) += g / tap;
    M(f, kS + l) += b / tap;
    M(kBuses + f, kU + f) += own / (tap * tap);
    M(kBuses + f, kC + l) -= b / tap;
    M(kBuses + f, kS + l) += g / tap;
    M(t, kU + t) -= g;  // S_tf = u_t conj(y + j charging/2) - (c - js) conj(y)/tap
    M(t, kC + l) += g / tap;
    M(t, kS + l) -= b / tap;
    M(kBuses + t, kU + t) += own;
    M(kBuses + t, kC + l) -= b / tap;
    M(kBuses + t, kS + l) -= g / tap;
  }
  M(kBuses + kShuntBus - 1, kU + kShuntBus - 1) += kShunt / kBase;
  for (Index k = 0; k < kPlants; ++k) {
    const Index bus = kGenerators[static_cast<std::size_t>(k)].bus - 1;
    M(bus, kP + k) += 1.0;
    M(kBuses + bus, kQ + k) += 1.0;
  }
  return M;
}

struct Limits {
  Vector lower, upper;
};

Limits limits() {
  const double most = kMostVoltage * kMostVoltage;
  Limits out{Vector::Constant(kSize, -most), Vector::Constant(kSize, most)};
  out.lower.segment(kU, kBuses).setConstant(kLeastVoltage * kLeastVoltage);
  for (Index k = 0; k < kPlants; ++k) {
    const Generator& plant = kGenerators[static_cast<std::size_t>(k)];
    out.lower[kP + k] = 0.0;
    out.upper[kP + k] = plant.most / kBase;
    out.lower[kQ + k] = plant.least_reactive / kBase;
    out.upper[kQ + k] = plant.most_reactive / kBase;
  }
  return out;
}

// Sparse rows of quantities at one w after the other: sum_q w_q times those of coefficient q, w_0 = 1.
class ScenarioRows {
 public:
  /// Entries by ascending quantity.
  void add(const std::vector<std::pair<Index, double>>& entries, const Vector& w) {
    for (Index q = 0; q < w.size(); ++q) {
      if (w[q] == 0.0) continue;
      for (const auto& [quantity, value] : entries) {
        columns_.push_back(q * kSize + quantity);
        values_.push_back(w[q] * value);
      }
    }
    starts_.push_back(static_cast<Index>(columns_.size()));
  }
  DataMatrix take(Index n) {
    const auto rows = static_cast<Index>(starts_.size()) - 1;
    return DataMatrix::csr(rows, n, Indices(std::move(starts_)), Indices(std::move(columns_)),
                           Doubles(std::move(values_)));
  }

 private:
  std::vector<Index> starts_{0}, columns_;
  std::vector<double> values_;
};

// (1, w) of scenario i: the loads as they are, then those at +-1 in one direction (which bound the responses by half of
// the room between limits), then random ones.
Vector scenario(const Parameters& p, Index k, Index i) {
  Vector w = Vector::Zero(k + 1);
  w[0] = 1.0;
  if (i > 0 && i <= 2 * k) {
    w[(i + 1) / 2] = i % 2 == 1 ? 1.0 : -1.0;
  } else if (i > 0) {
    for (Index q = 0; q < k; ++q) w[q + 1] = p.stream(Label::samples).row(i).uniform(q, -1.0, 1.0);
  }
  return w;
}

// Loads: L_b (1 + spread sum_q w_q f_qb), f uniform in (-1, 1).
void add_balances(const Parameters& p, Index k, Problem& problem) {
  const Matrix M = balances();
  ScenarioRows rows;
  Vector side(M.rows() * (k + 1));
  for (Index q = 0; q <= k; ++q) {
    for (Index r = 0; r < M.rows(); ++r) {
      std::vector<std::pair<Index, double>> entries;
      for (Index j = 0; j < kSize; ++j) {
        if (M(r, j) != 0.0) entries.emplace_back(j, M(r, j));
      }
      rows.add(entries, Vector::Unit(k + 1, q));
      const Index bus = r % kBuses;
      const Load& load = kLoads[static_cast<std::size_t>(bus)];
      const double size = (r < kBuses ? load.active : load.reactive) / kBase;
      const double share = p.real("spread") * p.stream(Label::factors).row(q).uniform(bus, -1.0, 1.0);
      side[q * M.rows() + r] = q == 0 ? size : share * size;
    }
  }
  problem.equal(rows.take(problem.dimension()), to_array(side));
}

// The expected cost, thousands of dollars per hour; w has mean 0 and independent entries.
TermPtr cost(Index n, Index k) {
  Vector square = Vector::Zero(n), slope = Vector::Zero(n);
  for (Index g = 0; g < kPlants; ++g) {
    const Generator& plant = kGenerators[static_cast<std::size_t>(g)];
    slope[kP + g] = plant.slope * kBase / kDollars;
    for (Index q = 0; q <= k; ++q) {
      square[q * kSize + kP + g] = 2.0 * plant.square * kBase * kBase / kDollars * (q == 0 ? 1.0 : kVariance);
    }
  }
  std::vector<Index> starts{0}, columns;
  std::vector<double> values;
  for (Index j = 0; j < n; ++j) {
    if (square[j] > 0.0) {
      columns.push_back(j);
      values.push_back(square[j]);
    }
    starts.push_back(static_cast<Index>(columns.size()));
  }
  return quadratic(
      DataMatrix::csr(n, n, Indices(std::move(starts)), Indices(std::move(columns)), Doubles(std::move(values))),
      to_array(slope));
}

// The cones of every branch and the limits of voltages and plants, scenario after scenario.
void add_scenarios(const Parameters& p, Index k, const Limits& room, Problem& problem) {
  const Index scenarios = k > 0 ? std::max((p.m() + kLines - 1) / kLines, 2 * k + 1) : 1, n = problem.dimension();
  checked_size({scenarios, kLines, n});
  ScenarioRows cones, bounds;
  std::vector<double> below, above;
  for (Index i = 0; i < scenarios; ++i) {
    const Vector w = scenario(p, k, i);
    for (Index l = 0; l < kLines; ++l) {
      const Branch& branch = kBranches[static_cast<std::size_t>(l)];
      const Index f = kU + branch.from - 1, t = kU + branch.to - 1;
      cones.add({{f, -1.0}, {t, -1.0}}, w);
      cones.add({{kC + l, -2.0}}, w);
      cones.add({{kS + l, -2.0}}, w);
      cones.add({{f, -1.0}, {t, 1.0}}, w);
    }
    for (Index j = 0; j < kSize && i > 0; ++j) {  // those of scenario 0 are in the box
      if (j >= kC && j < kP) continue;
      bounds.add({{j, 1.0}}, w);
      below.push_back(room.lower[j]);
      above.push_back(room.upper[j]);
    }
  }
  if (!below.empty()) {
    problem.subject_to(linear_range(Doubles(std::move(below)), bounds.take(n), Doubles(std::move(above))), "limits");
  }
  problem.subject_to(
      {cones.take(n), to_array(Vector::Zero(scenarios * kLines * kConeRows)),
       std::vector<Cone>(static_cast<std::size_t>(scenarios * kLines), {ConeKind::second_order, kConeRows, 0.5})},
      "voltages");
}

Problem opf(const Parameters& p) {
  const Index k = p.count("k"), n = kSize * (k + 1);
  if (p.n() != 0 && p.n() != n) {
    throw InputError(fmt::format("n: follows from k, expected {} (k + 1) = {}, got {}", kSize, n, p.n()));
  }
  const Limits room = limits();
  const Vector half = 0.5 * (room.upper - room.lower);
  Vector lower(n), upper(n);
  for (Index q = 0; q <= k; ++q) {
    lower.segment(q * kSize, kSize) = q == 0 ? room.lower : -half;
    upper.segment(q * kSize, kSize) = q == 0 ? room.upper : half;
  }
  Problem problem(n);
  problem.minimize(cost(n, k));
  problem.regularize(box(to_array(lower), to_array(upper)));
  add_balances(p, k, problem);
  add_scenarios(p, k, room, problem);
  return problem;
}

}  // namespace

std::vector<Family> power_families() {
  return {{"opf",
           "optimal power flow on 14 buses as second-order cones, loads that vary in k directions, m cones",
           {count("n", 0, 0), count("m", 20, 0), count("seed", 0, 0), count("k", 0, 0), real("spread", 0.1, 0.0, 1.0)},
           opf}};
}

}  // namespace pliant::generation
