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

double uniform_share(Sampling sampling) { return sampling == Sampling::uniform ? 1.0 : 0.0; }

// `name` is that of the command line.
template <class Kind, class Parameters>
std::unique_ptr<InnerMethod> variance_reduced(Index seed, const Draws& draws, bool loopless, const char* name) {
  Parameters parameters;
  parameters.batch_size = draws.batch_size;
  parameters.uniform_share = uniform_share(draws.sampling);
  parameters.loopless = loopless;
  return std::make_unique<Kind>(seed, parameters, name);
}
constexpr auto svrg = variance_reduced<Svrg, SvrgParameters>;
constexpr auto katyusha = variance_reduced<Katyusha, KatyushaParameters>;

}  // namespace

std::unique_ptr<InnerMethod> make_inner_method(Method method, const Problem& problem, Index seed, const Draws& draws) {
  switch (method) {
    case Method::apg:
      return std::make_unique<Apg>(problem.dimension(), problem.strong_convexity());
    case Method::lbfgs:
      return std::make_unique<Lbfgs>(problem);
    case Method::svrg:
      return svrg(seed, draws, false, "svrg");
    case Method::loopless_svrg:
      return svrg(seed, draws, true, "loopless-svrg");
    case Method::catalyst_svrg: {
      SvrgParameters damped;
      damped.batch_size = draws.batch_size;
      damped.step = damped.damped_step;
      damped.uniform_share = uniform_share(draws.sampling);
      return std::make_unique<Catalyst>(std::make_unique<Svrg>(seed, damped, "catalyst-svrg"));
    }
    case Method::katyusha:
      return katyusha(seed, draws, false, "katyusha");
    case Method::loopless_katyusha:
      return katyusha(seed, draws, true, "loopless-katyusha");
    case Method::rpdg:
      if (draws.sampling == Sampling::uniform) {
        throw InputError(
            "--sampling uniform: does not apply to --method rpdg, whose constants belong to its own sampling");
      }
      return std::make_unique<Rpdg>(seed);
    case Method::automatic:
    case Method::path:
    case Method::sdca:
      break;
  }
  throw std::logic_error("make_inner_method: not an inner method");
}

}  // namespace pliant
