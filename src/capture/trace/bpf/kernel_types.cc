// One pass over the kernel's types notes where each one is and finds the structures by name; their
// members are then copied with the places they have there. Members of unnamed unions and
// structures count as members of what is around them, in which they can be named.
#include "capture/trace/bpf/kernel_types.h"

#ifdef GIT_TXN_BPF
#include <bpf/btf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/fs.h"

namespace gittxn::capture {

namespace {

constexpr const char* kKernelTypes = "/sys/kernel/btf/vmlinux";
constexpr std::size_t kMaxBytes = 256u << 20;
constexpr int kDeepest = 12;  // of types in types

std::unexpected<Error> damaged() {
  return fail(Code::kFault, "the kernel's description of its types is damaged");
}

// What follows a type's head.
std::size_t size_behind(const btf_type& head) {
  const std::size_t count = BTF_INFO_VLEN(head.info);
  switch (BTF_INFO_KIND(head.info)) {
    case BTF_KIND_INT:
    case BTF_KIND_VAR:
    case BTF_KIND_DECL_TAG:
      return sizeof(std::uint32_t);
    case BTF_KIND_ARRAY:
      return sizeof(struct btf_array);
    case BTF_KIND_STRUCT:
    case BTF_KIND_UNION:
      return count * sizeof(btf_member);
    case BTF_KIND_ENUM:
      return count * sizeof(struct btf_enum);
    case BTF_KIND_FUNC_PROTO:
      return count * sizeof(btf_param);
    case BTF_KIND_DATASEC:
      return count * sizeof(btf_var_secinfo);
    case BTF_KIND_ENUM64:
      return count * sizeof(struct btf_enum64);
    default:
      return 0;
  }
}

bool is_composite(const btf_type* type) {
  return ::btf_is_struct(type) || ::btf_is_union(type);
}

// The types of a description in memory, by number; 0 is void. A reference that leads nowhere has
// no type.
class KernelTypes {
 public:
  // False: what is there is no description. Calls `see` with each structure and its number.
  template <typename See>
  bool scan(std::string_view raw, See see) {
    btf_header header{};
    if (raw.size() < sizeof header) return false;
    std::memcpy(&header, raw.data(), sizeof header);
    if (header.magic != BTF_MAGIC || header.hdr_len > raw.size()) return false;
    raw.remove_prefix(header.hdr_len);
    if (header.type_off > raw.size() || header.type_len > raw.size() - header.type_off ||
        header.str_off > raw.size() || header.str_len > raw.size() - header.str_off) {
      return false;
    }
    types_ = raw.substr(header.type_off, header.type_len);
    names_ = raw.substr(header.str_off, header.str_len);
    if (names_.empty() || names_.back() != '\0') return false;
    if (reinterpret_cast<std::uintptr_t>(types_.data()) % alignof(btf_type) != 0) return false;
    places_.reserve(types_.size() / 32);
    places_.push_back(0);
    for (std::size_t at = 0; at < types_.size();) {
      if (types_.size() - at < sizeof(btf_type)) return false;
      const auto* type = reinterpret_cast<const btf_type*>(types_.data() + at);
      const std::size_t size = sizeof *type + size_behind(*type);
      if (size > types_.size() - at) return false;
      if (is_composite(type)) see(name(type->name_off), places_.size());
      places_.push_back(static_cast<std::uint32_t>(at));
      at += size;
    }
    return true;
  }

  std::string_view name(std::uint32_t offset) const {
    return offset < names_.size() ? std::string_view(names_.data() + offset) : std::string_view();
  }

  // Without typedefs, const and the like.
  const btf_type* plain(std::uint32_t number) const {
    for (int i = 0; i < kDeepest && number != 0 && number < places_.size(); ++i) {
      const auto* type = reinterpret_cast<const btf_type*>(types_.data() + places_[number]);
      if (!::btf_is_mod(type) && !::btf_is_typedef(type)) return type;
      number = type->type;
    }
    return nullptr;
  }

 private:
  std::string_view types_, names_;
  std::vector<std::uint32_t> places_;
};

class Copy {
 public:
  Copy(const btf* used, const KernelTypes& kernel) : used_(used), kernel_(kernel) {}
  ~Copy() { ::btf__free(out_); }
  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;

  bool started() const { return out_ != nullptr; }
  // Its number there; 0: they do not fit together.
  int copy(std::uint32_t used, std::uint32_t kernel, int depth);
  std::string bytes() const {
    std::uint32_t size = 0;
    const void* data = ::btf__raw_data(out_, &size);
    return data == nullptr ? std::string() : std::string(static_cast<const char*>(data), size);
  }

 private:
  struct Member {
    std::string name;
    std::uint32_t type = 0;
    std::uint32_t bit = 0;
  };
  using Members = std::vector<Member>;

  const btf_type* plain(std::uint32_t number) const;
  void add_members(const btf_type* used, const btf_type* kernel, int depth, Members* out);
  std::optional<Member> find(const btf_type* kernel, std::string_view name, std::uint32_t bit,
                             int depth) const;
  int copy_structure(const btf_type* used, const btf_type* kernel, int depth);

  const btf* used_;
  const KernelTypes& kernel_;
  btf* out_ = ::btf__new_empty();
  std::map<std::pair<const btf_type*, const btf_type*>, int> known_;
};

const btf_type* Copy::plain(std::uint32_t number) const {
  const btf_type* type = ::btf__type_by_id(used_, number);
  while (type != nullptr && (::btf_is_mod(type) || ::btf_is_typedef(type))) {
    type = ::btf__type_by_id(used_, type->type);
  }
  return type;
}

// A member of the kernel's structure, at its bit from the beginning of the outermost one.
std::optional<Copy::Member> Copy::find(const btf_type* kernel, std::string_view name,
                                       std::uint32_t bit, int depth) const {
  const btf_member* members = ::btf_members(kernel);
  for (std::uint32_t i = 0; i < ::btf_vlen(kernel) && depth < kDeepest; ++i) {
    const std::uint32_t at = bit + ::btf_member_bit_offset(kernel, i);
    const std::string_view found = kernel_.name(members[i].name_off);
    if (found == name) return Member{std::string(name), members[i].type, at};
    if (!found.empty()) continue;
    const btf_type* inner = kernel_.plain(members[i].type);
    if (inner == nullptr || !is_composite(inner)) continue;
    if (auto member = find(inner, name, at, depth + 1)) return member;
  }
  return std::nullopt;
}

void Copy::add_members(const btf_type* used, const btf_type* kernel, int depth, Members* out) {
  const btf_member* members = ::btf_members(used);
  for (std::uint32_t i = 0; i < ::btf_vlen(used); ++i) {
    const char* name = ::btf__name_by_offset(used_, members[i].name_off);
    if (name == nullptr || *name == '\0') {
      const btf_type* inner = plain(members[i].type);
      if (inner != nullptr && is_composite(inner)) add_members(inner, kernel, depth, out);
      continue;
    }
    std::optional<Member> member = find(kernel, name, 0, 0);
    if (!member) continue;
    const int type = copy(members[i].type, member->type, depth + 1);
    if (type <= 0) continue;
    member->type = static_cast<std::uint32_t>(type);
    out->push_back(std::move(*member));
  }
}

// The types of the members come before it: its members can only be added while it is the last.
int Copy::copy_structure(const btf_type* used, const btf_type* kernel, int depth) {
  const auto before = known_.find({used, kernel});
  if (before != known_.end()) return before->second;
  Members members;
  add_members(used, kernel, depth, &members);
  const char* name = ::btf__name_by_offset(used_, used->name_off);
  const int number = ::btf_is_struct(kernel) ? ::btf__add_struct(out_, name, kernel->size)
                                             : ::btf__add_union(out_, name, kernel->size);
  for (const Member& member : members) {
    const int error =
        ::btf__add_field(out_, member.name.c_str(), static_cast<int>(member.type), member.bit, 0);
    if (error != 0) return 0;
  }
  known_[{used, kernel}] = number;
  return number;
}

int Copy::copy(std::uint32_t used, std::uint32_t kernel, int depth) {
  const btf_type* ours = plain(used);
  const btf_type* theirs = kernel_.plain(kernel);
  if (ours == nullptr || theirs == nullptr || depth > kDeepest) return 0;
  if (is_composite(ours)) return is_composite(theirs) ? copy_structure(ours, theirs, depth) : 0;
  if (::btf_kind(ours) != ::btf_kind(theirs)) return 0;
  if (::btf_is_ptr(ours)) return ::btf__add_ptr(out_, 0);  // what it leads to is read by its name
  if (::btf_is_int(ours)) {
    const std::string name = "int" + std::to_string(theirs->size);
    return ::btf__add_int(out_, name.c_str(), theirs->size, 0);
  }
  if (!::btf_is_array(ours)) return 0;
  const int element = copy(::btf_array(ours)->type, ::btf_array(theirs)->type, depth + 1);
  const int index = ::btf__add_int(out_, "index", sizeof(std::uint32_t), 0);
  return element <= 0 ? 0 : ::btf__add_array(out_, index, element, ::btf_array(theirs)->nelems);
}

}  // namespace

Result<std::string> used_kernel_types(const btf* used, std::string_view kernel) {
  std::unordered_map<std::string_view, std::uint32_t> wanted;
  for (std::uint32_t i = 1; i < ::btf__type_cnt(used); ++i) {
    const btf_type* type = ::btf__type_by_id(used, i);
    if (!is_composite(type) || type->name_off == 0) continue;
    wanted.emplace(::btf__name_by_offset(used, type->name_off), i);
  }
  KernelTypes types;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> found;
  const bool whole = types.scan(kernel, [&](std::string_view name, std::size_t number) {
    const auto entry = name.empty() ? wanted.end() : wanted.find(name);
    if (entry != wanted.end()) {
      found.emplace_back(entry->second, static_cast<std::uint32_t>(number));
    }
  });
  if (!whole) return damaged();
  Copy copy(used, types);
  if (!copy.started()) return fail_errno(errno, "describe types of the kernel");
  for (const auto& [ours, theirs] : found) copy.copy(ours, theirs, 0);
  std::string bytes = copy.bytes();
  if (bytes.empty()) return fail_errno(ENOMEM, "describe types of the kernel");
  return bytes;
}

// The description of the running kernel is mapped where it can be (Linux 6.16), else read.
Result<std::string> used_kernel_types(const btf* used) {
  const UniqueFd file(::open(kKernelTypes, O_RDONLY | O_CLOEXEC));
  struct stat info{};
  if (!file.valid() || ::fstat(file.get(), &info) != 0) {
    return fail(Code::kUnsupported, std::string("the kernel does not tell its types in ") +
                                        kKernelTypes + ": " + std::strerror(errno));
  }
  const auto size = static_cast<std::size_t>(info.st_size);
  if (size > kMaxBytes) return damaged();
  void* mapped = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (mapped != MAP_FAILED) {
    auto types = used_kernel_types(used, {static_cast<const char*>(mapped), size});
    ::munmap(mapped, size);
    return types;
  }
  // Not set to zero before, which would take as long.
  const std::unique_ptr<char[]> copied(new char[size]);
  for (std::size_t done = 0; done < size;) {
    const ssize_t got = ::read(file.get(), copied.get() + done, size - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_errno(errno, std::string("read ") + kKernelTypes);
    if (got == 0) return damaged();
    done += static_cast<std::size_t>(got);
  }
  return used_kernel_types(used, {copied.get(), size});
}

}  // namespace gittxn::capture

#endif
