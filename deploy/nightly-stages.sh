# The stages of deploy/nightly, to be sourced: one function each, with its minutes (0: as long as it takes). A stage
# builds what it needs, and fails by the exit code of its last or of any failing command.

# Lines of core/ and audit/ that their tests reach.
stage_coverage() {
  build coverage pollux_core_test scenario_tests pollux_simulation audit_test proto_test
  local tests="$root/build/coverage/tests"
  find "$root/build/coverage" -name '*.gcda' -delete
  "$tests/unit/core/pollux_core_test" --gtest_brief=1
  "$tests/scenarios/scenario_tests" --gtest_brief=1
  "$tests/unit/proto/proto_test" --gtest_brief=1
  "$tests/unit/audit/audit_test" --gtest_brief=1
  "$tests/simulation/pollux_simulation" --seeds 500
  python3 "$root/tests/coverage/report.py" "$root" "$root/build/coverage" core audit
}

# Changes of core/ that no test notices.
stage_mutation() { python3 "$root/tests/mutation/mutate.py" --minutes "$1"; }

# Every decoder, each for its share of the time. What was found interesting stays in build/fuzz/corpus for the next
# night; what made one fail is in build/fuzz/found.
stage_fuzz() {
  build fuzz fuzzers codec_seeds
  local fuzz="$root/build/fuzz" target name outcome=0
  local targets=("$fuzz"/tests/fuzz/fuzz_*)
  local seconds=$(($1 * 60 / ${#targets[@]}))
  [ "$seconds" -gt 0 ] || seconds=1
  mkdir -p "$fuzz/corpus" "$fuzz/found"
  "$fuzz/tests/fuzz/codec_seeds" "$fuzz/seeds"
  mkdir -p "$fuzz/seeds/calendar" "$fuzz/seeds/config"
  cp "$root"/tests/unit/groupware/data/*.ics "$fuzz/seeds/calendar/"
  ln -sfn calendar "$fuzz/seeds/split"
  ln -sfn calendar "$fuzz/seeds/recurrence"
  mkdir -p "$fuzz/seeds/card" "$fuzz/seeds/report"
  cp "$root"/tests/unit/groupware/data/cards/*.vcf "$fuzz/seeds/card/"
  cp "$root"/tests/unit/groupware/data/reports/*.xml "$fuzz/seeds/report/"
  mkdir -p "$fuzz/seeds/http" "$fuzz/seeds/xml" "$fuzz/seeds/if_header"
  cp "$root"/tests/unit/groupware/data/requests/*.http "$fuzz/seeds/http/"
  cp "$root"/tests/unit/groupware/data/xml/*.xml "$root"/tests/unit/groupware/data/reports/*.xml "$fuzz/seeds/xml/"
  cp "$root"/tests/unit/groupware/data/headers/if_header/* "$fuzz/seeds/if_header/"
  ln -sfn xml "$fuzz/seeds/properties"
  cp "$root/deploy/examples/pollux.toml" "$fuzz/seeds/config/"
  for target in "${targets[@]}"; do
    name=${target##*/fuzz_}
    name=${name#codec_}
    mkdir -p "$fuzz/corpus/$name" "$fuzz/seeds/$name"
    say "$name: $seconds s"
    "$target" -max_total_time="$seconds" -rss_limit_mb=4096 -timeout=20 -print_final_stats=1 -verbosity=0 \
      -artifact_prefix="$fuzz/found/$name-" "$fuzz/corpus/$name" "$fuzz/seeds/$name" || outcome=1
  done
  return $outcome
}

# The model of who is primary, in larger bounds.
stage_model() { "$root/tests/model/run.sh" --long; }

# Seeds that no run before has tried.
stage_simulation() {
  build dev pollux_simulation
  "$root/build/dev/tests/simulation/pollux_simulation" --minutes "$1" --from "$(date +%s)000" --keep-going
}

# The tests with threads, and a real pair's processes killed, under the thread sanitizer.
stage_threads() { POLLUX_KILL_SEED=$(date +%s) "$root/deploy/test-threads" --kills; }

# Real processes killed, with new seeds until the time is over. A failing seed's output tells how to try it again.
stage_kills() {
  build dev pollux kill_test groupware_test
  local tests="$root/build/dev/tests/integration" end=$((SECONDS + $1 * 60)) runs=0 seed
  while [ "$SECONDS" -lt "$end" ] || [ "$runs" -eq 0 ]; do
    seed=$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')
    say "seed $seed"
    for test in kill_test groupware_test; do
      POLLUX_KILL_SEED=$seed "$tests/$test" --gtest_filter='Seeds/*' --gtest_brief=1 || {
        say "again: POLLUX_KILL_SEED=$seed $tests/$test --gtest_filter='Seeds/*'"
        return 1
      }
    done
    runs=$((runs + 1))
  done
  say "$runs seeds of each, no failure"
}

# A pair under load, as users run it: memory and files stay bounded.
stage_endurance() {
  build measure pollux endurance_test groupware_process_test
  # Skipped by deploy/test, whose sanitizers take memory of their own.
  "$root/build/measure/tests/unit/groupware/groupware_process_test" --gtest_filter='*Megabytes'
  POLLUX_ENDURANCE_MINUTES=$1 "$root/build/measure/tests/integration/endurance_test"
}

# Builds the command for arm64 against Debian's packages for it, which are unpacked in build/arm64, not installed.
stage_arm64() {
  install_packages cross
  local sysroot="$root/build/arm64/sysroot"
  if [ ! -e "$sysroot/complete" ]; then
    local as_root=()
    [ "$(id -u)" -eq 0 ] || as_root=(sudo)
    rm -rf "$sysroot"
    mkdir -p "$sysroot"
    local packages
    packages=$(packages_for build | grep -E '^(lib.*|zlib1g)-dev$' | paste -sd,)
    "${as_root[@]}" mmdebstrap --quiet --variant=extract --architectures=arm64 --include="$packages,libstdc++-12-dev,libc6-dev" \
      bookworm "$sysroot"
    touch "$sysroot/complete"
  fi
  cmake -S "$root" -B "$root/build/arm64/build" -G Ninja --toolchain "$root/cmake/arm64.cmake" \
    -DCMAKE_SYSROOT="$sysroot" -DCMAKE_BUILD_TYPE=Release -DPOLLUX_TESTS=OFF > "$root/build/arm64/configure.log" 2>&1 ||
    { cat "$root/build/arm64/configure.log"; return 1; }
  cmake --build "$root/build/arm64/build" --parallel "$(nproc)"
  file "$root/build/arm64/build/cli/pollux" | grep -q 'ARM aarch64'
}
