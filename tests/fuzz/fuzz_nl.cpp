// Fuzzing of the NL reader (fuzz_text.hpp). Usage: fuzz_nl [SECONDS] [SEED] [FILE...]
#include "fuzz_text.hpp"

// A file of a few kB justifies no allocation of a gigabyte.
extern "C" const char* __asan_default_options() {
  return "max_allocation_size_mb=1024:allocator_may_return_null=0:detect_leaks=1";
}

namespace {

const std::vector<std::string> kSeeds{
    "g3 1 1 0\n 5 4 1 4 0\n 0 0 0 0 0 0\n 0 0\n 0 0 0\n 0 0 0 1\n 0 0 0 0 0\n 20 5\n 0 0\n 0 0 0 0 "
    "0\nC0\nn0\nC1\nn0\nC2\nn0\nC3\nn0\nO0 1\nn7\nx0\nr\n0 -1.207552420874971 0.29244757912502883\n0 "
    "-4.1171060455813615 -2.6171060455813615\n0 1.3954402053833945 2.8954402053833945\n0 1.0236773565497463 "
    "2.5236773565497463\nb\n0 0 3\n0 0 3\n0 0 3\n0 0 3\n0 0 3\nk4\n4\n8\n12\n16\nJ0 5\n0 0.7148085531751387\n1 "
    "-0.9328288493890713\n2 0.45931089285988813\n3 -0.648688758794882\n4 0.7263578446997732\nJ1 5\n0 "
    "0.08292244049818343\n1 -0.40057621892523043\n2 -0.1546255576046831\n3 -0.9433606577090741\n4 "
    "-0.7514334470008721\nJ2 5\n0 0.34124882938726064\n1 0.2943790231485002\n2 0.2307702229625077\n3 "
    "-0.23264489147623313\n4 0.994419871578422\nJ3 5\n0 0.9616706775524602\n1 0.3710839689613894\n2 "
    "0.3009185525356326\n3 0.37689346114188016\n4 -0.22215715204179243\nG0 5\n0 1\n1 2\n2 3\n3 4\n4 5\n",
    "g3 1 1 0\n 3 2 1 0 0\n 2 0 0 0 0 0\n 0 0\n 3 0 0\n 0 0 0 1\n 0 0 0 0 0\n 4 3\n 0 0\n 0 0 0 0 "
    "0\nC0\no54\n3\no44\nv0\no5\nv1\nn2\no44\no0\nv2\no2\nn-1\nv1\nC1\no16\no44\nv1\nO0 0\nn0\nx3\n0 0.0\n1 0.0\n2 "
    "0.0\nr\n1 4\n2 -2.5\nb\n0 -3 3\n0 -3 3\n0 -3 3\nk2\n1\n3\nJ0 3\n0 0\n1 0\n2 0\nJ1 1\n1 0\nG0 3\n0 -1\n1 -1\n2 "
    "-1\n",
    "g3 1 1 0\n 2 1 1 0 0\n 0 1 0 0 0 0\n 0 0\n 0 2 0\n 0 0 0 1\n 0 0 0 0 0\n 1 2\n 0 0\n 0 0 0 0 0\nC0\nn0\nO0 "
    "0\no3\no5\no0\nv0\nn-2\nn2\nv1\nx2\n0 1\n1 1\nr\n1 1.5\nb\n3\n2 0.1\nk1\n1\nJ0 1\n0 1\nG0 2\n0 0\n1 1\n",
    "g3 1 1 0\n 3 2 1 0 0\n 1 0 0 0 0 0\n 0 0\n 3 0 0\n 0 0 0 1\n 0 0 0 0 0\n 5 3\n 0 0\n 0 0 0 0 "
    "0\nC0\no54\n3\no43\nv0\no2\nn2\no43\nv1\no43\nv2\nC1\nn0\nO0 0\nn0\nx3\n0 2.0\n1 2.0\n2 2.0\nr\n2 1\n1 1\nb\n0 "
    "0.01 20\n0 0.01 20\n0 0.01 20\nk2\n2\n3\nJ0 3\n0 0\n1 0\n2 0\nJ1 2\n0 1\n2 -1\nG0 3\n0 1\n1 2\n2 1\n"};

const std::vector<std::string> kWords{
    "C0",          "O0 0",   "V3 1 0", "J0 1",     "G0 1",      "b",
    "r",           "k1",     "x1",     "d1",       "S4 1 name", "o0",
    "o2",          "o3",     "o5",     "o16",      "o39",       "o43",
    "o44",         "o54",    "o15",    "o76",      "n0",        "n2",
    "n-1",         "n1e308", "n1e309", "n1e-320",  "nnan",      "v0",
    "v1",          "v9",     "v-1",    "0",        "1",         "2",
    "3",           "4 1",    "0 1 2",  "0 2 1",    "5 1 1",     "99999999",
    "268435456",   "-1",     "1e999",  "inf",      "-inf",      "#",
    "\t",          "\r",     "\xff",   "g3 1 1 0", "b3 1 1 0",  " 268435456 268435456 1 0 0",
    "\x1f\x8b\x08"};

bool exact(const std::string&) { return true; }

}  // namespace

int main(int argc, char** argv) {
  return pliant::fuzz::run({"fuzz_nl", ".nl", kSeeds, kWords, exact, false}, argc, argv);
}
