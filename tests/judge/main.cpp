// judge [ordinary=100000] [hostile=10000] [seed=0] [family=NAME] [show=5]: solves and checks problems of all families
// and confronts every claim with the exact truth. A table per family; exit code 1 if a claim is false.
#include "judge/table.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <map>
#include <string>

namespace {

using namespace pliant;
using namespace pliant::judge;

struct Options : RunOptions {
  Index ordinary = 100000, hostile = 10000;
};

bool parse(int argc, char** argv, Options& options) {
  const std::map<std::string, Index*> numbers = {
      {"ordinary", &options.ordinary}, {"hostile", &options.hostile}, {"seed", &options.seed}, {"show", &options.show}};
  for (int i = 1; i < argc; ++i) {
    const std::string text = argv[i];
    const std::size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    if (equals == std::string::npos) return false;
    if (name == "family") {
      options.family = text.substr(equals + 1);
    } else if (numbers.contains(name)) {
      *numbers.at(name) = std::stoll(text.substr(equals + 1));
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!parse(argc, argv, options)) {
    fmt::print(stderr, "usage: judge [ordinary=N] [hostile=N] [seed=K] [family=NAME] [show=N]\n");
    return 2;
  }
  print_header();
  Index wrong = run(ordinary_families(), options.ordinary, options);
  wrong += run(hostile_families(), options.hostile, options);
  fmt::print("problems with a false claim: {}\n", wrong);
  return wrong == 0 ? 0 : 1;
}
