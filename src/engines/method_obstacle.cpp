#include "engines/method_obstacle.hpp"

#include "engines/first_order/lbfgs.hpp"
#include "engines/stochastic/component_sum.hpp"
#include "engines/stochastic/rpdg.hpp"
#include "engines/stochastic/sdca.hpp"
#include "machine/memory.hpp"

#include <fmt/format.h>

namespace pliant {
namespace {

bool takes_batches(Method method) {
  switch (method) {
    case Method::svrg:
    case Method::loopless_svrg:
    case Method::catalyst_svrg:
    case Method::katyusha:
    case Method::loopless_katyusha:
      return true;
    default:
      return false;
  }
}

}  // namespace

void expect_batches_apply(const Settings& settings) {
  if (settings.batch_size == 1 || takes_batches(settings.method)) return;
  throw InputError(fmt::format(
      "--batch-size: does not apply to --method {}; svrg and katyusha take batches, also loopless and under "
      "Catalyst",
      to_string(settings.method)));
}

std::string method_obstacle(Method method, const Problem& problem, const Settings& settings) {
  if (method == Method::lbfgs) return Lbfgs::obstacle(problem);
  if (method == Method::sdca) {
    if (settings.outer != Outer::automatic || settings.delta) {
      return "--outer and --delta do not apply: its penalty is the exact one, without smoothing";
    }
    return sdca_obstacle(problem);
  }
  if (!takes_batches(method) && method != Method::rpdg) return {};
  for (const BatchPtr& batch : problem.batches()) {
    if (batch->group() > 1) {
      return "eigenvalues of cones cannot be sampled one by one; --nonsmooth logsumexp has one row per cone";
    }
  }
  if (std::string why = ComponentSum::obstacle(problem); !why.empty()) return why;
  if (method == Method::rpdg) {
    return Rpdg::obstacle(problem, settings.memory_limit.value_or(machine::machine_memory()));
  }
  return {};
}

}  // namespace pliant
