#include "engines/method_obstacle.hpp"

#include "engines/first_order/lbfgs.hpp"
#include "engines/stochastic/sdca.hpp"

namespace pliant {

std::string method_obstacle(Method method, const Problem& problem, const Settings& settings) {
  switch (method) {
    case Method::lbfgs:
      return Lbfgs::obstacle(problem);
    case Method::sdca:
      if (settings.outer != Outer::automatic || settings.delta) {
        return "--outer and --delta do not apply: its penalty is the exact one, without smoothing";
      }
      return sdca_obstacle(problem);
    default:
      return {};
  }
}

}  // namespace pliant
