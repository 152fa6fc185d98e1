#!/bin/bash
# run.sh SECONDS JOBS OUTDIR: every reader under libFuzzer, JOBS processes for SECONDS; ends by itself. Needs bash and coreutils alone.
#
# Beside it lie bin/fuzz_fast_* and bin/fuzz_checked, lib/ (a C library, used where the machine's own is too old), corpus.tar.gz and
# dict/TARGET.dict (scripts/fuzz makes such a folder). OUTDIR gets summary.txt, summary.json, found/ (at most 8 inputs that crashed,
# hung or took too much memory), the end of every log that ended badly, and corpus.tar.gz: inputs that reached something new.
set -u
seconds=${1:?usage: run.sh SECONDS JOBS OUTDIR}
jobs=${2:?usage: run.sh SECONDS JOBS OUTDIR}
mkdir -p "${3:?usage: run.sh SECONDS JOBS OUTDIR}"
out=$(cd "$3" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d /dev/shm/pliant-fuzz.XXXXXX 2> /dev/null || mktemp -d "${TMPDIR:-/tmp}/pliant-fuzz.XXXXXX")
mkdir -p "$work/logs" "$work/found"
export TMPDIR=$work  # small files that HDF5 reads
tar -C "$work" -xzf "$here/corpus.tar.gz"

# One sixteenth of the time each; what is in one line shares it. The sanitizers take about a tenth, HDF5 another sixteenth.
units=(
  "fast mps" "fast lp" "fast nl" "fast cbf" "fast sdpa" "fast sol" "fast csv" "fast libsvm" "fast json" "fast nl" "fast cbf"
  "fast sdpa" "fast sol" "fast csv"
  "checked mps lp nl cbf sdpa libsvm sol json csv"
  "fast container checkpoint solution"
)
longest=256           # bytes of an input: small files are read by the ten thousand a second
longest_checked=1024  # with sanitizers
longest_hdf5=6144     # a container has no fewer
longest_second=10     # of one input: more is a hang
most_memory=2048      # MB
most_restarts=50

# The machine's own C library, or the one that is here.
loader=
PLIANT_FUZZ=mps "$here/bin/fuzz_checked" -help=1 > /dev/null 2>&1 ||
  loader="$here/lib/ld-linux-x86-64.so.2 --library-path $here/lib "

# slice WORKER SET TARGET SECONDS: one target, begun again after everything that is found.
slice() {
  local worker=$1 set=$2 target=$3 begun=$SECONDS until=$((SECONDS + $4)) restart=0 length=$longest run dictionary=()
  local name="$worker.$set.$target" folder="$work/reached/$worker.$set.$target"
  run=$loader$here/bin/fuzz_fast_$target
  case $target in container | checkpoint | solution) length=$longest_hdf5 run=$loader$here/bin/fuzz_fast_hdf5 ;; esac
  [ "$set" = fast ] || run=$loader$here/bin/fuzz_checked length=$longest_checked
  [ -f "$here/dict/$target.dict" ] && dictionary=("-dict=$here/dict/$target.dict")
  mkdir -p "$folder"
  while [ $SECONDS -lt $until ] && [ $restart -le $most_restarts ]; do
    PLIANT_FUZZ=$target $run -max_len=$length -max_total_time=$((until - SECONDS)) -timeout=$longest_second \
      -rss_limit_mb=$most_memory -reload=0 -entropic=0 -reduce_inputs=0 -print_final_stats=1 -verbosity=1 -print_pcs=0 \
      -seed=$((seed + worker * 1000 + restart)) "-artifact_prefix=$work/found/$target-$set-" "${dictionary[@]}" \
      "$folder" "$work/corpus/$target" > "$work/logs/$name.$restart" 2>&1
    echo $? > "$work/logs/$name.$restart.rc"
    restart=$((restart + 1))
  done
  echo $((SECONDS - begun)) > "$work/logs/$name.seconds"
}

worker() {  # its units, one after the other
  local j=$1 share u set target targets
  share=$((seconds / (jobs >= ${#units[@]} ? 1 : (${#units[@]} + jobs - 1) / jobs)))
  for ((u = j % ${#units[@]}; u < ${#units[@]}; u += (jobs >= ${#units[@]} ? ${#units[@]} : jobs))); do
    read -r set targets <<< "${units[$u]}"
    set -- $targets
    for target in "$@"; do slice "$j" "$set" "$target" $((share / $#)); done
  done
}

begun=$(date -u +%FT%TZ)
seed=$((RANDOM * 32768 + RANDOM + 1))  # another one each time: what a run repeats counts for nothing
for ((j = 0; j < jobs; ++j)); do worker "$j" & done
wait

# What was done: the sums of libFuzzer's own figures.
number() { sed -n "s/^stat::$1: *//p" "$2" | tail -1; }
total=0 found_in_all=0 worst_memory=0 worst_unit=0 bad=0
{
  echo "seconds $seconds, jobs $jobs, seed $seed"
  printf '%-11s %-8s %10s %14s %12s %10s %12s %14s %10s\n' target set seconds executions "a second" "bad ends" "slowest (s)" \
    "memory (MB)" "new inputs"
} > "$out/summary.txt"
rows=""
for target in mps lp nl cbf sdpa libsvm sol json csv container checkpoint solution; do
  for set in fast checked; do
    executions=0 slowest=0 memory=0 endings=0 new=0 spent=0
    for log in "$work"/logs/*."$set.$target".*; do
      case $log in
        *.rc | *\**) continue ;;
        *.seconds) spent=$((spent + $(cat "$log"))) && continue ;;
      esac
      e=$(number number_of_executed_units "$log") s=$(number slowest_unit_time_sec "$log") m=$(number peak_rss_mb "$log")
      n=$(number new_units_added "$log") left_out=$(number inputs_left_out "$log")
      executions=$((executions + ${e:-0} - ${left_out:-${e:-0}})) new=$((new + ${n:-0}))
      [ "${s:-0}" -gt $slowest ] && slowest=$s
      [ "${m:-0}" -gt $memory ] && memory=$m
      if [ "$(cat "$log.rc")" != 0 ]; then
        endings=$((endings + 1)) bad=$((bad + 1))
        [ $bad -le 8 ] && tail -40 "$log" > "$out/$(basename "$log").txt"
      fi
    done
    [ $spent -gt 0 ] || continue
    printf '%-11s %-8s %10d %14d %12d %10d %12d %14d %10d\n' $target $set $spent $executions $((executions / spent)) $endings \
      $slowest $memory $new >> "$out/summary.txt"
    rows+=$(printf '{"target": "%s", "set": "%s", "seconds": %d, "executions": %d, "bad_endings": %d, "slowest_unit_s": %d, ' \
      $target $set $spent $executions $endings $slowest)
    rows+=$(printf '"peak_rss_mb": %d, "new_inputs": %d}, ' $memory $new)
    total=$((total + executions)) found_in_all=$((found_in_all + endings))
    [ $slowest -gt $worst_unit ] && worst_unit=$slowest
    [ $memory -gt $worst_memory ] && worst_memory=$memory
  done
done
echo "total: $total executions, $found_in_all bad endings, slowest unit $worst_unit s, peak memory $worst_memory MB" >> "$out/summary.txt"
{
  printf '{"begun": "%s", "seed": %d, "seconds": %d, "jobs": %d, "executions": %d, ' "$begun" $seed "$seconds" "$jobs" $total
  printf '"bad_endings": %d, "slowest_unit_s": %d, "peak_rss_mb": %d, ' $found_in_all $worst_unit $worst_memory
  printf '"targets": [%s]}\n' "${rows%, }"
} > "$out/summary.json"
mkdir -p "$out/found"
ls -S "$work/found" | tail -8 | while read -r f; do cp "$work/found/$f" "$out/found/"; done
# The smallest of the new inputs, a few hundred per target: the corpus grows by what -merge keeps of them.
for target in mps lp nl cbf sdpa libsvm sol json csv container checkpoint solution; do
  mkdir -p "$work/new/$target"
  ls -rS "$work"/reached/*."$target"/* 2> /dev/null | head -400 | xargs -r cp -n -t "$work/new/$target"
done
tar -C "$work/new" -czf "$out/corpus.tar.gz" . 2> /dev/null
rm -rf "$work"
cat "$out/summary.txt"
