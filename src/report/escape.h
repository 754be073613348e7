// Escaping for the formats that the reports write. All take any bytes: what is not valid UTF-8 or
// not allowed in the format becomes U+FFFD.
#pragma once

#include <string>
#include <string_view>

namespace pitot::report {

std::string valid_utf8(std::string_view text);
std::string xml_escape(std::string_view text);       // text and attributes, HTML as well
std::string markdown_escape(std::string_view text);  // for a table cell outside code
std::string markdown_code(std::string_view text);    // as a code span, whatever it holds
std::string github_message(std::string_view text);   // of a workflow command
std::string github_property(std::string_view text);
std::string uri_path(std::string_view path);  // a relative or absolute path as a URI reference

}  // namespace pitot::report
