// Kernels as text, for tests of what is wrong with them.
#pragma once

#include <string>
#include <string_view>

namespace lockstep::formats::chrome_json {

// A kernel with this name and these members beyond ph, cat, name, pid and tid.
inline std::string kernel(std::string_view name, std::string_view rest) {
  return R"({"ph":"X","cat":"kernel","name":")" + std::string(name) + R"(","pid":0,"tid":7,)" +
         std::string(rest) + "}";
}

inline std::string at(std::string_view name, std::string_view ts) {
  return kernel(name, "\"ts\":" + std::string(ts) + ",\"dur\":1");
}

}  // namespace lockstep::formats::chrome_json
