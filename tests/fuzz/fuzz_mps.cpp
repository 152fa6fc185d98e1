// Fuzzing of the MPS reader (fuzz_text.hpp). Usage: fuzz_mps [SECONDS] [SEED] [FILE...]
#include "fuzz_text.hpp"

// A file of a few kB justifies no allocation of a gigabyte.
extern "C" const char* __asan_default_options() {
  return "max_allocation_size_mb=1024:allocator_may_return_null=0:detect_leaks=1";
}

namespace {

const std::vector<std::string> kSeeds{
    "NAME sample\nROWS\n N cost\n E e\n L l\n G g\nCOLUMNS\n x cost 1 e 1\n x l 1\n y cost 2 e 1\n y g 1\n z cost 3 l "
    "-1\n"
    " z g 2\nRHS\n RHS e 4 l 5\n RHS g 1 cost -3\nRANGES\n R l 2 g -3\n R e 1\nBOUNDS\n UP B x 4\n FR B y\n MI B z\n"
    " UP B z 9\nQUADOBJ\n x x 2 y 1\n y y 2\nENDATA\n",
    "* maximise, with quadratic rows\nNAME q FREE\nOBJSENSE\n    MAX\nOBJNAME\n profit\nROWS\n N other\n N profit\n L "
    "a\n"
    " G b\n E c\nCOLUMNS\n u profit 3 a 1\n u b 2.5 c 1\n v profit -1e-3 a 1e2\n v c -1\n w profit 1D0 b +.5\nRHS\n a "
    "10\n"
    " b -1\n c 0\nBOUNDS\n FX u 1\n LO v -2\n UP v -1\n PL w\nQMATRIX\n u u -2 v 1\n v u 1 v -2\nQCMATRIX a\n u u "
    "1\n"
    " v v 2\n u v .5\n v u .5\nQSECTION b\n w w -4\nENDATA\n",
    "NAME          FIXED ONE\nROWS\n N  MY COST\n L  ROW 1\nCOLUMNS\n    COL 1     MY COST            1.5   ROW 1"
    "               2.\n    COL 2     ROW 1             -1.0\nRHS\n    THE RHS   ROW 1              4.0\nBOUNDS\n"
    " UP BND 1     COL 2              3.0\nENDATA\n",
};

const std::vector<std::string> kWords{"NAME",
                                      "ROWS",
                                      "COLUMNS",
                                      "RHS",
                                      "RANGES",
                                      "BOUNDS",
                                      "QUADOBJ",
                                      "QMATRIX",
                                      "QSECTION",
                                      "QCMATRIX a",
                                      "ENDATA",
                                      "OBJSENSE",
                                      "OBJNAME",
                                      "MAX",
                                      "SOS1",
                                      " N n",
                                      " E e",
                                      " L l",
                                      " G g",
                                      "'MARKER'",
                                      "'INTORG'",
                                      "UP",
                                      "LO",
                                      "FX",
                                      "FR",
                                      "MI",
                                      "PL",
                                      "BV",
                                      "SC",
                                      "x",
                                      "y",
                                      "e",
                                      "cost",
                                      "1e308",
                                      "-1e308",
                                      "1e309",
                                      "1e-320",
                                      "-0",
                                      "inf",
                                      "nan",
                                      "1e20",
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
                                      "*",
                                      "$",
                                      "\r",
                                      "\xff\xfe",
                                      "99999999999999 99999999999999",
                                      "\x1f\x8b\x08",
                                      "\xc3\xa9",
                                      "4294967296",
                                      "-9223372036854775808"};

// RANGES holds widths, whose rounding may change with the sides they came from.
bool exact(const std::string& written) { return written.find("\nRANGES\n") == std::string::npos; }

}  // namespace

int main(int argc, char** argv) { return pliant::fuzz::run({"fuzz_mps", ".mps", kSeeds, kWords, exact}, argc, argv); }
