#include "machine/cores.hpp"

#include <algorithm>

namespace pliant::machine {

cpu_set_t own_cores() {
  cpu_set_t out;
  CPU_ZERO(&out);
  if (::sched_getaffinity(0, sizeof out, &out) != 0) CPU_ZERO(&out);  // a machine with more cores than the set holds
  return out;
}

int usable_cores() {
  const cpu_set_t own = own_cores();
  return std::max(1, CPU_COUNT(&own));
}

void use_cores_too(const cpu_set_t& others) {
  cpu_set_t all = own_cores();
  if (CPU_COUNT(&all) == 0) return;
  CPU_OR(&all, &all, &others);
  if (::sched_setaffinity(0, sizeof all, &all) != 0) return;  // a job that has been given fewer keeps those
}

}  // namespace pliant::machine
