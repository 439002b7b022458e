// Opening of an XSpace for rewriting, and the translation of a selection into an edit.
#include "cli/commands/xspace_convert.h"

#include <sys/stat.h>

#include "formats/input/detect.h"
#include "formats/xspace/write/xspace_rewriter.h"
#include "io/input.h"

namespace lockstep::cli {
namespace {

formats::xspace::OpenXSpace opener_of(const std::string& path) {
  return [path]() -> Result<std::unique_ptr<io::ByteSource>> {
    LOCKSTEP_ASSIGN_OR_RETURN(std::unique_ptr<io::Input> input, io::Input::open(path));
    return std::unique_ptr<io::ByteSource>(std::move(input));
  };
}

// Standard input, if it begins as a trace does: it may have no end, and is not kept before that is
// known.
Result<std::unique_ptr<io::ByteSource>> open_trace_in_pipe() {
  LOCKSTEP_ASSIGN_OR_RETURN(std::unique_ptr<io::ByteSource> pipe, io::FileSource::open("-"));
  std::string front(2 * io::kSniffBytes, '\0');  // so many, should they not compress
  LOCKSTEP_ASSIGN_OR_RETURN(const std::size_t n, pipe->read(front));
  front.resize(n);
  LOCKSTEP_ASSIGN_OR_RETURN(
      const std::unique_ptr<io::Input> begin,
      io::Input::wrap(std::make_unique<io::MemorySource>(front), "-", std::nullopt));
  const Result<const formats::shared::Format*> format = formats::input::format_of(*begin);
  if (!format.ok()) return format.error();
  return io::make_rewound_source(std::move(front), std::move(pipe));
}

}  // namespace

Result<std::unique_ptr<XSpaceInput>> XSpaceInput::open(const std::string& path) {
  auto made = std::make_unique<XSpaceInput>();
  made->path_ = path;
  made->shown_ = path;
  if (path == "-") {
    LOCKSTEP_ASSIGN_OR_RETURN(const std::unique_ptr<io::ByteSource> pipe, open_trace_in_pipe());
    LOCKSTEP_ASSIGN_OR_RETURN(made->spooled_, io::TemporaryFolder::make());
    LOCKSTEP_ASSIGN_OR_RETURN(made->path_, made->spooled_->spool(*pipe, "standard_input"));
  }
  made->identity_ = identity_of(made->path_);
  LOCKSTEP_ASSIGN_OR_RETURN(const std::unique_ptr<io::Input> input, io::Input::open(made->path_));
  made->is_xspace_ = formats::input::format_name_of(*input) == "xspace";
  return made;
}

std::vector<std::int64_t> XSpaceInput::identity_of(const std::string& path) {
  struct stat facts{};
  if (stat(path.c_str(), &facts) != 0 || !S_ISREG(facts.st_mode)) return {};
  return {static_cast<std::int64_t>(facts.st_dev), static_cast<std::int64_t>(facts.st_ino),
          facts.st_size, facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec};
}

Status XSpaceInput::check_unchanged() const {
  if (identity_of(path_) == identity_) return {};
  return input_error(shown_, "changed while it was read", "Try again when nothing writes to it");
}

Status XSpaceInput::copy(io::ByteSink& sink) const {
  return formats::xspace::rewrite_xspace(opener_of(path_), shown_, {}, sink);
}

Status XSpaceInput::cut(const trace::Selection& selection, const Origin& origin,
                        io::ByteSink& sink) const {
  const WideTime zero = WideTime{origin.ns} * kPicosecondsPerNanosecond;
  formats::xspace::XSpaceCut cut;
  if (selection.from) cut.start = zero + selection.from->ps;
  if (selection.to) cut.end = zero + selection.to->ps;
  if (selection.devices) {
    cut.devices.emplace(selection.devices->begin(), selection.devices->end());
  }
  if (selection.kinds) {
    cut.kinds.emplace();
    for (std::size_t i = 0; i < trace::kKindCount; ++i) {
      if ((*selection.kinds)[i]) cut.kinds->push_back(static_cast<trace::Kind>(i));
    }
  }
  return formats::xspace::rewrite_xspace(opener_of(path_), shown_,
                                         formats::xspace::edit_for(std::move(cut)), sink);
}

}  // namespace lockstep::cli
