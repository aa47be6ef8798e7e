#!/bin/bash
# SPDX-License-Identifier: ISC
# What the gateway itself costs per command: the same chain started by a program of three lines, and by the gateway, in
# turns. Wall clock, which a busy machine stretches, and cpu time of all processes, which it hardly does. And what it costs
# there to start a program that does nothing, in which the difference is told too: virtual machines differ tenfold in it,
# most of all in the first touch of a page.
# Runs as root in a bed, after tests/system/setup.sh. usage: gateway.sh [RUNS]
set -eu
runs=${1:-200}
dir=$(mktemp -d /opt/bench.XXXXXX)
trap 'rm -rf "$dir"' EXIT
chmod 755 "$dir"
cat >"$dir/start.c" <<'C'
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv) { int status = 1; if (argc > 1 && !fork()) { execv(argv[1], argv + 1); _exit(1); } wait(&status); return WEXITSTATUS(status); }
C
cc -O2 -o "$dir/start" "$dir/start.c"
cat >"$dir/machine.c" <<'C'
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3; }
int main(void)
{
	enum { PAGES = 2000, CALLS = 100000 };
	char *pages = mmap(NULL, PAGES * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	double begin, touched, called;
	if (pages == MAP_FAILED)
		return 1;
	madvise(pages, PAGES * 4096, MADV_NOHUGEPAGE);
	begin = now();
	for (int i = 0; i < PAGES; i++)
		pages[i * 4096] = 1;
	touched = now();
	for (int i = 0; i < CALLS; i++)
		syscall(SYS_getppid);
	called = now();
	printf("machine  first touch of a page %.2f us, system call %.2f us\n", (touched - begin) / PAGES, (called - touched) / CALLS);
	return 0;
}
C
cc -O1 -D_GNU_SOURCE -o "$dir/machine" "$dir/machine.c"
echo 'int main(void) { return 0; }' | cc -O2 -x c -o "$dir/nothing" -
loginctl enable-linger build
until [ -S /run/user/1000/systemd/private ]; do sleep 0.2; done
stockade explain build -- true >"$dir/explained"
# The chain as explained, options in place, without what only the gateway can hand over; its directories made by hand.
install -d -o build -m 700 /var/lib/stockade/tmp/build/SESSION
install -d -o build -m 755 /var/lib/stockade/tmp/build/SESSION/{tmp,var-tmp,home}
sed -n '/^chain:/,/^bwrap/p' "$dir/explained" | sed '1d;$d;s/^  //' >"$dir/chain"
sed '1,/^bwrap/d;s/^  //' "$dir/explained" >"$dir/options"
cat >"$dir/bench.py" <<'PY'
import ctypes, os, resource, statistics, subprocess, sys, time
directory, runs = sys.argv[1], int(sys.argv[2])
lines = lambda name: open(f"{directory}/{name}").read().splitlines()
options, i = [], 0
words = lines("options")
while i < len(words):
    if words[i].startswith("--perms") and words[i + 2] == "--file":
        i += 5
    elif i + 1 < len(words) and words[i + 1].startswith("{"):
        i += 2
    else:
        options.append(words[i])
        i += 1
chain = []
for word in lines("chain"):
    chain.append(word)
at = chain.index("--args")
chain[at:at + 2] = options
env = {"XDG_RUNTIME_DIR": f"/run/user/{os.getuid()}"}
kinds = {"nothing": [f"{directory}/nothing"], "start": [f"{directory}/start"] + chain, "gateway": ["/usr/bin/stockade-gateway", "-c", "true"]}
times = {name: [] for name in kinds}
cpu = {name: [] for name in kinds}
# bwrap's monitor does not wait for the namespace's init: its time counts where somebody reaps it (prctl(2)).
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
def used():
    while True:
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            break
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (usage.ru_utime + usage.ru_stime) * 1000
for run in range(runs):
    for name, words in kinds.items():
        argv = [word.replace("stockade-SESSION", f"stockade-bench{run}") for word in words]
        before, begin = used(), time.perf_counter()
        status = subprocess.run(argv, env=env, stdin=subprocess.DEVNULL).returncode
        times[name].append((time.perf_counter() - begin) * 1000)
        cpu[name].append(used() - before)
        assert status == 0, (name, status)
for name in kinds:
    print(f"{name:8} median {statistics.median(times[name]):6.2f} ms  min {min(times[name]):6.2f} ms  cpu {statistics.median(cpu[name]):6.2f} ms")
median = {name: statistics.median(times[name]) for name in kinds}
print(f"gateway/start: {median['gateway'] / median['start']:.3f}, +{median['gateway'] - median['start']:.2f} ms (median), "
      f"+{min(times['gateway']) - min(times['start']):.2f} ms (min), "
      f"+{statistics.median(cpu['gateway']) - statistics.median(cpu['start']):.2f} ms (cpu)")
print(f"that is {(median['gateway'] - median['start']) / median['nothing']:.1f} starts of nothing")
PY
"$dir/machine"
runuser -u build -- python3 "$dir/bench.py" "$dir" "$runs"
rm -rf /var/lib/stockade/tmp/build/SESSION
loginctl disable-linger build
