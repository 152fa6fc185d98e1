// A reader as libFuzzer calls it, up to the problem or solution it makes; PLIANT_FUZZ in the environment says which.
// Allowed is a result or an InputError of one line; anything else that is thrown ends the process.
#include "io/cbf/cbf_problem.hpp"
#include "io/container_parts.hpp"
#include "io/hdf5_at_exit.hpp"
#include "io/libsvm.hpp"
#include "io/lp/lp_problem.hpp"
#include "io/mps/mps_problem.hpp"
#include "io/nl/nl_problem.hpp"
#include "io/sdpa/sdpa.hpp"
#include "io/solution/solution_forms.hpp"
#include "memory_file.hpp"
#include "memory_gz.hpp"
#include "pliant/checkpoint.hpp"
#include "pliant/constraints.hpp"
#include "pliant/io.hpp"
#include "pliant/objectives.hpp"

#include <malloc.h>

#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace {

using Path = std::filesystem::path;
namespace io = pliant::io;

void read_mps(const Path& file) {
  std::vector<std::string> notes;
  (void)io::read_mps_problem(file, &notes);
}
void read_lp(const Path& file) { (void)io::read_lp_problem(file); }
void read_nl(const Path& file) {
  std::vector<std::string> notes;
  (void)io::read_nl_problem(file, &notes);
}
void read_cbf(const Path& file) { (void)io::read_cbf_problem(file); }
void read_sdpa(const Path& file) { (void)io::read_sdpa_problem(file); }
void read_libsvm(const Path& file) { (void)io::read_libsvm(file); }
void read_sol(const Path& file) { (void)io::read_solution_sol(file); }
void read_json(const Path& file) { (void)io::read_solution_json(file); }
void read_csv(const Path& file) { (void)io::read_solution_csv(file); }

void read_container(const Path& file) {
  const io::Hdf5Session session;
  (void)io::read_container(io::Hdf5Reader::open(file, {std::uint64_t{1} << 30}));
}
// The problem that the checkpoints of the corpus belong to: min x0 + 2 x1 subject to x0 + x1 >= 1.
void read_checkpoint(const Path& file) {
  static const pliant::Problem problem = [] {
    pliant::Problem out(2);
    out.minimize(pliant::linear(pliant::Doubles({1.0, 2.0})));
    out.subject_to(
        pliant::linear_le(pliant::DataMatrix::dense(1, 2, pliant::Doubles({-1.0, -1.0})), pliant::Doubles({-1.0})));
    return out;
  }();
  (void)pliant::read_checkpoint(file, problem);
}
void read_solution(const Path& file) { (void)pliant::read_solution(file); }

// Sizes that a file may declare without entries, as CBF does, make legal problems that take a while. Files with whole
// numbers of so many digits are left to tests/fuzz and python/tests/test_hostile.py; larger ones are refused at once.
constexpr std::size_t kFewestDigits = 6, kMostDigits = 10;
constexpr std::size_t kFewestDigitsOfOrders = 4;  // a symmetric matrix of order 7845 alone is 3e7 variables

struct Reader {
  std::string_view name;
  void (*read)(const Path& file);
  bool text = true;
  std::size_t fewest_digits = kFewestDigits;
};
constexpr std::array kReaders{Reader{"mps", read_mps},
                              Reader{"lp", read_lp},
                              Reader{"nl", read_nl},
                              Reader{"cbf", read_cbf, true, kFewestDigitsOfOrders},
                              Reader{"sdpa", read_sdpa, true, kFewestDigitsOfOrders},
                              Reader{"sol", read_sol},
                              Reader{"libsvm", read_libsvm},
                              Reader{"json", read_json},
                              Reader{"csv", read_csv},
                              Reader{"container", read_container, false},
                              Reader{"checkpoint", read_checkpoint, false},
                              Reader{"solution", read_solution, false}};
const Reader* chosen = nullptr;
long left_out = 0;  // inputs that no reader saw: they count as no executions

bool declares_much(std::string_view text, std::size_t fewest_digits) {
  std::size_t digits = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && std::isdigit(static_cast<unsigned char>(text[i])) != 0) {
      if (digits > 0 || text[i] != '0') ++digits;
      continue;
    }
    if (digits >= fewest_digits && digits <= kMostDigits) return true;
    digits = 0;
  }
  return false;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  // Buffers of readers come from the heap and stay there, instead of from the system and back for every input.
  constexpr int kHeap = 1 << 28;
  mallopt(M_MMAP_THRESHOLD, kHeap);
  mallopt(M_TRIM_THRESHOLD, kHeap);
  io::leave_out_hdf5_at_exit();
  std::atexit([] { std::fprintf(stderr, "stat::inputs_left_out: %ld\n", left_out); });
  const char* const wanted = std::getenv("PLIANT_FUZZ");
  for (const Reader& reader : kReaders) {
    if (wanted != nullptr && reader.name == wanted) chosen = &reader;
  }
  if (chosen != nullptr) return 0;
  std::fputs(
      "PLIANT_FUZZ: expected one of mps, lp, nl, cbf, sdpa, libsvm, sol, json, csv, container, checkpoint, solution\n",
      stderr);
  std::exit(1);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Path in_memory("input");
  if (chosen->text && declares_much({reinterpret_cast<const char*>(data), size}, chosen->fewest_digits)) {
    ++left_out;
    return 0;
  }
  pliant::fuzz::set_input(data, size);
  try {
    chosen->read(chosen->text ? in_memory : pliant::fuzz::memory_file(data, size));
  } catch (const pliant::InputError& error) {
    const std::string_view what = error.what();
    if (what.empty() || what.find('\n') != std::string_view::npos) std::abort();
  }
  return 0;
}
