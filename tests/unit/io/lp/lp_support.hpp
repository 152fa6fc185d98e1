// LP files from text in a directory of their own.
#pragma once

#include "../io_support.hpp"
#include "io/lp/lp_problem.hpp"

#include <string>

namespace pliant::testing {

class LpTest : public ::testing::Test {
 protected:
  fs::path file(const std::string& text, const std::string& name = "p.lp") const {
    write_bytes(directory_ / name, text);
    return directory_ / name;
  }
  io::MpsFile parse(const std::string& text) const { return io::parse_lp(file(text)); }
  /// The message behind the file's name.
  std::string error(const std::string& text) const {
    const fs::path path = file(text);
    const std::string message = error_of([&] { read_problem(path).validate(); });
    const std::string prefix = path.string() + ": ";
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    return message.starts_with(prefix) ? message.substr(prefix.size()) : message;
  }

  TemporaryDirectory directory_;
};

}  // namespace pliant::testing
