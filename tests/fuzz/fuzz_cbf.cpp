// Fuzzing of the CBF reader (fuzz_text.hpp). Usage: fuzz_cbf [SECONDS] [SEED] [FILE...]
#include "fuzz_text.hpp"

// A file of a few kB justifies no allocation of a gigabyte.
extern "C" const char* __asan_default_options() {
  return "max_allocation_size_mb=1024:allocator_may_return_null=0:detect_leaks=1";
}

namespace {

const std::vector<std::string> kSeeds{
    "# comment\nVER\n1\n\nOBJSENSE\nMIN\n\nVAR\n7 4\nF 1\nL+ 1\nL- 1\nQ 4\n\nCON\n5 3\nL= 1\nL+ 1\nQR "
    "3\n\nOBJACOORD\n2\n"
    "0 1.5\n3 -2\n\nOBJBCOORD\n7\n\nACOORD\n6\n0 0 1\n1 1 2\n2 2 -1\n3 3 1\n4 4 0.5\n4 6 1e-3\n\nBCOORD\n2\n0 -4\n2 "
    "1\n",
    "VER\n3\nOBJSENSE\nMAX\nPOWCONES\n2 4\n2\n1\n3\n2\n0.5\n0.5\nPOW*CONES\n1 2\n2\n2\n1\nVAR\n12 4\nEXP 3\n@1:POW 3\n"
    "@0:POW* 3\nF 3\nCON\n6 3\nEXP* 3\n@0:POW 3\nL= 0\nOBJACOORD\n3\n0 1\n5 2\n11 -1\nACOORD\n4\n0 9 1\n1 10 -1\n3 0 "
    "1\n5 "
    "11 2\nBCOORD\n1\n4 1\n",
    "VER\n2\nOBJSENSE\nMIN\nPSDVAR\n2\n2\n3\nVAR\n2 1\nF 2\nPSDCON\n1\n2\nCON\n2 1\nL= 2\nOBJFCOORD\n2\n1 2 0 0.5\n0 1 "
    "1 "
    "4\nOBJACOORD\n1\n1 1\nFCOORD\n3\n0 0 1 0 3\n0 1 2 2 1\n1 1 0 0 1\nACOORD\n1\n0 0 2\nBCOORD\n1\n0 -1\nHCOORD\n2\n0 "
    "0 0 "
    "0 1\n0 1 1 0 -2\nDCOORD\n1\n0 1 1 6\n",
};

const std::vector<std::string> kWords{"VER",        "OBJSENSE",
                                      "MIN",        "MAX",
                                      "VAR",        "CON",
                                      "PSDVAR",     "PSDCON",
                                      "OBJFCOORD",  "OBJACOORD",
                                      "OBJBCOORD",  "FCOORD",
                                      "ACOORD",     "BCOORD",
                                      "HCOORD",     "DCOORD",
                                      "INT",        "CHANGE",
                                      "POWCONES",   "POW*CONES",
                                      "F 1",        "L= 1",
                                      "L+ 2",       "L- 1",
                                      "Q 3",        "QR 3",
                                      "EXP 3",      "EXP* 3",
                                      "@0:POW 3",   "@1:POW* 3",
                                      "@9:POW 3",   "@",
                                      ":",          "#",
                                      "0",          "1",
                                      "2",          "3",
                                      "-1",         "40",
                                      "8192",       "8193",
                                      "60000000",   "67108864",
                                      "4294967296", "9223372036854775807",
                                      "1e308",      "1e309",
                                      "-1e308",     "1e-320",
                                      "-0",         "inf",
                                      "nan",        "0x7f",
                                      "+-1",        "0 0 1",
                                      "0 0 0 0 1",  "1 0 0 1",
                                      "\t",         "\r",
                                      "\xff\xfe",   "\x1f\x8b\x08"};

// Once written, a problem comes back to the bit.
bool exact(const std::string&) { return true; }

}  // namespace

int main(int argc, char** argv) { return pliant::fuzz::run({"fuzz_cbf", ".cbf", kSeeds, kWords, exact}, argc, argv); }
