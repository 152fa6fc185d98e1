// Runs the pliant command as a user would.
#pragma once

#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace pliant::testing {

using Json = nlohmann::json;

inline Json read_json(const std::string& file) {
  std::ifstream in(file);
  return Json::parse(in);
}

struct Outcome {
  int exit_code = -1;
  std::string out;
  std::string err;
};

/// A folder of its own for each test, removed at the end.
class WorkFolder {
 public:
  WorkFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "pliant-test-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~WorkFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;

  std::string file(const std::string& name) const { return (path_ / name).string(); }
  const std::filesystem::path& path() const { return path_; }

  /// Runs `pliant ARGUMENTS` through the shell, in this folder.
  Outcome pliant(const std::string& arguments) const {
    const std::string command = "cd '" + path_.string() + "' && " PLIANT_COMMAND " " + arguments + " 2>stderr.txt";
    Outcome outcome;
    std::FILE* pipe = popen(command.c_str(), "r");
    std::array<char, 4096> buffer{};
    while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
      outcome.out.append(buffer.data(), got);
    }
    const int status = pclose(pipe);
    outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    std::ifstream errors(path_ / "stderr.txt");
    std::stringstream text;
    text << errors.rdbuf();
    outcome.err = text.str();
    std::filesystem::remove(path_ / "stderr.txt");
    return outcome;
  }

  /// Names of all files in the folder, joined by spaces and sorted.
  std::string listing() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    std::string text;
    for (const std::string& n : names) text += (text.empty() ? "" : " ") + n;
    return text;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace pliant::testing
