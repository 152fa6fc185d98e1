// Random problems of every kind the path engine takes (zoo_builder.hpp), by name.
#pragma once

#include "support/zoo_builder.hpp"

#include <functional>
#include <string>

namespace pliant::testing {

struct ZooFamily {
  std::string name;
  std::function<RawProblem(Random& random, Index m)> make;
  Index large = 3000;  ///< rows of a large instance
};

inline std::ostream& operator<<(std::ostream& out, const ZooFamily& family) { return out << family.name; }

namespace zoo {

using B = ZooBuilder;
using Form = ZooBuilder::Form;
using Families = std::vector<ZooFamily>;

inline ZooFamily family(std::string name, Index n, std::function<void(B&, Random&, Index m)> build,
                        Index large = 3000) {
  return {std::move(name),
          [=](Random& random, Index m) {
            B b(random, n);
            build(b, random, m);
            return b.take();
          },
          large};
}

inline ZooFamily quadratic_family(std::string name, Form form) {
  return family(
      std::move(name), 6,
      [=](B& b, Random&, Index m) {
        b.quadratic_objective();
        b.quadratic_rows(m, form);
      },
      1500);
}

/// Linear and quadratic objectives over rows of every family.
inline Families families() {
  return {
      family("lp_box", 7,
             [](B& b, Random&, Index m) {
               b.linear_objective();
               b.add_box(-2.0, 2.0);
               b.linear_rows(b.rows(m));
             }),
      family("lp_free", 5,  // bounded by its rows alone
             [](B& b, Random& random, Index m) {
               const Matrix G = b.rows(m);
               Matrix all(m + 10, 5);
               all << G, 0.2 * Matrix::Identity(5, 5), -0.2 * Matrix::Identity(5, 5);
               b.linear_objective(random.log_uniform(0.1, 10.0));
               b.linear_rows(all);
             }),
      family("qp", 8,
             [](B& b, Random&, Index m) {
               b.quadratic_objective();
               b.linear_rows(b.rows(m));
             }),
      quadratic_family("qcqp_dense", Form::dense),
      quadratic_family("qcqp_lowrank", Form::low_rank),
      quadratic_family("qcqp_diagonal", Form::diagonal),
      quadratic_family("callback", Form::callback),
      quadratic_family("callback_with_constants", Form::callback_with_constants),
      family(
          "log_sum_exp", 6,
          [](B& b, Random&, Index m) {
            b.quadratic_objective();
            b.log_sum_exp_rows(m);
          },
          1500),
  };
}

/// Sums of losses.
inline Families losses() {
  return {
      family("logistic", 6,
             [](B& b, Random&, Index m) {
               b.logistic_objective(40);
               b.add_elastic_net(0.0, 0.01);
               b.linear_rows(b.rows(m));
             }),
      family("least_squares", 6,
             [](B& b, Random&, Index m) {
               b.least_squares_objective(30);
               b.linear_rows(b.rows(m));
             }),
      family("huber", 6,
             [](B& b, Random&, Index m) {
               b.huber_objective(40);
               b.add_box(-2.0, 2.0);
               b.linear_rows(b.rows(m));
             }),
  };
}

/// Simple terms that bend or bound x.
inline Families simple_terms() {
  return {
      family("l1", 8,
             [](B& b, Random&, Index m) {
               b.centre() *= 0.3;
               b.quadratic_objective();
               b.add_elastic_net(0.8, 0.0);
               b.linear_rows(b.rows(m));
             }),
      family(
          "elastic_net_curved", 6,
          [](B& b, Random&, Index m) {
            b.centre() *= 0.3;
            b.least_squares_objective(20);
            b.add_elastic_net(0.4, 0.2);
            b.quadratic_rows(m, Form::dense);
          },
          1000),
      family("simplex", 8,
             [](B& b, Random&, Index m) {
               b.add_simplex();
               b.quadratic_objective();
               b.linear_rows(b.rows(m));
             }),
      family(
          "simplex_curved", 6,
          [](B& b, Random&, Index m) {
            b.add_simplex();
            b.linear_objective();
            b.quadratic_rows(m, Form::diagonal);
          },
          1000),
  };
}

/// Equalities, dependent ones among them.
inline Families equalities() {
  return {
      family("equalities", 8,
             [](B& b, Random&, Index m) {
               b.add_equalities(3);
               b.quadratic_objective();
               b.linear_rows(b.rows(m));
             }),
      family("equalities_dependent", 8,
             [](B& b, Random&, Index m) {
               b.add_equalities(3, 2);
               b.quadratic_objective();
               b.linear_rows(b.rows(m));
             }),
      family("equalities_lp", 8,
             [](B& b, Random&, Index m) {
               b.add_equalities(2, 1);
               b.linear_objective();
               b.add_box(-2.0, 2.0);
               b.linear_rows(b.rows(m));
             }),
      family(
          "equalities_curved", 6,
          [](B& b, Random&, Index m) {
            b.add_equalities(2, 1);
            b.logistic_objective(30);
            b.add_elastic_net(0.0, 0.05);
            b.quadratic_rows(m, Form::low_rank);
          },
          1000),
  };
}

/// Mixtures, two-sided rows, and problems of one variable or row.
inline Families shapes() {
  return {
      family(
          "mixed", 6,
          [](B& b, Random&, Index m) {
            b.quadratic_objective();
            b.add_box(-3.0, 3.0);
            b.linear_rows(b.rows(m / 3 + 1));
            b.quadratic_rows(m / 3 + 1, Form::diagonal);
            b.log_sum_exp_rows(m / 3 + 1);
          },
          2000),
      family("ranges", 7,
             [](B& b, Random&, Index m) {
               b.quadratic_objective();
               b.range_rows(m);
             }),
      family(
          "linear_over_quadratic", 6,
          [](B& b, Random&, Index m) {
            b.linear_objective();
            b.quadratic_rows(m, Form::dense);
          },
          1000),
      family("one_variable", 1,
             [](B& b, Random&, Index m) {
               b.quadratic_objective();
               b.linear_rows(b.rows(m));
             }),
      family("one_row", 5,
             [](B& b, Random&, Index) {
               b.quadratic_objective();
               b.linear_rows(b.rows(1));
             }),
      family("one_curved_row", 5,
             [](B& b, Random&, Index) {
               b.quadratic_objective();
               b.quadratic_rows(1, Form::dense);
             }),
  };
}

/// Rows without a gradient, everywhere or at the start.
inline Families odd_rows() {
  return {
      family("zero_rows", 6,  // a third of the rows do not depend on x
             [](B& b, Random&, Index m) {
               b.quadratic_objective();
               Matrix G = b.rows(m);
               for (Index i = 0; i < m; i += 3) G.row(i).setZero();
               b.linear_rows(G);
             }),
      family(
          "flat_rows", 6,  // gradients vanish at the start
          [](B& b, Random&, Index m) {
            b.quadratic_objective();
            b.quadratic_rows(m, Form::dense, 1.0, true);
            b.raw().problem.start = b.centre();
          },
          1000),
  };
}

/// Starts far away.
inline Families far_starts() {
  return {
      family("far_start", 6,
             [](B& b, Random& random, Index m) {
               b.quadratic_objective();
               b.linear_rows(b.rows(m));
               b.raw().problem.start = 1e3 * random.vector(6);
             }),
      family(
          "far_start_curved", 6,
          [](B& b, Random& random, Index m) {
            b.quadratic_objective();
            b.quadratic_rows(m, Form::dense);
            b.raw().problem.start = 30.0 * random.vector(6);
          },
          1000),
  };
}

/// Rows of very different norms, repeated ones, and rows that do not matter.
inline Families repeats() {
  return {
      family("heavy_norms", 7,
             [](B& b, Random& random, Index m) {
               b.quadratic_objective();
               Matrix G = b.rows(m);
               for (Index i = 0; i < m; ++i) G.row(i) *= random.log_uniform(1e-3, 1e3);
               b.linear_rows(G);
             }),
      family("duplicates", 6,
             [](B& b, Random&, Index m) {
               b.quadratic_objective();
               Matrix G = b.rows(m);
               for (Index i = 0; i < m; ++i) G.row(i) = G.row(i - i % 4).eval();
               Vector h = G * b.centre();
               for (Index i = 0; i < m; ++i) h[i] = i % 4 == 0 ? h[i] + b.slack() : h[i - i % 4];
               b.linear_rows(G, h);
             }),
      family("inactive", 6,  // the unconstrained minimiser is the solution
             [](B& b, Random&, Index m) {
               b.quadratic_objective(0.01);
               b.linear_rows(b.rows(m));
             }),
      family(
          "inactive_curved", 6,
          [](B& b, Random&, Index m) {
            b.quadratic_objective(0.01);
            b.quadratic_rows(m, Form::dense);
          },
          1000),
  };
}

}  // namespace zoo

inline const std::vector<ZooFamily>& path_zoo() {
  static const std::vector<ZooFamily> kFamilies = [] {
    std::vector<ZooFamily> all;
    for (const auto& group : {zoo::families, zoo::losses, zoo::simple_terms, zoo::equalities, zoo::shapes,
                              zoo::odd_rows, zoo::far_starts, zoo::repeats}) {
      for (ZooFamily& each : group()) all.push_back(std::move(each));
    }
    return all;
  }();
  return kFamilies;
}

}  // namespace pliant::testing
