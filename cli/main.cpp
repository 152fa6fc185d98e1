// The pliant command.
#include "commands/commands.hpp"
#include "commands/program.hpp"

int main(int argc, char** argv) { return pliant::cli::run_program(argc, argv, {pliant::cli::add_solve}); }
