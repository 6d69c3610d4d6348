// Certificates for tests, made by the openssl program, and what programs say that are run on them.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "http/tls.h"

namespace pollux::testing {

inline bool has_program(const std::string& name) {
  return std::system(("command -v " + name + " >/dev/null 2>&1").c_str()) == 0;
}

/// What a shell command prints, on both outputs.
inline std::string output_of(const std::string& command) {
  FILE* pipe = ::popen(("{ " + command + "; } 2>&1").c_str(), "r");
  EXPECT_NE(pipe, nullptr);
  std::string output;
  std::array<char, 4096> part;
  while (const std::size_t count = std::fread(part.data(), 1, part.size(), pipe))
    output.append(part.data(), count);
  ::pclose(pipe);
  return output;
}

/// NAME.pem and NAME.key in the directory: a certificate for 127.0.0.1 that vouches for itself, with `name`
/// as its common name.
inline TlsFiles make_certificate(const std::filesystem::path& directory, const std::string& name) {
  TlsFiles files{directory / (name + ".pem"), directory / (name + ".key")};
  const std::string said = output_of(
      "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=" + name +
      " -addext subjectAltName=IP:127.0.0.1 -keyout " + files.key.string() + " -out " +
      files.certificate.string());
  EXPECT_TRUE(std::filesystem::exists(files.certificate)) << said;
  return files;
}

}  // namespace pollux::testing
