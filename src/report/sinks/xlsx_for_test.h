// Opens a workbook as other programs do and shows its sheets: for tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "io/byte_source.h"
#include "io/compress/gzip_source.h"

namespace lockstep::report::sinks {

struct ReadSheet {
  std::string name;
  // By place, like "B3". Text as it stands, numbers behind a '#', formulas behind "formula "; fill
  // and weight behind it in brackets: "3 rows [bold FF0000]".
  std::map<std::string, std::string> cells;
  std::string xml;
};

// The parts of a book by their names, inflated.
inline std::map<std::string, std::string> parts_of_book(std::string_view book) {
  const auto number = [&](std::size_t at, std::size_t bytes) {
    std::size_t value = 0;
    while (bytes-- > 0) value = value << 8 | static_cast<unsigned char>(book.at(at + bytes));
    return value;
  };
  std::map<std::string, std::string> parts;
  const std::size_t end = book.rfind("PK\x05\x06");
  std::size_t entry = number(end + 16, 4);
  for (std::size_t left = number(end + 10, 2); left > 0; --left) {
    const std::size_t local = number(entry + 42, 4);
    const std::size_t data = local + 30 + number(local + 26, 2) + number(local + 28, 2);
    std::string packed("\x1F\x8B\x08\0\0\0\0\0\0\xFF", 10);  // as a file of gzip
    packed += book.substr(data, number(entry + 20, 4));
    packed += book.substr(entry + 16, 4);
    packed += book.substr(entry + 24, 4);
    const auto source = io::make_gzip_source(std::make_unique<io::MemorySource>(std::move(packed)));
    std::string text(number(entry + 24, 4) + 1, '\0');
    std::size_t size = 0;
    while (const std::size_t n = source->read(std::span(text).subspan(size)).value()) size += n;
    text.resize(size);
    parts.emplace(book.substr(entry + 46, number(entry + 28, 2)), std::move(text));
    entry += 46 + number(entry + 28, 2) + number(entry + 30, 2) + number(entry + 32, 2);
  }
  return parts;
}

// The elements of this name, from tag to tag; they do not nest.
inline std::vector<std::string> elements_of(std::string_view xml, const std::string& name) {
  std::vector<std::string> found;
  for (std::size_t at = xml.find("<" + name); at != std::string_view::npos;
       at = xml.find("<" + name, at + 1)) {
    const char behind = xml.at(at + 1 + name.size());
    if (behind != ' ' && behind != '>' && behind != '/') continue;
    const std::size_t tag = xml.find('>', at);
    const std::string close = "</" + name + ">";
    const std::size_t end = xml[tag - 1] == '/' ? tag + 1 : xml.find(close, at) + close.size();
    found.emplace_back(xml.substr(at, end - at));
  }
  return found;
}

// The value of an attribute of the element's own tag; empty without it.
inline std::string attribute_of(std::string_view element, const std::string& name) {
  const std::string_view tag = element.substr(0, element.find('>'));
  const std::size_t at = tag.find(" " + name + "=\"");
  if (at == std::string_view::npos) return {};
  const std::size_t begin = at + name.size() + 3;
  return std::string(tag.substr(begin, tag.find('"', begin) - begin));
}

// What stands between the tags.
inline std::string text_in(std::string_view xml) {
  std::string text;
  bool in_tag = false;
  for (const char c : xml) {
    if (c == '<') in_tag = true;
    if (!in_tag) text += c;
    if (c == '>') in_tag = false;
  }
  for (const auto& [escape, c] :
       {std::pair("&lt;", "<"), {"&gt;", ">"}, {"&quot;", "\""}, {"&amp;", "&"}}) {
    for (std::size_t at = text.find(escape); at != std::string::npos; at = text.find(escape, at)) {
      text.replace(at++, std::string_view(escape).size(), c);
    }
  }
  return text;
}

// By the number of a style: " [bold FF0000]", or nothing.
inline std::vector<std::string> styles_of(const std::string& xml) {
  const auto fonts = elements_of(elements_of(xml, "fonts").at(0), "font");
  const auto fills = elements_of(elements_of(xml, "fills").at(0), "fill");
  std::vector<std::string> shown;
  for (const std::string& style : elements_of(elements_of(xml, "cellXfs").at(0), "xf")) {
    const std::string& fill = fills.at(std::stoul(attribute_of(style, "fillId")));
    std::string words =
        elements_of(fonts.at(std::stoul(attribute_of(style, "fontId"))), "b").empty() ? "" : "bold";
    for (const std::string& colour : elements_of(fill, "fgColor")) {
      words += (words.empty() ? "" : " ") + attribute_of(colour, "rgb").substr(2);
    }
    shown.push_back(words.empty() ? "" : " [" + words + "]");
  }
  return shown;
}

inline std::vector<ReadSheet> read_book(std::string_view book) {
  std::map<std::string, std::string> parts = parts_of_book(book);
  const auto styles = styles_of(parts.at("xl/styles.xml"));
  const auto strings = elements_of(parts["xl/sharedStrings.xml"], "si");
  std::vector<ReadSheet> sheets;
  for (const std::string& named : elements_of(parts.at("xl/workbook.xml"), "sheet")) {
    ReadSheet& sheet = sheets.emplace_back();
    sheet.name = text_in(attribute_of(named, "name"));
    sheet.xml = parts.at("xl/worksheets/sheet" + std::to_string(sheets.size()) + ".xml");
    for (const std::string& cell : elements_of(sheet.xml, "c")) {
      std::string text = text_in(cell);
      if (attribute_of(cell, "t") == "s") {
        text = text_in(strings.at(std::stoul(text)));
      } else if (!text.empty()) {
        text = (elements_of(cell, "f").empty() ? "#" : "formula ") + text;
      }
      const std::string style = attribute_of(cell, "s");
      if (!style.empty()) text += styles.at(std::stoul(style));
      sheet.cells.emplace(attribute_of(cell, "r"), std::move(text));
    }
  }
  return sheets;
}

}  // namespace lockstep::report::sinks
