#include "pliant/result.hpp"

#include <fmt/format.h>

namespace pliant {

const Vector& Result::duals(const Handle& handle) const {
  const auto count = static_cast<Index>(constraint_duals.size());
  if (handle.index < 0 || handle.index >= count) {
    throw InputError(
        fmt::format("duals: handle of constraints {}: the result has {}, counting from 0", handle.index, count));
  }
  return constraint_duals[static_cast<std::size_t>(handle.index)];
}

std::string_view to_string(Status status) {
  switch (status) {
    case Status::optimal:
      return "optimal";
    case Status::primal_infeasible:
      return "primal_infeasible";
    case Status::dual_infeasible:
      return "dual_infeasible";
    case Status::time_limit:
      return "time_limit";
    case Status::pass_limit:
      return "pass_limit";
    case Status::iteration_limit:
      return "iteration_limit";
    case Status::user_stopped:
      return "user_stopped";
    case Status::interrupted:
      return "interrupted";
    case Status::numerical_error:
      return "numerical_error";
  }
  return "numerical_error";
}

int exit_code(Status status) {
  switch (status) {
    case Status::optimal:
      return 0;
    case Status::time_limit:
    case Status::pass_limit:
    case Status::iteration_limit:
    case Status::user_stopped:
      return 2;
    case Status::primal_infeasible:
    case Status::dual_infeasible:
      return 3;
    case Status::numerical_error:
      return 4;
    case Status::interrupted:
      return 130;
  }
  return 4;
}

}  // namespace pliant
