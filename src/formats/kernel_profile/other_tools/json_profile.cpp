// Which JSON it is, and the decoding of it.
#include "formats/kernel_profile/other_tools/json_profile.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "formats/kernel_profile/kernel_findings.h"
#include "formats/kernel_profile/other_tools/cut_json.h"
#include "formats/kernel_profile/other_tools/iket_json.h"
#include "formats/kernel_profile/other_tools/ikp_json.h"
#include "formats/kernel_profile/other_tools/kernel_json.h"
#include "formats/kernel_profile/other_tools/proton_json.h"
#include "formats/kernel_profile/profile_meta.h"

namespace lockstep::formats::kernel_profile {
namespace {

// Names given by hand stand for those of the file, in the order in which they come there.
void rename_events(trace::KernelProfile& profile, std::span<const std::string> names) {
  const std::size_t count = std::min(names.size(), profile.event_names.size());
  std::ranges::copy(names.first(count), profile.event_names.begin());
}

// The events of a Chrome trace, which may be the whole document.
std::optional<simdjson::dom::array> chrome_events(simdjson::dom::element root) {
  simdjson::dom::array events;
  if (root.get(events) == simdjson::SUCCESS) return events;
  if (root["traceEvents"].get(events) == simdjson::SUCCESS) return events;
  return std::nullopt;
}

std::optional<KernelFormat> format_of_events(simdjson::dom::array events) {
  for (const simdjson::dom::element event : events) {
    if (is_ikp_marker(event)) return KernelFormat::kIkp;
    if (is_proton_scope(event)) return KernelFormat::kProton;
  }
  return std::nullopt;
}

Error is_a_trace(simdjson::dom::element root) {
  const bool is_kineto =
      kernel_json::has(root, "schemaVersion") || kernel_json::has(root, "deviceProperties");
  return input_error({},
                     fmt::format("is a {} trace, and no event of it was recorded inside a kernel",
                                 is_kineto ? "Kineto" : "Chrome"),
                     "'lockstep info' and 'lockstep cycles' read it");
}

Result<trace::KernelProfile> decode_root(simdjson::dom::element root,
                                         const KernelDecodeOptions& options,
                                         Diagnostics& findings) {
  std::optional<KernelFormat> found;
  if (root.is_object() && is_iket_json(root)) found = KernelFormat::kIket;
  const std::optional<simdjson::dom::array> events = chrome_events(root);
  if (events && !found) {
    found = format_of_events(*events);
    if (!found) return is_a_trace(root);
  }
  if (!found || (options.format && options.format != found)) {
    return input_error(
        {}, "is JSON, but neither of run-iket, intra-kernel-profiler nor Triton's Proton");
  }
  if (found == KernelFormat::kIket) return decode_iket_json(root, findings);
  if (found == KernelFormat::kIkp) return decode_ikp_json(*events, findings);
  LOCKSTEP_ASSIGN_OR_RETURN(const ProfileMeta meta, read_profile_meta(options.meta_path));
  return decode_proton_json(*events, meta, findings);
}

// The document, or what stands before the cut of a list of events: that of run-iket is no list, and
// one launch may be all of it.
Result<simdjson::dom::element> parse_document(simdjson::dom::parser& parser,
                                              std::span<const std::byte> bytes,
                                              Diagnostics& findings) {
  Result<simdjson::dom::element> whole = kernel_json::parse_any(parser, bytes);
  if (whole.ok()) return whole;
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::optional<std::string> before_cut = json_before_cut(text);
  if (!before_cut) return whole;
  Result<simdjson::dom::element> part =
      kernel_json::parse_any(parser, std::as_bytes(std::span(*before_cut)));
  if (!part.ok()) return whole;
  const auto events = chrome_events(part.value());
  if (!events) return whole;
  findings.add(kTruncatedProfile, Place::byte(bytes.size()),
               fmt::format("in event {} of the list", events->size()));
  return part;
}

}  // namespace

// The header of a buffer may begin with the byte of a bracket (TVM's, of 91 or 123 blocks), but it
// has zeros in its first word, which JSON has nowhere.
bool is_json(std::span<const std::byte> bytes) {
  const auto first = std::ranges::find_if(bytes, [](std::byte byte) {
    return byte != std::byte{' '} && byte != std::byte{'\n'} && byte != std::byte{'\t'} &&
           byte != std::byte{'\r'};
  });
  const std::span<const std::byte> first_word = bytes.first(std::min<std::size_t>(8, bytes.size()));
  return first != bytes.end() && (*first == std::byte{'{'} || *first == std::byte{'['}) &&
         std::ranges::find(first_word, std::byte{0}) == first_word.end();
}

Result<trace::KernelProfile> decode_json(std::span<const std::byte> bytes,
                                         const KernelDecodeOptions& options,
                                         Diagnostics& findings) {
  simdjson::dom::parser parser;
  LOCKSTEP_ASSIGN_OR_RETURN(const simdjson::dom::element root,
                            parse_document(parser, bytes, findings));
  Result<trace::KernelProfile> profile = decode_root(root, options, findings);
  if (profile.ok()) rename_events(profile.value(), options.names);
  return profile;
}

}  // namespace lockstep::formats::kernel_profile
