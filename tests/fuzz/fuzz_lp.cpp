// Fuzzing of the LP reader (fuzz_text.hpp). Usage: fuzz_lp [SECONDS] [SEED] [FILE...]
#include "fuzz_text.hpp"

// A file of a few kB justifies no allocation of a gigabyte.
extern "C" const char* __asan_default_options() {
  return "max_allocation_size_mb=1024:allocator_may_return_null=0:detect_leaks=1";
}

namespace {

const std::vector<std::string> kSeeds{
    "\\ comment\nmaximize\n profit: 3 coal + 2 wood - peat\n + [ - 2 coal ^ 2 + coal * wood - wood ^ 2 ] / 2 + 7\n"
    "subject to\n furnace: coal + wood\n + peat <= 4\n -3 <= coal - wood <= 8\n eq: 2 coal = - 1\n"
    " q: [ coal ^ 2 + wood ^ 2 ] + coal <= 9\nbounds\n coal <= 1\n -inf <= peat <= 10\n 2 <= wood\n ash free\n"
    "end\n",
    "min\nst\n r1: x1 + x2 + x3 >= 1\n r2: x1 - 1.5e-3 x2 = 0.25\nbounds\n x1 free\n x3 = 4\ngeneral\nend\n",
    "Minimise obj: x\nsuch that\n inf >= x + y >= -1e30\n 3 x\n + 2 y <= 1\nEnd",
};

const std::vector<std::string> kWords{
    "min",         "max",  "st",  "subject to", "bounds",   "end",      "general", "binary", "free",
    "inf",         "-inf", "x",   "y",          "coal",     "[",        "]",       "]/2",    "^",
    "^ 2",         "*",    "/",   "/ 2",        ":",        "r1:",      "<=",      ">=",     "=",
    "->",          "<",    "=>",  "+",          "-",        "+ -",      "1e308",   "-1e308", "1e309",
    "1e-320",      "-0",   "nan", "0x7f",       "1e",       ".",        "..",      "1.e5",   "e5",
    "\\",          "\t",   " ",   "\r",         "\xff\xfe", "\xc3\xa9", "1e20",    "1e19",   "9999999999999999999999",
    "\x1f\x8b\x08"};

bool exact(const std::string&) { return true; }

}  // namespace

int main(int argc, char** argv) { return pliant::fuzz::run({"fuzz_lp", ".lp", kSeeds, kWords, exact}, argc, argv); }
