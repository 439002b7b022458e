// One meaning and one check a label.
#include "report/anomalies/words/label_words.h"

#include <array>

namespace lockstep::report::anomalies {
namespace {

using analysis::anomalies::kSoftLabelCount;
using analysis::anomalies::SoftLabel;
using analysis::anomalies::SoftLabels;

struct LabelText {
  std::string_view meaning;
  std::string_view check;
};

constexpr std::array<LabelText, kSoftLabelCount> kLabelTexts = {{
    {"the host synchronises or copies between host and device",
     "Look at the calls named above: who asks for the value or the copy, and whether it can wait."},
    {"communication holds the device up: a call waits for a peer",
     "Compare the ranks: the one that enters the collective last is the one to look at."},
    {"the host is blocked where the profiler sees nothing: asleep, waiting for a lock, for input "
     "or "
     "output, or collecting garbage",
     "Sample the host's threads during the gap (py-spy dump, perf sched, nsys --trace=osrt) or "
     "record Python stacks."},
    {"the host is busy but launches too late",
     "Look at what the host runs before the late launch; record Python stacks to see whose code it "
     "is."},
    {"one host thread does all the work, in Python or behind a lock",
     "Sample the threads with the interpreter lock in view (py-spy --gil) and look for garbage "
     "collection."},
    {"insufficient evidence: what was recorded points nowhere",
     "Record host operators, runtime calls and Python stacks in one capture."},
}};

const LabelText& text_of_label(SoftLabel label) {
  return kLabelTexts[static_cast<std::size_t>(label)];
}

}  // namespace

std::vector<SoftLabel> members_of(SoftLabels labels) {
  std::vector<SoftLabel> members;
  for (std::size_t i = 0; i < kSoftLabelCount; ++i) {
    if (labels.has(static_cast<SoftLabel>(i))) members.push_back(static_cast<SoftLabel>(i));
  }
  return members;
}

std::string_view check_of(SoftLabel label) { return text_of_label(label).check; }

std::string label_words(SoftLabels labels) {
  std::string text;
  for (const SoftLabel label : members_of(labels)) {
    if (!text.empty()) text += "; ";
    text += text_of_label(label).meaning;
  }
  if (text.empty()) return "";
  const bool is_unknown = labels == SoftLabels{SoftLabel::kInsufficientEvidence};
  return (is_unknown ? "Cause: " : "Possible: ") + text + ".";
}

}  // namespace lockstep::report::anomalies
