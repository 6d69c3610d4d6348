#include <sodium.h>
#include <sys/utsname.h>

#include "host/facts.h"

namespace pollux {

namespace {

// machine-id(5): it must not be shown to strangers as it is, but a keyed hash of it may.
std::string hashed(const std::string& secret) {
  if (secret.empty()) return "";
  constexpr std::string_view key = "pollux bench: host profile";
  unsigned char hash[crypto_generichash_BYTES_MIN];
  crypto_generichash(hash, sizeof hash, reinterpret_cast<const unsigned char*>(secret.data()), secret.size(),
                     reinterpret_cast<const unsigned char*>(key.data()), key.size());
  char text[2 * sizeof hash + 1];
  return sodium_bin2hex(text, sizeof text, hash, sizeof hash);
}

}  // namespace

void add_identity_facts(const HostFiles& files, FactList& facts) {
  utsname about{};
  uname(&about);
  facts.add("host.name", about.nodename, "", FactKind::identity);
  facts.add("host.machine_id_hash", hashed(files.line("/etc/machine-id")), "", FactKind::identity);
  const std::string dmi = "/sys/class/dmi/id/";
  facts.add("host.serial", files.line(dmi + "product_serial"), "", FactKind::identity);
  facts.add("host.asset_tag", files.line(dmi + "chassis_asset_tag"), "", FactKind::identity);
  facts.add("host.vendor", files.line(dmi + "sys_vendor"));
  facts.add("host.product", files.line(dmi + "product_name"));
  facts.add("host.firmware", files.line(dmi + "bios_version"), "", FactKind::harmless);
}

}  // namespace pollux
