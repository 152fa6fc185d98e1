#include "io/libsvm.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <set>
#include <string>
#include <string_view>

namespace pliant::io {
namespace {

// Lines of a file that gzip may have compressed; zlib reads plain text as it is.
class Lines {
 public:
  explicit Lines(const std::filesystem::path& file) : name_(file.string()) {
    errno = 0;
    file_ = std::filesystem::is_directory(file) ? nullptr : gzopen(name_.c_str(), "rb");
    if (file_ == nullptr) {
      throw InputError(fmt::format("{}: cannot be opened: {}", name_, errno != 0 ? std::strerror(errno) : "no file"));
    }
  }
  ~Lines() { gzclose(file_); }
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;

  bool next(std::string& line) {
    line.clear();
    ++number_;
    while (true) {
      const auto* const end = static_cast<const char*>(std::memchr(buffer_ + begin_, '\n', end_ - begin_));
      const std::size_t stop = end != nullptr ? static_cast<std::size_t>(end - buffer_) : end_;
      line.append(buffer_ + begin_, stop - begin_);
      begin_ = end != nullptr ? stop + 1 : end_;
      if (end != nullptr) return true;
      if (!fill()) return !line.empty();
    }
  }
  [[noreturn]] void fail(std::string_view what) const {
    throw InputError(fmt::format("{}: line {}: {}", name_, number_, what));
  }

 private:
  bool fill() {
    const int count = gzread(file_, buffer_, sizeof buffer_);
    int code = Z_OK;
    const char* const message = gzerror(file_, &code);
    if (count < 0 || (code != Z_OK && code != Z_STREAM_END)) fail(fmt::format("cannot be read: {}", message));
    begin_ = 0;
    end_ = static_cast<std::size_t>(count);
    return count > 0;
  }

  std::string name_;
  gzFile file_;
  char buffer_[1 << 16];
  std::size_t begin_ = 0, end_ = 0;
  Index number_ = 0;
};

constexpr std::string_view kBlank = " \t\r\v\f";

// The next word of a line; empty at its end.
std::string_view take_word(std::string_view& rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of(kBlank), rest.size()));
  const std::string_view word = rest.substr(0, rest.find_first_of(kBlank));
  rest.remove_prefix(word.size());
  return word;
}

template <class Number>
bool parse(std::string_view text, Number& number) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && stop == text.data() + text.size() && !text.empty();
}

}  // namespace

LabelledRows read_libsvm(const std::filesystem::path& file) {
  Lines lines(file);
  std::vector<Index> starts{0}, columns;
  std::vector<double> values, labels;
  std::set<double> kinds;
  Index width = 0;
  for (std::string line; lines.next(line);) {
    std::string_view rest = std::string_view(line).substr(0, line.find('#'));
    const std::string_view head = take_word(rest);
    if (head.empty()) continue;
    double label = 0.0;
    if (!parse(head, label) || !std::isfinite(label)) lines.fail(fmt::format("expected a label, got '{}'", head));
    if (kinds.insert(label).second && kinds.size() > 2) {
      lines.fail(fmt::format("a third label, {}; expected two classes", head));
    }
    Index previous = 0;
    for (std::string_view word = take_word(rest); !word.empty(); word = take_word(rest)) {
      const std::size_t colon = word.find(':');
      Index index = 0;
      double value = 0.0;
      if (colon == std::string_view::npos || !parse(word.substr(0, colon), index) ||
          !parse(word.substr(colon + 1), value)) {
        lines.fail(fmt::format("expected index:value, got '{}'", word));
      }
      if (index < 1) lines.fail(fmt::format("expected an index >= 1, got {}", index));
      if (index <= previous) lines.fail(fmt::format("index {} after {}; expected ascending ones", index, previous));
      if (!std::isfinite(value)) lines.fail(fmt::format("the value of index {} is {}", index, value));
      previous = index;
      if (value == 0.0) continue;
      columns.push_back(index - 1);
      values.push_back(value);
    }
    width = std::max(width, previous);
    starts.push_back(static_cast<Index>(columns.size()));
    labels.push_back(label);
  }
  if (kinds.size() != 2) {
    throw InputError(fmt::format("{}: {} different labels, expected two classes", file.string(), kinds.size()));
  }
  if (width == 0) throw InputError(fmt::format("{}: no features", file.string()));
  for (double& label : labels) label = label == *kinds.begin() ? -1.0 : 1.0;
  const auto count = static_cast<Index>(labels.size());
  return {DataMatrix::csr(count, width, Indices(std::move(starts)), Indices(std::move(columns)),
                          Doubles(std::move(values))),
          Doubles(std::move(labels))};
}

}  // namespace pliant::io
