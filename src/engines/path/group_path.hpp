// Linear and quadratic programs with norms of groups on working rows: the homogeneous embedding, where w|x_g| is a
// second-order cone (conic/conic_problem.hpp), in the place of a path of its own. No penalty is involved: xi is infinite.
#pragma once

#include "engines/path/path_form.hpp"
#include "engines/path/path_model.hpp"

namespace pliant {

struct GroupPathParameters {
  Index max_steps = 100;
  Index patience = 12;      ///< steps without a better iterate
  double ray = 1e-7;        ///< residuals that cancel to this share of what a ray gains make it one
  double ray_length = 1e2;  ///< x is moved along a ray by so many times 1 + |x|: rows that stop it are missing
};

class GroupPath final : public PathForm {
 public:
  explicit GroupPath(const PathModel& model, GroupPathParameters parameters = {})
      : model_(model), parameters_(parameters) {}

  bool solve(const WorkingRows& working, double eps, Vector& x, FunctionRef<bool()> stop) override;
  double xi() const override { return kInfinity; }
  double delta() const override { return delta_; }
  bool exhausted() const override { return false; }

 private:
  struct OnRows;

  const PathModel& model_;
  GroupPathParameters parameters_;
  double delta_ = 0.0;
};

}  // namespace pliant
