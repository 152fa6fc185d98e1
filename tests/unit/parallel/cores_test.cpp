// Cores a process gives up and gets back, on threads of their own: what one does to its affinity stays with it.
#include "machine/cores.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <thread>

namespace pliant::machine {
namespace {

TEST(Cores, ThoseOfOthersAreAddedAndRefusalsChangeNothing) {
  std::thread([] {
    const cpu_set_t all = own_cores();
    ASSERT_EQ(usable_cores(), CPU_COUNT(&all));
    std::size_t core = 0;
    while (!CPU_ISSET(core, &all)) ++core;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
    EXPECT_EQ(usable_cores(), 1);
    cpu_set_t none;
    CPU_ZERO(&none);
    use_cores_too(none);
    EXPECT_EQ(usable_cores(), 1);
    use_cores_too(all);
    EXPECT_EQ(usable_cores(), CPU_COUNT(&all));
    cpu_set_t absent;  // the system leaves out what the machine does not have
    CPU_ZERO(&absent);
    CPU_SET(CPU_SETSIZE - 1, &absent);
    use_cores_too(absent);
    EXPECT_EQ(usable_cores(), CPU_COUNT(&all));
  }).join();
}

}  // namespace
}  // namespace pliant::machine
