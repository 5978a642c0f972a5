// Manifests as projects have them, for the tests. A comment reaches to the end of its line, and its
// marker is nowhere else in the file.
#pragma once

namespace gittxn::semantic {

inline constexpr char kPackageJson[] = R"({
  "name": "shop",
  "version": "1.2.0",
  "private": true,
  "packageManager": "pnpm@8.6.0",
  "bin": { "shop": "./cli.js" },
  "files": ["dist", "README.md"],
  "scripts": {
    "build": "tsc -p .",
    "test": "jest"
  },
  "dependencies": {
    "express": "^4.18.2",
    "@scope/a.b": "~1.0.0"
  },
  "devDependencies": { "jest": "^29.0.0" },
  "peerDependencies": { "react": ">=17" },
  "overrides": { "lodash": "4.17.21" },
  "engines": { "node": ">=18" },
  "contributors": [],
  "config": {}
}
)";

inline constexpr char kCargoToml[] = R"([package]
name = "shop"
version = "0.1.0"
edition = "2021"
rust-version = "1.70"
build = "build.rs"

[dependencies]
serde = { version = "1.0", features = ["derive"] }  # for the cart
log = "0.4"

[dependencies.tokio]
version = "1.2"
default-features = false

[dev-dependencies]
proptest = "1"

[build-dependencies]
cc = "1.0"

[target.'cfg(unix)'.dependencies]
nix = "0.27"

[features]
default = ["std"]
std = []

[[bin]]
name = "shop"
path = "src/main.rs"

[[bin]]
name = "tool"

[profile.release]
lto = true

[workspace]
# nothing in it
)";

inline constexpr char kGoMod[] = R"(module example.org/shop

go 1.21
toolchain go1.21.3

require github.com/a/b v1.2.3

require (
	golang.org/x/net v0.17.0 // indirect
	golang.org/x/sys v0.13.0
)

replace github.com/a/b => ../b

exclude github.com/c/d v1.0.0
)";

inline constexpr char kPom[] = R"(<?xml version="1.0" encoding="UTF-8"?>
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <parent>
    <groupId>org.example</groupId>
    <artifactId>parent</artifactId>
    <version>1.0</version>
  </parent>
  <groupId>org.example</groupId>
  <artifactId>shop</artifactId>
  <properties>
    <maven.compiler.release>17</maven.compiler.release>
    <guava.version>32.1</guava.version>
  </properties>
  <modules>
    <module>core</module>
  </modules>
  <dependencyManagement>
    <dependencies>
      <dependency>
        <groupId>org.a</groupId>
        <artifactId>bom</artifactId>
        <version>2.0</version>
        <type>pom</type>
        <scope>import</scope>
      </dependency>
    </dependencies>
  </dependencyManagement>
  <dependencies>
    <dependency>
      <groupId>com.google.guava</groupId>
      <artifactId>guava</artifactId>
      <version>${guava.version}</version>
    </dependency>
    <!-- tests -->
    <dependency>
      <groupId>junit</groupId>
      <artifactId>junit</artifactId>
      <version>4.13</version>
      <scope>test</scope>
    </dependency>
  </dependencies>
  <build>
    <finalName>shop</finalName>
    <plugins>
      <plugin>
        <groupId>org.apache.maven.plugins</groupId>
        <artifactId>maven-compiler-plugin</artifactId>
        <version>3.11.0</version>
        <configuration>
          <compilerArgs>
            <arg>-Xlint</arg>
          </compilerArgs>
        </configuration>
      </plugin>
    </plugins>
  </build>
  <profiles>
    <profile>
      <id>ci</id>
      <dependencies>
        <dependency>
          <groupId>org.b</groupId>
          <artifactId>b</artifactId>
          <version>1</version>
        </dependency>
      </dependencies>
    </profile>
  </profiles>
</project>
)";

inline constexpr char kCMakeLists[] = R"(cmake_minimum_required(VERSION 3.20)
project(shop)
set(CMAKE_CXX_STANDARD 20)  # no more
find_package(fmt REQUIRED)
if(WITH_TESTS)
  add_subdirectory(tests)
endif()
add_library(core STATIC
  core.cc
  util.cc)
target_compile_options(core PRIVATE -Wall "-DNAME=\"shop\"")
target_link_libraries(core PUBLIC fmt::fmt)
add_custom_command(OUTPUT gen.h
  COMMAND ${PYTHON} gen.py
  DEPENDS gen.py)
)";

inline constexpr char kBazelBuild[] = R"(load("@rules_cc//cc:defs.bzl", "cc_library")

package(default_visibility = ["//visibility:public"])

cc_library(
    name = "core",
    srcs = ["core.cc"],
    deps = [":util", "@fmt//:fmt"],  # in order
)

SOURCES = glob(["*.cc"])
)";

}  // namespace gittxn::semantic
