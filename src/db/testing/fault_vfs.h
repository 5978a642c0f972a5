// SQLite's file layer with faults on demand: a sync that fails, a disk that is full. For tests.
//
// It is the default layer with two of its methods in front; while one of these lives it is the
// default for every connection that is opened.
#pragma once

#include <sqlite3.h>

#include <cstdlib>
#include <string_view>

namespace gittxn::db::testing {

class FaultVfs {
 public:
  enum class Fault { kNone, kSyncFails, kDiskFull };

  FaultVfs() {
    original_vfs() = sqlite3_vfs_find(nullptr);
    vfs() = *original_vfs();
    vfs().zName = "fault";
    vfs().xOpen = open;
    fault() = Fault::kNone;
    syncs() = 0;
    if (sqlite3_vfs_register(&vfs(), 1) != SQLITE_OK) std::abort();
  }
  ~FaultVfs() {
    sqlite3_vfs_register(original_vfs(), 1);
    sqlite3_vfs_unregister(&vfs());
  }
  FaultVfs(const FaultVfs&) = delete;
  FaultVfs& operator=(const FaultVfs&) = delete;

  void set(Fault wanted) { fault() = wanted; }
  int syncs_made() const { return syncs(); }

 private:
  static sqlite3_vfs*& original_vfs() {
    static sqlite3_vfs* original = nullptr;
    return original;
  }
  static sqlite3_vfs& vfs() {
    static sqlite3_vfs own;
    return own;
  }
  static Fault& fault() {
    static Fault current = Fault::kNone;
    return current;
  }
  static int& syncs() {
    static int count = 0;
    return count;
  }
  // The default layer has methods of its own for each kind of file.
  enum class Kind { kMain, kWal };
  template <Kind kind>
  struct Methods {
    static const sqlite3_io_methods*& original() {
      static const sqlite3_io_methods* methods = nullptr;
      return methods;
    }
    static sqlite3_io_methods& own() {
      static sqlite3_io_methods methods;
      return methods;
    }
    static void put_on(sqlite3_file* file) {
      original() = file->pMethods;
      own() = *file->pMethods;
      own().xSync = sync;
      own().xWrite = write;
      file->pMethods = &own();
    }
    static int sync(sqlite3_file* file, int flags) {
      ++syncs();
      if (fault() == Fault::kSyncFails) return SQLITE_IOERR_FSYNC;
      return original()->xSync(file, flags);
    }
    static int write(sqlite3_file* file, const void* bytes, int count, sqlite3_int64 offset) {
      if (fault() == Fault::kDiskFull) return SQLITE_FULL;
      return original()->xWrite(file, bytes, count, offset);
    }
  };

  static int open(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out_flags) {
    const int rc = original_vfs()->xOpen(original_vfs(), name, file, flags, out_flags);
    if (rc != SQLITE_OK || (flags & SQLITE_OPEN_READONLY) != 0) return rc;
    if ((flags & SQLITE_OPEN_MAIN_DB) != 0) Methods<Kind::kMain>::put_on(file);
    if ((flags & SQLITE_OPEN_WAL) != 0) Methods<Kind::kWal>::put_on(file);
    return rc;
  }
};

}  // namespace gittxn::db::testing
