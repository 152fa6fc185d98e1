// MPS and QPS files read a second time by nothing but white space, and answers judged from those numbers alone, in
// extended precision. Enough for the public instances, whose names have no blanks; the library's reader does more.
#pragma once

#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace pliant::testing {

using Long = long double;
using LongList = std::vector<Long>;

struct RawEntry {
  std::size_t row = 0, column = 0;
  Long value = 0.0L;
};

/// minimise constant + c'x + 1/2 x'Qx subject to low <= Ax <= high, lo <= x <= hi.
struct RawMps {
  std::map<std::string, std::size_t> rows, columns;
  std::string objective;
  std::vector<RawEntry> A, Q;  ///< Q: both triangles
  LongList c, low, high, lo, hi;
  Long constant = 0.0L;
};

inline constexpr Long kLongInfinity = std::numeric_limits<Long>::infinity();

inline std::string read_text(const std::string& file) {
  gzFile in = gzopen(file.c_str(), "rb");
  if (in == nullptr) throw std::runtime_error(file + " cannot be opened");
  std::string text, buffer(1 << 16, '\0');
  for (int count = 1; count > 0;) {
    count = gzread(in, buffer.data(), static_cast<unsigned>(buffer.size()));
    if (count > 0) text.append(buffer, 0, static_cast<std::size_t>(count));
  }
  gzclose(in);
  return text;
}

/// Names and numbers of one data line that come in pairs; an odd word in front is the name of a vector or column.
struct RawPairs {
  std::string head;
  std::vector<std::pair<std::string, Long>> pairs;
  explicit RawPairs(const std::vector<std::string>& words) {
    if (words.size() % 2 == 1) head = words[0];
    for (std::size_t i = words.size() % 2; i + 1 < words.size(); i += 2) {
      pairs.emplace_back(words[i], std::stold(words[i + 1]));
    }
  }
};

inline void read_bound(RawMps& out, const std::vector<std::string>& words, std::vector<bool>& lower_given) {
  const std::size_t j = out.columns.at(words.at(2));
  const std::string& kind = words[0];
  const Long v = words.size() > 3 ? std::stold(words[3]) : 0.0L;
  if (kind == "LO" || kind == "FX") out.lo[j] = v;
  if (kind == "UP" || kind == "FX") out.hi[j] = v;
  if (kind == "FR" || kind == "MI") out.lo[j] = -kLongInfinity;
  if (kind == "FR" || kind == "PL") out.hi[j] = kLongInfinity;
  if (kind == "UP" && v < 0.0L && !lower_given[j]) out.lo[j] = -kLongInfinity;
  if (kind != "UP" && kind != "PL") lower_given[j] = true;
}

// A row becomes an interval of width |R|; the sign of R says on which side of an equality it lies.
inline void read_range(RawMps& out, std::size_t i, Long range) {
  if (out.low[i] == out.high[i]) {
    (range < 0.0L ? out.low : out.high)[i] += range;
  } else if (std::isfinite(out.high[i])) {
    out.low[i] = out.high[i] - std::fabs(range);
  } else {
    out.high[i] = out.low[i] + std::fabs(range);
  }
}

inline RawMps read_raw_mps(const std::string& file) {
  RawMps out;
  std::istringstream text(read_text(file));
  std::vector<bool> lower_given;
  std::string section;
  for (std::string line; std::getline(text, line) && section != "ENDATA";) {
    std::istringstream fields(line);
    std::vector<std::string> words;
    for (std::string word; fields >> word;) words.push_back(word);
    if (words.empty() || line[0] == '*') continue;
    if (line[0] != ' ') {
      section = words[0];
    } else if (section == "ROWS") {
      const char kind = words.at(0)[0];
      if (kind == 'N') {
        if (out.objective.empty()) out.objective = words.at(1);
        continue;
      }
      out.rows.emplace(words.at(1), out.low.size());
      out.low.push_back(kind == 'L' ? -kLongInfinity : 0.0L);
      out.high.push_back(kind == 'G' ? kLongInfinity : 0.0L);
    } else if (section == "COLUMNS") {
      const RawPairs entries(words);
      const auto [column, fresh] = out.columns.emplace(entries.head, out.c.size());
      if (fresh) {
        out.c.push_back(0.0L), out.lo.push_back(0.0L), out.hi.push_back(kLongInfinity), lower_given.push_back(false);
      }
      for (const auto& [row, value] : entries.pairs) {
        if (row == out.objective) {
          out.c[column->second] = value;
        } else if (const auto at = out.rows.find(row); at != out.rows.end()) {  // others are further N rows
          out.A.push_back({at->second, column->second, value});
        }
      }
    } else if (section == "RHS") {
      for (const auto& [row, value] : RawPairs(words).pairs) {
        if (row == out.objective) out.constant = -value;
        const auto at = out.rows.find(row);
        if (at == out.rows.end()) continue;
        if (std::isfinite(out.low[at->second])) out.low[at->second] = value;
        if (std::isfinite(out.high[at->second])) out.high[at->second] = value;
      }
    } else if (section == "RANGES") {
      for (const auto& [row, value] : RawPairs(words).pairs) read_range(out, out.rows.at(row), value);
    } else if (section == "BOUNDS") {
      read_bound(out, words, lower_given);
    } else if (section == "QUADOBJ") {
      const std::size_t i = out.columns.at(words.at(0)), j = out.columns.at(words.at(1));
      out.Q.push_back({i, j, std::stold(words.at(2))});
      if (i != j) out.Q.push_back({j, i, std::stold(words.at(2))});
    } else if (section != "NAME") {
      throw std::runtime_error(file + ": a section " + section + " is not expected");
    }
  }
  if (section != "ENDATA") throw std::runtime_error(file + ": truncated");
  return out;
}

/// out + entries * x, or with `transposed` the transposed matrix.
inline LongList product(const std::vector<RawEntry>& entries, const LongList& x, LongList out,
                        bool transposed = false) {
  for (const RawEntry& e : entries) {
    transposed ? out[e.column] += e.value * x[e.row] : out[e.row] += e.value * x[e.column];
  }
  return out;
}

inline Long dot(const LongList& a, const LongList& b) {
  Long sum = 0.0L;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// NaN stays: every comparison with it is false.
inline Long worst(Long a, Long b) { return std::isnan(a) || std::isnan(b) ? a + b : std::max(a, b); }

inline Long largest_side(const RawMps& raw) {
  Long scale = 0.0L;
  for (const LongList* side : {&raw.low, &raw.high}) {
    for (Long v : *side) scale = std::isfinite(v) ? std::max(scale, std::fabs(v)) : scale;
  }
  return scale;
}

inline Long raw_violation(const RawMps& raw, const LongList& x) {
  const LongList rows = product(raw.A, x, LongList(raw.low.size(), 0.0L));
  Long out = 0.0L;
  for (std::size_t i = 0; i < rows.size(); ++i) out = worst(out, worst(raw.low[i] - rows[i], rows[i] - raw.high[i]));
  for (std::size_t j = 0; j < x.size(); ++j) out = worst(out, worst(raw.lo[j] - x[j], x[j] - raw.hi[j]));
  return out / (1.0L + largest_side(raw));
}

}  // namespace pliant::testing
