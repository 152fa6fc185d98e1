// Fuzzing of the SDPA reader (fuzz_text.hpp). Usage: fuzz_sdpa [SECONDS] [SEED] [FILE...]
#include "fuzz_text.hpp"

// A file of a few kB justifies no allocation of a gigabyte.
extern "C" const char* __asan_default_options() {
  return "max_allocation_size_mb=1024:allocator_may_return_null=0:detect_leaks=1";
}

namespace {

const std::vector<std::string> kSeeds{
    "\"a comment\n* another\n 2 = number of variables\n2 =nblocks\n(2, -3) block sizes\n{1.5, -2}\n0 1 1 2 0.5\n"
    "0 2 3 3 -1\n1 1 1 1 1.0\n1 1 1 2 2 text\n2 1 2 2 +3.0e0\n2 2 1 1 4\n2 2 2 2 5D-1\n",
    "3\n3\n3 1 -2\n1\n2 3\n0 1 1 1 1\n0 1 2 3 .25\n1 1 1 1 1e-3\n1 2 1 1 1\n2 1 3 3 1\n2 3 1 1 -1\n3 3 2 2 1\n3 1 3 1 "
    "2\n",
    "1\n1\n40\n1\n0 1 1 40 1\n1 1 40 40 1\n1 1 20 7 -3\n",
};

const std::vector<std::string> kWords{"0",
                                      "1",
                                      "2",
                                      "3",
                                      "-1",
                                      "-3",
                                      "40",
                                      "500",
                                      "9999",
                                      "-9999",
                                      "99999",
                                      "1 1 1 1 1",
                                      "0 1 1 1 0",
                                      "2 2 3 3 7",
                                      "{",
                                      "}",
                                      "(",
                                      ")",
                                      ",",
                                      "=",
                                      "*",
                                      "\"",
                                      "1e308",
                                      "-1e308",
                                      "1e309",
                                      "1e-320",
                                      "-0",
                                      "inf",
                                      "nan",
                                      "0.5",
                                      "1.5",
                                      "1e2",
                                      "9999999999999999999999",
                                      "0x7f",
                                      "+-1",
                                      "1d",
                                      "d1",
                                      ".",
                                      "-",
                                      "+",
                                      "1e",
                                      "\t",
                                      " ",
                                      "\r",
                                      "\xff\xfe",
                                      "\x1f\x8b\x08",
                                      "4294967296",
                                      "-9223372036854775808",
                                      "100000000"};

// What has been read comes back to the bit: off-diagonal entries are searched for the value that does.
bool exact(const std::string&) { return true; }

}  // namespace

int main(int argc, char** argv) {
  return pliant::fuzz::run({"fuzz_sdpa", ".dat-s", kSeeds, kWords, exact}, argc, argv);
}
