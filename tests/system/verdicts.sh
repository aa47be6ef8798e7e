# SPDX-License-Identifier: ISC
# What explain says of a command is what the gateway does with it, on generated command lines over ssh. Runs as root in a
# bed, after setup.sh. SEED, COUNT.
# shellcheck shell=bash
{
	cat /etc/stockade/build.default
	printf '[command]\nsftp = no\n[allow]\nmake = make ...\necho = echo *\ngit = git-upload-pack *\nrsync = rsync --server ...\n[deny]\neval = make *--eval* ...\n[menu]\ndeploy = true\n'
} | profile
seed=${SEED:-$RANDOM} count=${COUNT:-500}
echo "seed $seed, $count command lines"
cat >/tmp/generate.py <<'PY'
import random, sys
random.seed(int(sys.argv[1]))
words = ["a", "b.c", "-n", "--server", "x=y", "'q u'", '"d q"', "\\ ", "é", "*", "~", "%s", "{a,b}", "#"]
bad = ["; id", "| id", "$(id)", "`id`", "> /tmp/x", "&& id", "$HOME", "(x)", "'open", '"open', "\n id", "\t", "\x01"]
heads = ["make", "echo", "git-upload-pack", "rsync --server", "deploy", "make --eval=x", "gcc", "sh", "/bin/make", "mak", "ec\\ho", "'make'"]
for _ in range(int(sys.argv[2])):
    line = random.choice(heads[:5] * 2 + heads)
    for _ in range(random.choice([0, 1, 1, 1, 2, 3])):
        line += " " + random.choice(words)
    if random.random() < 0.25:
        line += " " + random.choice(bad)
    sys.stdout.write(line + "\0")
PY
mapfile -t -d '' lines < <(python3 /tmp/generate.py "$seed" "$count")
client ssh "${options[@]}" -M -S /tmp/cm-verdicts -N -f build@127.0.0.1 </dev/null >/dev/null 2>&1
mark
for line in "${lines[@]}"; do
	client ssh "${options[@]}" -S /tmp/cm-verdicts build@127.0.0.1 "$line" >/dev/null 2>&1 </dev/null
done
client ssh -S /tmp/cm-verdicts -O exit build@127.0.0.1 >/dev/null 2>&1
all_records | tail -n +$((marked + 1)) | grep -E '^(start|refuse) ' | sed -E 's/ .* rule=([^ ]*) .*/ \1/; s/^refuse .*/refuse/' >/tmp/did
for line in "${lines[@]}"; do
	stockade explain build -- "$line" | awk '/^verdict: runs/ { v = "start" } /^verdict: refused/ { v = "refuse" } /^rule: / { r = $3 } END { print v (v == "start" ? " " (r ? r : "-") : "") }'
done >/tmp/said
is one_record_a_command "$(wc -l </tmp/did)" "$count"
is explain_says_what_the_gateway_does "$(diff /tmp/said /tmp/did | head -n 5)" ''
refusals=$(grep -c refuse /tmp/did)
is at_least_three_in_ten_of_each "$((refusals * 10 >= count * 3 && refusals * 10 <= count * 7))" 1

totals verdicts
