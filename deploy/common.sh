# Shared by the scripts here; to be sourced. Needs bash, apt and root or sudo.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

say() { printf '%s\n' "$*" >&2; }
die() { say "$(basename "$0"): $*"; exit 1; }

# packages_for build test ... : the names of deploy/packages whose second word is one of these.
packages_for() {
  local kinds=" $* "
  while read -r name kind _; do
    case "$name" in '' | '#'*) continue ;; esac
    case "$kinds" in *" $kind "*) printf '%s\n' "$name" ;; esac
  done < "$root/deploy/packages"
}

# install_packages build test ... : installs what is missing, as root or with sudo.
install_packages() {
  local missing=() name
  while read -r name; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null)" = installed ] || missing+=("$name")
  done < <(packages_for "$@")
  [ ${#missing[@]} -eq 0 ] && return 0
  command -v apt-get >/dev/null || die "these packages are missing and apt-get is not here to install them: ${missing[*]}"
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || die "run this as root, or install sudo: these packages are missing: ${missing[*]}"
    as_root=(sudo)
  fi
  say "Installing ${#missing[@]} packages: ${missing[*]}"
  "${as_root[@]}" apt-get update -qq || die "apt-get update failed: check the network and /etc/apt/sources.list"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null ||
    die "apt-get install failed: see the lines above"
}

# build PRESET TARGET... : configures once and builds.
build() {
  local preset=$1
  shift
  (
    cd "$root" || exit 1
    export CCACHE_BASEDIR="$root" CCACHE_NOHASHDIR=1
    cmake --preset "$preset" > "$root/build/$preset.configure.log" 2>&1 || {
      cat "$root/build/$preset.configure.log" >&2
      die "configuring failed: see the lines above"
    }
    cmake --build "build/$preset" --parallel "$(nproc)" --target "$@"
  )
}
mkdir -p "$root/build"
