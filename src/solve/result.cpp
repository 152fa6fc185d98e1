#include "pliant/result.hpp"

namespace pliant {

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
