#include "engines/make_inner_method.hpp"

#include "engines/catalyst.hpp"
#include "engines/first_order/apg.hpp"
#include "engines/first_order/lbfgs.hpp"
#include "engines/stochastic/katyusha.hpp"
#include "engines/stochastic/rpdg.hpp"
#include "engines/stochastic/svrg.hpp"

#include <stdexcept>

namespace pliant {
namespace {

std::unique_ptr<InnerMethod> svrg(Index seed, bool loopless) {
  SvrgParameters parameters;
  parameters.loopless = loopless;
  return std::make_unique<Svrg>(seed, parameters);
}

std::unique_ptr<InnerMethod> katyusha(Index seed, bool loopless) {
  KatyushaParameters parameters;
  parameters.loopless = loopless;
  return std::make_unique<Katyusha>(seed, parameters);
}

}  // namespace

std::unique_ptr<InnerMethod> make_inner_method(Method method, const Problem& problem, Index seed) {
  switch (method) {
    case Method::apg:
      return std::make_unique<Apg>(problem.dimension(), problem.strong_convexity());
    case Method::lbfgs:
      return std::make_unique<Lbfgs>(problem);
    case Method::svrg:
      return svrg(seed, false);
    case Method::loopless_svrg:
      return svrg(seed, true);
    case Method::catalyst_svrg:
      return std::make_unique<Catalyst>(svrg(seed, false));
    case Method::katyusha:
      return katyusha(seed, false);
    case Method::loopless_katyusha:
      return katyusha(seed, true);
    case Method::rpdg:
      return std::make_unique<Rpdg>(seed);
    case Method::automatic:
    case Method::path:
      break;
  }
  throw std::logic_error("make_inner_method: not an inner method");
}

}  // namespace pliant
