// Steps that cost the nonzeros of the rows they draw.
//
// A coordinate is brought up to date when a drawn row touches it. All of them are between blocks of steps, when the
// ball is looked at; a block is so long that this costs less than the steps.
//
// `Coordinates` says what happens to coordinate j:
//   x()          the vector at which components are evaluated; expose(j) makes its entry j ready for the next step, and
//                returns it
//   skip(j, k)   k >= 0 steps that do not touch j
//   step(j, c)   one step with c added to the gradient of the snapshot
#pragma once

#include "engines/stochastic/stochastic_method.hpp"

#include <algorithm>

namespace pliant {

template <class Coordinates>
class LazySteps {
 public:
  LazySteps(StochasticMethod::Sparse& work, ComponentSum& sum, const Coordinates& at)
      : work_(work), sum_(sum), at_(at), n_(at.x().size()) {}

  void expose_all() {
    for (Index j = 0; j < n_; ++j) at_.expose(j);
  }
  // Step t of the block with the components in work_.drawn.
  void step(Index t) {
    if (work_.drawn.size() == 1 && sum_.scalar(work_.drawn[0])) {
      single_step(t, work_.drawn[0]);
      return;
    }
    for (const Index i : work_.drawn) {
      for_columns(i, [&](Index j) {
        catch_up(j, t);
        at_.expose(j);
      });
    }
    const double share = 1.0 / static_cast<double>(work_.drawn.size());
    for (const Index i : work_.drawn) {
      const ComponentSum::Correction c = sum_.correction(i, at_.x());
      c.row.for_each([&](Index j, double v) { work_.added[j] += share * c.coefficient * v; });
    }
    for (const Index i : work_.drawn) {
      for_columns(i, [&](Index j) {
        if (last(j) > t) return;  // another row of the batch touched it, too
        touch(j, t, work_.added[j]);
        work_.added[j] = 0.0;
      });
    }
  }
  void finish(Index length) {
    for (Index j = 0; j < n_; ++j) {
      catch_up(j, length);
      last(j) = 0;
    }
  }

 private:
  // The usual case without detours.
  void single_step(Index t, Index i) {
    const RowView row = sum_.row(i);
    double inner = 0.0;
    row.for_each([&](Index j, double v) {
      catch_up(j, t);
      inner += v * at_.expose(j);
    });
    const double coefficient = sum_.coefficient(i, inner);
    row.for_each([&](Index j, double v) { touch(j, t, coefficient * v); });
  }
  std::int32_t& last(Index j) { return work_.last[static_cast<std::size_t>(j)]; }
  void catch_up(Index j, Index t) {
    at_.skip(j, t - last(j));
    last(j) = static_cast<std::int32_t>(t);
  }
  void touch(Index j, Index t, double correction) {
    at_.step(j, correction);
    last(j) = static_cast<std::int32_t>(t + 1);
  }
  template <class F>
  void for_columns(Index i, const F& f) {
    if (sum_.scalar(i)) {
      sum_.row(i).for_each([&](Index j, double) { f(j); });
    } else {
      for (Index j = 0; j < n_; ++j) f(j);
    }
  }

  StochasticMethod::Sparse& work_;
  ComponentSum& sum_;
  const Coordinates& at_;
  Index n_;
};

template <class Coordinates>
Index StochasticMethod::take_lazy_steps(Index steps, const Coordinates& at) {
  const Index longest = lazy_block(steps);
  LazySteps<Coordinates> lazy(sparse_work_, *components_, at);
  Index done = 0;
  while (done < steps) {
    lazy.expose_all();
    if (!inside(at.x())) break;
    const Index length = std::min(longest, steps - done);
    for (Index t = 0; t < length; ++t) {
      draw_batch();
      lazy.step(t);
    }
    lazy.finish(length);
    done += length;
  }
  return done;
}

}  // namespace pliant
