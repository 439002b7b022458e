// lockstep-reference REPOSITORY: writes what is made from the records of options into the tree.
//
// A test of lockstep_cli fails where the tree holds anything else; 'make reference' runs this.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "cli/reference/reference_files.h"

namespace {

using lockstep::cli::reference::ReferenceFile;

bool update(const std::string& source, const ReferenceFile& file) {
  const std::filesystem::path path = std::filesystem::path(source) / file.path;
  if (lockstep::cli::reference::text_of_file(path.string()) == file.content) return true;
  std::error_code ignored;  // the file tells whether it can be written
  std::filesystem::create_directories(path.parent_path(), ignored);
  std::ofstream out(path, std::ios::binary);
  out << file.content;
  out.close();
  std::printf("%s %s\n", out ? "wrote" : "cannot write", file.path.c_str());
  return static_cast<bool>(out);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: lockstep-reference REPOSITORY\n", stderr);
    return 2;
  }
  const auto files = lockstep::cli::reference::reference_files(argv[1]);
  if (!files.ok()) {
    std::fprintf(stderr, "lockstep-reference: %s\n", files.error().text().c_str());
    return 3;
  }
  bool is_done = true;
  for (const ReferenceFile& file : files.value()) is_done = update(argv[1], file) && is_done;
  return is_done ? 0 : 3;
}
