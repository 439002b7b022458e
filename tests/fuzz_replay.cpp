// Runs a fuzz target over stored inputs without libFuzzer, so that every build tries them.
// Arguments are files or folders; a folder that does not exist yet counts as empty.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

namespace fs = std::filesystem;

void replay(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(stream), {}};
  const std::vector<std::uint8_t> bytes(content.begin(), content.end());
  std::fprintf(stderr, "%s\n", file.c_str());  // Before the run: a crash names its input.
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

}  // namespace

int main(int argc, char** argv) {
  replay("/dev/null");
  for (int i = 1; i < argc; ++i) {
    const fs::path path = argv[i];
    if (fs::is_regular_file(path)) {
      replay(path);
    } else if (fs::is_directory(path)) {
      for (const fs::directory_entry& entry : fs::recursive_directory_iterator(path)) {
        if (entry.is_regular_file()) {
          replay(entry.path());
        }
      }
    }
  }
  return 0;
}
