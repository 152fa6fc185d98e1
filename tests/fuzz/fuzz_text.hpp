// Structured fuzzing of readers of text files: valid files, mutated. Usage of every fuzzer: fuzz_X [SECONDS] [SEED]
// [FILE...]
//
// Every mutant is read, and what reads is validated, written and read again. Allowed is an InputError of one line and
// nothing else: no crash, no other exception, no case longer than kLongestCase, no large allocation. Runs with the same
// seed make the same mutants. The mutant at work lies in a folder that is kept when something goes wrong.
#pragma once

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
#include <utility>
#include <vector>

namespace pliant::fuzz {

namespace fs = std::filesystem;
inline constexpr unsigned kLongestCase = 20;  // seconds, sanitizers and all

struct Format {
  std::string name;                ///< of the fuzzer
  std::string ending;              ///< of files
  std::vector<std::string> seeds;  ///< valid files
  std::vector<std::string> words;  ///< that mean something to the reader, or should not
  /// Whether a written file must come back with the same bytes when it is read and written again.
  bool (*exact)(const std::string& written);
  bool writes = true;  ///< false: the format is read alone
};

class Mutator {
 public:
  Mutator(const Format& format, std::uint64_t seed) : format_(format), engine_(seed) {}

  std::string mutate(std::string text) {
    const std::size_t steps = 1 + below(3);
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
  const std::string& word() { return format_.words[below(format_.words.size())]; }

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
      const std::string& other = format_.seeds[below(format_.seeds.size())];
      text = text.substr(0, below(text.size() + 1)) + other.substr(below(other.size()));
    }
  }

  const Format& format_;
  std::mt19937_64 engine_;
};

inline void write_file(const fs::path& file, const std::string& bytes, bool compress) {
  gzFile out = gzopen(file.c_str(), compress ? "wb1" : "wbT");
  if (out == nullptr) throw std::runtime_error("cannot write " + file.string());
  if (!bytes.empty()) gzwrite(out, bytes.data(), static_cast<unsigned>(bytes.size()));
  gzclose(out);
}

inline std::string bytes_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// True if the file was read. Throws what should not be thrown.
inline bool exercise(const Format& format, const fs::path& file, const fs::path& copy) {
  try {
    const Problem problem = read_problem(file);
    if (!format.writes) {
      problem.validate();
      problem.check_functions();
      return true;
    }
    write_problem(problem, copy);
    const std::string written = bytes_of(copy);
    const Problem again = read_problem(copy);
    if (again.dimension() != problem.dimension() || again.constraints() != problem.constraints() ||
        again.equality_rhs().size() != problem.equality_rhs().size()) {
      throw std::logic_error("a written problem came back with other sizes");
    }
    write_problem(again, copy);
    if (format.exact(written) && bytes_of(copy) != written)
      throw std::logic_error("a problem written again has other bytes");
    problem.validate();
    return true;
  } catch (const InputError& error) {
    if (std::string(error.what()).find('\n') != std::string::npos) throw std::logic_error("a message of two lines");
    return false;
  }
}

inline void limit_memory() {
#ifndef __SANITIZE_ADDRESS__  // it reserves terabytes of addresses and has a limit of its own, above
  const rlimit limit{rlim_t{4} << 30, rlim_t{4} << 30};
  setrlimit(RLIMIT_AS, &limit);
#endif
}

/// The whole fuzzer.
inline int run(const Format& format, int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 30.0;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  std::vector<std::string> seeds = format.seeds;
  for (int i = 3; i < argc; ++i) seeds.push_back(bytes_of(argv[i]));
  limit_memory();

  std::string pattern = (fs::temp_directory_path() / "pliant-fuzz-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) return 1;
  const fs::path folder = pattern;
  const fs::path seed_file = folder / ("seed" + format.ending), case_file = folder / ("case" + format.ending),
                 copy = folder / ("copy" + format.ending);
  for (const std::string& text : seeds) {
    write_file(seed_file, text, false);
    if (!exercise(format, seed_file, copy)) {
      fmt::print("a seed is not a valid file: {}\n", text.substr(0, 200));
      return 1;
    }
  }
  fmt::print("{}: seed {}, {} s; the case at work is {}\n", format.name, seed, seconds, case_file.string());
  std::fflush(stdout);
  Mutator mutator(format, seed);
  const auto begin = std::chrono::steady_clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); };
  long cases = 0, valid = 0;
  for (; elapsed() < seconds; ++cases) {
    const bool compress = mutator.below(20) == 0;
    write_file(case_file, mutator.mutate(seeds[mutator.below(seeds.size())]), compress);
    if (compress && mutator.below(2) == 0) {  // damage the compressed bytes, too
      const std::string bytes = bytes_of(case_file);
      write_file(case_file, mutator.mutate(bytes), false);
    }
    alarm(kLongestCase);
    try {
      if (exercise(format, case_file, copy)) ++valid;
    } catch (const std::exception& error) {
      fmt::print("case {} of seed {}: {} (kept: {})\n", cases, seed, error.what(), case_file.string());
      return 1;
    }
    alarm(0);
  }
  fmt::print("{} cases, {} of them valid\n", cases, valid);
  fs::remove_all(folder);
  return cases > 0 && valid > 0 ? 0 : 1;
}

}  // namespace pliant::fuzz
