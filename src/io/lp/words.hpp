// Words of LP files that are no names: headings, and what stands for infinity and for free variables. In small letters.
#pragma once

#include <array>
#include <string_view>

namespace pliant::io {

inline constexpr std::array<std::string_view, 4> kMinimizeWords{"min", "minimize", "minimise", "minimum"};
inline constexpr std::array<std::string_view, 4> kMaximizeWords{"max", "maximize", "maximise", "maximum"};
inline constexpr std::array<std::string_view, 3> kRowsWords{"st", "s.t.", "st."};
/// "subject to" and "such that".
inline constexpr std::array<std::string_view, 2> kFirstOfTwoWords{"subject", "such"};
inline constexpr std::array<std::string_view, 2> kBoundsWords{"bounds", "bound"};
inline constexpr std::array<std::string_view, 1> kEndWords{"end"};
/// Sections of problems that are not convex programs, by their first word.
inline constexpr std::array<std::string_view, 17> kRefusedWords{
    "general", "generals", "gen", "integer", "integers", "int",  "binary", "binaries", "bin",
    "semi",    "semis",    "sos", "sos1",    "sos2",     "lazy", "user",   "pwlobj"};
inline constexpr std::array<std::string_view, 2> kInfinityWords{"inf", "infinity"};
inline constexpr std::array<std::string_view, 1> kFreeWords{"free"};

}  // namespace pliant::io
