// The command from its arguments to its exit code.
#pragma once

namespace CLI {
class App;
}

namespace pliant::cli {

struct Program {
  void (*add_solve)(CLI::App& app,
                    int& exit_code) = nullptr;  ///< the command `solve`, which differs from program to program
  bool silent = false;                          ///< somebody else says what goes wrong
};

int run_program(int argc, char** argv, const Program& program);

}  // namespace pliant::cli
