#include "variants/tuner_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace pitot::variants {
namespace {

// One pass over the text, which knows strings and brackets and nothing else.
class LooseScan {
 public:
  explicit LooseScan(std::string_view text) : text_(text) {}

  void run() {
    for (size_t i = 0; i < text_.size(); ++i) {
      const char c = text_[i];
      if (c == '"') {
        const size_t end = string_end(i);
        if (end == text_.npos) break;  // cut off inside of it
        out_ += text_.substr(i, end - i);
        i = end - 1;
      } else if (c == '{' || c == '[') {
        stack_ += c == '{' ? '}' : ']';
        out_ += c;
      } else if ((c == '}' || c == ']') && !stack_.empty() && stack_.back() == c) {
        stack_.pop_back();
        out_ += c;
        remember(i + 1);
      } else if (const size_t n = word_length(i); n > 0) {
        out_ += "null";
        ++not_numbers_;
        i += n - 1;
      } else {
        out_ += c;
      }
    }
  }

  // The text with its numbers mended, cut and closed if it was open.
  std::string closed(LooseJson& facts) const {
    facts.not_numbers = not_numbers_;
    facts.truncated = !stack_.empty();
    if (!facts.truncated) return out_;
    // Inside of the entry that was cut off there may be complete lists: those do not count.
    const Mark& mark = stack_.size() >= 2 && second_.output > 0 ? second_ : first_;
    std::string text = out_.substr(0, mark.output);
    if (mark.output == 0) {
      // Nothing is complete but the brackets themselves.
      text = out_;
      while (!text.empty() &&
             (std::isspace(static_cast<unsigned char>(text.back())) != 0 || text.back() == ','))
        text.pop_back();
      return text + std::string(stack_.rbegin(), stack_.rend());
    }
    const std::string_view rest = text_.substr(mark.input);
    if (rest.find('"') != rest.npos || rest.find('{') != rest.npos)
      facts.dropped_at = static_cast<size_t>(
          1 + std::count(text_.begin(),
                         text_.begin() + static_cast<std::ptrdiff_t>(
                                             mark.input + rest.find_first_not_of(", \r\n\t")),
                         '\n'));
    return text + std::string(mark.stack.rbegin(), mark.stack.rend());
  }

 private:
  struct Mark {
    size_t input = 0, output = 0;  // just after the member
    std::string stack;             // what is open there
  };

  size_t string_end(size_t at) const {
    for (size_t i = at + 1; i < text_.size(); ++i) {
      if (text_[i] == '\\')
        ++i;
      else if (text_[i] == '"')
        return i + 1;
    }
    return text_.npos;
  }

  size_t word_length(size_t at) const {
    for (std::string_view word : {"-Infinity", "Infinity", "NaN"})
      if (text_.substr(at).starts_with(word)) return word.size();
    return 0;
  }

  void remember(size_t input) {
    if (stack_.size() == 2) second_ = {input, out_.size(), stack_};
    if (stack_.size() != 1) return;
    first_ = {input, out_.size(), stack_};
    second_ = {};  // of another member of the first level
  }

  std::string_view text_;
  std::string out_, stack_;
  Mark first_, second_;
  size_t not_numbers_ = 0;
};

std::string place(std::string_view text, size_t byte) {
  const std::string_view before = text.substr(0, byte);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const size_t start = before.rfind('\n');
  return fmt::format("{}:{}", line, byte - (start == before.npos ? 0 : start + 1) + 1);
}

}  // namespace

Result<LooseJson> parse_loose(std::string_view text) {
  LooseJson out;
  LooseScan scan(text);
  scan.run();
  const std::string sound = scan.closed(out);
  // The place of an error is wanted, which only the exception has.
  try {
    out.root = OrderedJson::parse(sound);
  } catch (const OrderedJson::parse_error& e) {
    return input_error(fmt::format("{}: no JSON", place(sound, e.byte == 0 ? 0 : e.byte - 1)));
  }
  return out;
}

}  // namespace pitot::variants
