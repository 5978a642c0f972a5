// pom.xml, with the smallest reader of XML that is honest: elements, attributes, text, comments,
// CDATA, and references as they are written. A document type, a processing instruction, a prefix
// that opens nowhere and more than kMaxDepth levels are not understood: the file is opaque.
//
// What Maven knows becomes a symbol by its coordinates; the rest is an option by its path, with a
// digest of what is in it. Properties are not put in: "${x}" stays, and x is a symbol of its own.
#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

#include "base/text.h"
#include "semantic/manifest/reader.h"

namespace gittxn::semantic {
namespace {

constexpr int kMaxDepth = 32;

struct Element {
  std::string name;
  std::string attributes;  // name="value", each with a blank in front
  std::string text;        // its own, without white space around each piece
  std::vector<Element> kids;
  std::string all;  // everything in it, in one way of writing
};

class Xml {
 public:
  explicit Xml(std::string_view text) : rest_(text) {}

  // Why it is none.
  std::string read(Element* root) {
    if (rest_.starts_with("\xef\xbb\xbf")) rest_.remove_prefix(3);
    if (rest_.starts_with("<?xml ")) {
      const std::size_t end = rest_.find("?>");
      if (end == std::string_view::npos) return "the XML declaration does not end";
      root->attributes = " " + std::string(trimmed(rest_.substr(5, end - 5)));
      rest_.remove_prefix(end + 2);
    }
    skip_comments();
    if (why_.empty() && !rest_.starts_with('<')) why_ = "it is no XML";
    if (why_.empty()) element(root, 0);
    skip_comments();
    if (why_.empty() && !rest_.empty()) why_ = "something stands behind the document";
    return why_;
  }

 private:
  void fault(const char* why) {
    if (why_.empty()) why_ = why;
  }

  void skip_space() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size()));
  }

  bool skip_comment() {
    if (!rest_.starts_with("<!--")) return false;
    const std::size_t end = rest_.find("-->", 4);
    if (end == std::string_view::npos) fault("a comment does not end");
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 3);
    return true;
  }
  void skip_comments() {
    skip_space();
    while (skip_comment()) skip_space();
  }

  std::string name() {
    std::size_t end = 0;
    while (end < rest_.size() && (std::isalnum(static_cast<unsigned char>(rest_[end])) != 0 ||
                                  std::string_view("_.:-").contains(rest_[end]))) {
      ++end;
    }
    if (end == 0) fault("a name is missing");
    std::string found(rest_.substr(0, end));
    rest_.remove_prefix(end);
    return found;
  }

  // At "<": the whole element, of which the name and attributes come first.
  void element(Element* made, int depth) {
    if (depth > kMaxDepth) return fault("it is nested too deep");
    rest_.remove_prefix(1);
    made->name = name();
    std::set<std::string> seen;
    for (skip_space(); why_.empty() && !rest_.starts_with('>') && !rest_.starts_with("/>");
         skip_space()) {
      std::string key = name();
      skip_space();
      if (!rest_.starts_with('=')) return fault("an attribute has no value");
      rest_.remove_prefix(1);
      skip_space();
      if (rest_.empty() || (rest_[0] != '"' && rest_[0] != '\''))
        return fault("a value has no quotes");
      const std::size_t end = rest_.find(rest_[0], 1);
      if (end == std::string_view::npos) return fault("a value does not end");
      if (!seen.insert(key).second) return fault("an attribute is there twice");
      made->attributes += " " + key + "=" + std::string(rest_.substr(0, end + 1));
      rest_.remove_prefix(end + 1);
    }
    if (!why_.empty()) return;
    made->all = "<" + made->name + made->attributes + ">";
    if (rest_.starts_with("/>")) {
      rest_.remove_prefix(2);
    } else {
      rest_.remove_prefix(1);
      content(made, depth);
    }
    made->all += "</>";
  }

  void content(Element* made, int depth) {
    while (why_.empty()) {
      const std::size_t end = std::min(rest_.find('<'), rest_.size());
      text(made, trimmed(rest_.substr(0, end)));
      rest_.remove_prefix(end);
      if (rest_.empty()) return fault("an element does not end");
      if (skip_comment()) continue;
      if (rest_.starts_with("<![CDATA[")) {
        const std::size_t close = rest_.find("]]>");
        if (close == std::string_view::npos) return fault("CDATA does not end");
        text(made, rest_.substr(0, close + 3));
        rest_.remove_prefix(close + 3);
        continue;
      }
      if (rest_.starts_with("<!") || rest_.starts_with("<?"))
        return fault("a declaration stands inside");
      if (rest_.starts_with("</")) {
        rest_.remove_prefix(2);
        if (name() != made->name) return fault("an element ends that did not begin");
        skip_space();
        if (!rest_.starts_with('>')) return fault("the end of an element does not end");
        return rest_.remove_prefix(1);
      }
      Element& kid = made->kids.emplace_back();
      element(&kid, depth + 1);
      made->all += kid.all;
    }
  }

  static void text(Element* made, std::string_view piece) {
    if (piece.empty()) return;
    made->text += (made->text.empty() ? "" : "\n") + std::string(piece);
    made->all += "\n" + std::string(piece);
  }

  std::string_view rest_;
  std::string why_;
};

bool is_scalar(const Element& element) {
  return element.kids.empty() && element.attributes.empty();
}
// Only elements in it.
bool is_list(const Element& element) {
  return element.text.empty() && element.attributes.empty();
}

const Element* kid_of(const Element& element, std::string_view name) {
  const auto found = std::ranges::find(element.kids, name, &Element::name);
  return found == element.kids.end() ? nullptr : &*found;
}
std::string element_text(const Element& element, std::string_view name) {
  const Element* kid = kid_of(element, name);
  return kid == nullptr ? std::string() : kid->text;
}

class Pom {
 public:
  explicit Pom(Manifest* manifest) : symbols_(manifest->symbols) {}

  void project(const Element& root) {
    add(BuildKind::kOption, "project", shown(root.attributes + "\n" + root.text), {});
    for (const Element& kid : root.kids) {
      if (kid.name == "parent") {
        artifact(kid, BuildKind::kDependency, "parent");
      } else if (!part(kid, {})) {
        option(kid, {});
      }
    }
  }

 private:
  // What a project, a profile and a build have alike; nothing is added when it is none of these.
  bool part(const Element& kid, const std::string& of) {
    if (!is_list(kid) || kid.kids.empty()) return false;
    const std::string inside = of.empty() ? "" : of + " ";
    if (kid.name == "dependencies") return each(kid, "dependency", BuildKind::kDependency, of);
    if (kid.name == "plugins") return each(kid, "plugin", BuildKind::kToolchain, of);
    if (kid.name == "dependencyManagement" || kid.name == "pluginManagement") {
      for (const Element& list : kid.kids) {
        if (!part(list, inside + "managed")) option(list, inside + kid.name);
      }
    } else if (kid.name == "modules") {
      for (const Element& module : kid.kids) {
        add(BuildKind::kTarget, "module " + shown(module.text), shown(module.all), of);
      }
    } else if (kid.name == "properties") {
      for (const Element& property : kid.kids) add_property(property, of);
    } else if (kid.name == "build") {
      for (const Element& entry : kid.kids) {
        if (!part(entry, of)) option(entry, inside + "build");
      }
    } else if (kid.name == "profiles") {
      for (const Element& profile : kid.kids) add_profile(profile);
    } else {
      return false;
    }
    return true;
  }

  bool each(const Element& list, std::string_view name, BuildKind kind, const std::string& of) {
    for (const Element& kid : list.kids) {
      if (kid.name == name && is_list(kid)) {
        artifact(kid, kind, of);
      } else {
        option(kid, list.name);
      }
    }
    return true;
  }

  // By its coordinates, with the scope as what it feeds.
  void artifact(const Element& element, BuildKind kind, const std::string& of) {
    std::string name = element_text(element, "groupId") + ":" + element_text(element, "artifactId");
    for (const auto& [more, mark] : {std::pair("type", ":"), std::pair("classifier", "@")}) {
      if (const std::string text = element_text(element, more); !text.empty()) name += mark + text;
    }
    const std::string scope = element_text(element, "scope");
    const std::string version = element_text(element, "version");
    std::size_t told = 0;
    for (const char* known : {"groupId", "artifactId", "type", "classifier", "scope", "version"}) {
      const Element* kid = kid_of(element, known);
      told += kid != nullptr && is_scalar(*kid) && !kid->text.empty() ? 1 : 0;
    }
    const bool plain =
        told == element.kids.size() && element.attributes.empty() && element.text.empty();
    const std::string target = of.empty() || scope.empty() ? of + scope : of + " " + scope;
    add(kind, name, plain ? shown(version) : shown(version) + shown("\n" + element.all), target);
  }

  void add_property(const Element& property, const std::string& of) {
    const bool toolchain = property.name == "java.version" || property.name == "kotlin.version" ||
                           property.name.starts_with("maven.compiler.");
    add(toolchain ? BuildKind::kToolchain : BuildKind::kOption, property.name,
        is_scalar(property) ? shown(property.text) : shown("\n" + property.all), of);
  }

  void add_profile(const Element& profile) {
    const std::string id = "profile " + element_text(profile, "id");
    add(BuildKind::kOption, id, shown(profile.name + profile.attributes + "\n" + profile.text), {});
    for (const Element& kid : profile.kids) {
      if (!part(kid, id)) option(kid, id);
    }
  }

  void option(const Element& element, const std::string& of) {
    add(BuildKind::kOption, (of.empty() ? "" : of + "/") + element.name,
        is_scalar(element) ? shown(element.text) : shown("\n" + element.all), {});
  }

  void add(BuildKind kind, std::string name, std::string version, std::string target) {
    symbols_.push_back({kind, std::move(name), std::move(version), std::move(target)});
  }

  std::vector<BuildSymbol>& symbols_;
};

}  // namespace

std::string read_pom(std::string_view text, Manifest* manifest) {
  Element root;
  if (std::string why = Xml(text).read(&root); !why.empty()) return why;
  if (root.name != "project") return "it is no project of Maven";
  Pom(manifest).project(root);
  return {};
}

}  // namespace gittxn::semantic
