// Structured fuzzing of the MPS reader: valid files, mutated. Usage: fuzz_mps [SECONDS] [SEED] [FILE...]
//
// Every mutant is read, and what reads is validated, written and read again. Allowed is an InputError of one line and
// nothing else: no crash, no other exception, no case longer than kLongestCase, no large allocation. Runs with the same
// seed make the same mutants. The mutant at work lies in a folder that is kept when something goes wrong.
#include "pliant/io.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>
#include <zlib.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

// A file of a few kB justifies no allocation of a gigabyte.
extern "C" const char* __asan_default_options() {
  return "max_allocation_size_mb=1024:allocator_may_return_null=0:detect_leaks=1";
}

namespace {

namespace fs = std::filesystem;
constexpr unsigned kLongestCase = 20;  // seconds, sanitizers and all

const std::vector<std::string> kSeeds{
    "NAME sample\nROWS\n N cost\n E e\n L l\n G g\nCOLUMNS\n x cost 1 e 1\n x l 1\n y cost 2 e 1\n y g 1\n z cost 3 l "
    "-1\n"
    " z g 2\nRHS\n RHS e 4 l 5\n RHS g 1 cost -3\nRANGES\n R l 2 g -3\n R e 1\nBOUNDS\n UP B x 4\n FR B y\n MI B z\n"
    " UP B z 9\nQUADOBJ\n x x 2 y 1\n y y 2\nENDATA\n",
    "* maximise, with quadratic rows\nNAME q FREE\nOBJSENSE\n    MAX\nOBJNAME\n profit\nROWS\n N other\n N profit\n L "
    "a\n"
    " G b\n E c\nCOLUMNS\n u profit 3 a 1\n u b 2.5 c 1\n v profit -1e-3 a 1e2\n v c -1\n w profit 1D0 b +.5\nRHS\n a "
    "10\n"
    " b -1e30\n c 0\nBOUNDS\n FX u 1\n LO v -2\n UP v -1\n PL w\nQMATRIX\n u u -2 v 1\n v u 1 v -2\nQCMATRIX a\n u u "
    "1\n"
    " v v 2\n u v .5\n v u .5\nQSECTION b\n w w -4\nENDATA\n",
    "NAME          FIXED ONE\nROWS\n N  MY COST\n L  ROW 1\nCOLUMNS\n    COL 1     MY COST            1.5   ROW 1"
    "                2.\n    COL 2     ROW 1             -1.0\nRHS\n    THE RHS   ROW 1              4.0\nBOUNDS\n"
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

class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : engine_(seed) {}

  std::string mutate(std::string text) {
    const std::size_t steps = 1 + below(6);
    for (std::size_t k = 0; k < steps; ++k) step(text);
    return text;
  }
  std::size_t below(std::size_t n) { return n == 0 ? 0 : static_cast<std::size_t>(engine_() % n); }

 private:
  static std::vector<std::string> cut(const std::string& text, char at) {
    std::vector<std::string> parts(1);
    for (const char c : text) {
      if (c == at)
        parts.emplace_back();
      else
        parts.back() += c;
    }
    return parts;
  }
  static std::string join(const std::vector<std::string>& parts, char at) {
    std::string text;
    for (std::size_t i = 0; i < parts.size(); ++i) text += (i > 0 ? std::string(1, at) : "") + parts[i];
    return text;
  }
  const std::string& word() { return kWords[below(kWords.size())]; }

  void step(std::string& text) {
    const std::size_t kind = below(10);
    if (kind < 5) {  // lines
      std::vector<std::string> lines = cut(text, '\n');
      std::string& line = lines[below(lines.size())];
      std::string& other = lines[below(lines.size())];
      if (kind == 0) std::swap(line, other);
      if (kind == 1) line = other;
      if (kind == 2) lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(below(lines.size())), std::string(line));
      if (kind == 3) lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(below(lines.size())));
      if (kind == 4) {  // a field
        std::vector<std::string> fields = cut(line, ' ');
        fields[below(fields.size())] = word();
        line = join(fields, ' ');
      }
      text = join(lines, '\n');
    } else if (kind == 5) {
      text.resize(below(text.size() + 1));
    } else if (kind == 6) {
      text.insert(below(text.size() + 1), word());
    } else if (kind == 7 && !text.empty()) {
      for (std::size_t k = 1 + below(4); k > 0; --k) text[below(text.size())] = static_cast<char>(below(256));
    } else if (kind == 8) {
      text.insert(below(text.size() + 1), std::string(below(200) == 0 ? 70000 : below(300), below(2) == 0 ? 'A' : ' '));
    } else {  // the tail of another file
      const std::string& other = kSeeds[below(kSeeds.size())];
      text = text.substr(0, below(text.size() + 1)) + other.substr(below(other.size()));
    }
  }

  std::mt19937_64 engine_;
};

void write_file(const fs::path& file, const std::string& bytes, bool compress) {
  gzFile out = gzopen(file.c_str(), compress ? "wb1" : "wbT");
  if (out == nullptr) throw std::runtime_error("cannot write " + file.string());
  if (!bytes.empty()) gzwrite(out, bytes.data(), static_cast<unsigned>(bytes.size()));
  gzclose(out);
}

std::string bytes_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// True if the file was read. Throws what should not be thrown.
bool exercise(const fs::path& file, const fs::path& copy) {
  try {
    const pliant::Problem problem = pliant::read_problem(file);
    pliant::write_problem(problem, copy);
    const std::string written = bytes_of(copy);
    const pliant::Problem again = pliant::read_problem(copy);
    if (again.dimension() != problem.dimension() || again.constraints() != problem.constraints() ||
        again.equality_rhs().size() != problem.equality_rhs().size()) {
      throw std::logic_error("a written problem came back with other sizes");
    }
    pliant::write_problem(again, copy);
    // RANGES holds widths, whose rounding may change with the sides they came from.
    const bool exact = written.find("\nRANGES\n") == std::string::npos;
    if (exact && bytes_of(copy) != written) throw std::logic_error("a problem written again has other bytes");
    problem.validate();
    return true;
  } catch (const pliant::InputError& error) {
    if (std::string(error.what()).find('\n') != std::string::npos) throw std::logic_error("a message of two lines");
    return false;
  }
}

void limit_memory() {
#ifndef __SANITIZE_ADDRESS__  // it reserves terabytes of addresses and has a limit of its own, above
  const rlimit limit{rlim_t{4} << 30, rlim_t{4} << 30};
  setrlimit(RLIMIT_AS, &limit);
#endif
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 30.0;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  std::vector<std::string> seeds = kSeeds;
  for (int i = 3; i < argc; ++i) seeds.push_back(bytes_of(argv[i]));
  limit_memory();

  std::string pattern = (fs::temp_directory_path() / "pliant-fuzz-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) return 1;
  const fs::path folder = pattern;
  for (const std::string& text : seeds) {
    write_file(folder / "seed.mps", text, false);
    if (!exercise(folder / "seed.mps", folder / "copy.mps")) {
      fmt::print("a seed is not a valid file: {}\n", text.substr(0, 200));
      return 1;
    }
  }
  fmt::print("fuzz_mps: seed {}, {} s; the case at work is {}/case.mps\n", seed, seconds, folder.string());
  std::fflush(stdout);
  Mutator mutator(seed);
  const auto begin = std::chrono::steady_clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); };
  long cases = 0, valid = 0;
  for (; elapsed() < seconds; ++cases) {
    const bool compress = mutator.below(20) == 0;
    write_file(folder / "case.mps", mutator.mutate(seeds[mutator.below(seeds.size())]), compress);
    if (compress && mutator.below(2) == 0) {  // damage the compressed bytes, too
      const std::string bytes = bytes_of(folder / "case.mps");
      write_file(folder / "case.mps", mutator.mutate(bytes), false);
    }
    alarm(kLongestCase);
    try {
      if (exercise(folder / "case.mps", folder / "copy.mps")) ++valid;
    } catch (const std::exception& error) {
      fmt::print("case {} of seed {}: {} (kept: {}/case.mps)\n", cases, seed, error.what(), folder.string());
      return 1;
    }
    alarm(0);
  }
  fmt::print("{} cases, {} of them valid\n", cases, valid);
  fs::remove_all(folder);
  return cases > 0 && valid > 0 ? 0 : 1;
}
