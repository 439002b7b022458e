// The sections of a .lkp file, one after another.
#include "formats/kernel_profile/lkp/lkp_writer.h"

#include <algorithm>
#include <bit>
#include <string_view>

#include <fmt/format.h>

#include "base/json_quote.h"

namespace lockstep::formats::kernel_profile {
namespace {

static_assert(std::endian::native == std::endian::little, "sections are written as they lie");

std::string names_json(std::span<const std::string> names) {
  std::string out = "[";
  for (const std::string& name : names) {
    if (out.size() > 1) out += ", ";
    out += quoted_json(name);
  }
  return out + "]";
}

std::string losses_json(const LkpLosses& losses) {
  std::string out;
  const auto add = [&](std::string_view name, std::uint64_t count) {
    if (count != 0) out += fmt::format("{}\"{}\": {}", out.empty() ? "" : ", ", name, count);
  };
  add("overwritten_launches", losses.overwritten_launches);
  add("stale_lanes", losses.stale_lanes);
  add("lost_leaders", losses.lost_leaders);
  add("mixed_lanes", losses.mixed_lanes);
  return "{" + out + "}";
}

// The bytes of one section and what its entry says of them.
struct Part {
  lkp::SectionKind kind;
  std::uint32_t item_bytes;
  std::string_view bytes;
};

template <typename Item>
Part part_of(lkp::SectionKind kind, std::span<const Item> items) {
  return {kind, sizeof(Item), {reinterpret_cast<const char*>(items.data()), items.size_bytes()}};
}

constexpr std::uint64_t aligned(std::uint64_t offset) {
  return (offset + lkp::kSectionAlignment - 1) / lkp::kSectionAlignment * lkp::kSectionAlignment;
}

template <typename Item>
std::string_view bytes_of(const Item& item) {
  return {reinterpret_cast<const char*>(&item), sizeof(Item)};
}

// Header and section entries of a file of these parts.
std::string front_of(std::span<const Part> parts) {
  std::uint64_t end = sizeof(lkp::Header) + parts.size() * sizeof(lkp::Section);
  std::string entries;
  for (const Part& part : parts) {
    const std::uint64_t offset = aligned(end);
    end = offset + part.bytes.size();
    entries += bytes_of(lkp::Section{.kind = static_cast<std::uint32_t>(part.kind),
                                     .item_bytes = part.item_bytes,
                                     .offset = offset,
                                     .items = part.bytes.size() / part.item_bytes});
  }
  return std::string(bytes_of(lkp::Header{.magic = lkp::kMagic,
                                          .version = lkp::kVersion,
                                          .header_bytes = sizeof(lkp::Header),
                                          .file_bytes = end,
                                          .sections = static_cast<std::uint32_t>(parts.size()),
                                          .zeros = {}})) +
         entries;
}

}  // namespace

std::string meta_json(const LkpMeta& meta) {
  std::string out;
  const auto member = [&](std::string_view name, std::string_view json) {
    out += fmt::format("{}\n  \"{}\": {}", out.empty() ? "" : ",", name, json);
  };
  if (!meta.producer.empty()) member("producer", quoted_json(meta.producer));
  if (!meta.device.empty()) member("device", quoted_json(meta.device));
  if (!meta.arch.empty()) member("arch", quoted_json(meta.arch));
  std::string tick;
  if (meta.timer_tick_ns > 0) tick = fmt::format("\"timer_ns\": {}", meta.timer_tick_ns);
  if (meta.clock_ghz > 0) {
    tick += fmt::format("{}\"clock_ghz\": {}", tick.empty() ? "" : ", ", meta.clock_ghz);
  }
  if (!tick.empty()) member("tick", "{" + tick + "}");
  if (!meta.events.empty()) member("events", names_json(meta.events));
  if (!meta.kernels.empty()) member("kernels", names_json(meta.kernels));
  if (meta.losses != LkpLosses{}) member("losses", losses_json(meta.losses));
  return "{" + out + "\n}\n";
}

Status write_lkp(const LkpContents& contents, io::ByteSink& sink) {
  const std::string meta = meta_json(contents.meta);
  std::vector<Part> parts = {
      {lkp::SectionKind::kMeta, 1, meta},
      part_of(lkp::SectionKind::kLaunch, contents.launches),
      part_of(lkp::SectionKind::kLane, contents.lanes),
      part_of(lkp::SectionKind::kAnchor, contents.anchors),
      part_of(lkp::SectionKind::kRecord, contents.records),
      part_of(lkp::SectionKind::kRegion, contents.regions),
  };
  std::erase_if(parts, [](const Part& part) { return part.bytes.empty(); });

  const std::string front = front_of(parts);
  LOCKSTEP_RETURN_IF_ERROR(sink.write(front));
  std::uint64_t end = front.size();
  for (const Part& part : parts) {
    LOCKSTEP_RETURN_IF_ERROR(sink.write(std::string(aligned(end) - end, '\0')));
    LOCKSTEP_RETURN_IF_ERROR(sink.write(part.bytes));
    end = aligned(end) + part.bytes.size();
  }
  return {};
}

}  // namespace lockstep::formats::kernel_profile
