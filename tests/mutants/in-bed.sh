# SPDX-License-Identifier: ISC
# Runs in a bed as root, after setup.sh and the libraries: builds each mutant in $SOURCE, puts it in the place of the gateway,
# and runs the one test that has to notice. MUTANTS="NAME..." runs these alone.
# shellcheck shell=bash disable=SC2034,SC2154
source=${SOURCE:-/root/source}
shows=/root/mutants
declared=0
declare -A sound
good=/root/good
mkdir -p $good

# Prints refused or succeeded (an attack), holds or fails (a check), or what else came of it.
try() { # KILLER
	local name=${1#*:} view='' file status
	case $name in *@*) view=${name#*@} name=${name%@*} ;; esac
	default_profile
	target=build dir=$work marker=$work/marker mode=attack
	rm -f "$marker" $outside
	case $view in
	host) with '[view]' 'root = host' ;;
	command) with '[tmp]' 'mode = command' ;;
	esac
	if [ "${1%%:*}" = check ]; then
		("check_$name") </dev/null >/root/try.log 2>&1 && echo holds || echo fails
	elif [ -e "$attacks/payload/$name.sh" ]; then
		file=$attacks/payload/$name.sh
		attempt_alone build "$file" 2>/root/try.log
		status=${ended[$name]:-}
		case $status in 0) echo succeeded ;; 1) echo refused ;; *) echo "status '$status' ${said[$name]:-}${said[none]:-}" ;; esac
	else
		client_once "$attacks/client/$name.sh" attack >/root/try.log 2>&1
		status=$?
		case $status in 0) echo succeeded ;; 1) echo refused ;; *) echo "status $status $(head -c 200 /root/try.log)" ;; esac
	fi
	rm -f "$marker" $outside
	default_profile
}
install_from() { # DIRECTORY
	local program
	for program in stockade-gateway stockade; do
		cp "$1/$program" "/usr/bin/.$program" && chmod 755 "/usr/bin/.$program" && mv -f "/usr/bin/.$program" "/usr/bin/$program"
	done
}
is_sound() { # KILLER: passes without any mutant; asked once
	local came
	if [ -z "${sound[$1]:-}" ]; then
		came=$(try "$1")
		case $came in refused | holds) sound[$1]=yes ;; *) sound[$1]="$came" ;; esac
		if [ "${sound[$1]}" = yes ]; then ok "control_$1"; else not_ok "control_$1: $came without any mutant: $(head -c 300 /root/try.log)"; fi
	fi
	[ "${sound[$1]}" = yes ]
}
build() { make -s -C $source OPT=-O1 build/stockade-gateway build/stockade; }
mutant() { # NAME KILLER FILE SED [FILE SED]...
	local name=$1 killer=$2 came files=() file
	declared=$((declared + 1))
	shift 2
	[ -z "${MUTANTS:-}" ] || [[ " $MUTANTS " == *" $name "* ]] || return 0
	is_sound "$killer" || return 0
	while [ $# -gt 0 ]; do
		file=$source/gateway/$1
		cp -p "$file" "$good/$1"
		cp -p "$source/build/gateway/${1%.c}.o" "$good/${1%.c}.o"
		files+=("$1")
		sed -i "$2" "$file"
		if cmp -s "$file" "$good/$1"; then
			not_ok "$name: the edit of $1 changes nothing"
			came=none
		fi
		shift 2
	done
	if [ "${came:-}" != none ]; then
		if build >/root/build.log 2>&1; then
			install_from $source/build
			came=$(try "$killer")
			install_from $good
			case $came in
			succeeded | fails) ok "$name: killed by $killer" ;;
			*) not_ok "$name: survives $killer: $came: $(head -c 200 /root/try.log)" ;;
			esac
		else not_ok "$name: does not build: $(grep -m 1 error /root/build.log)"; fi
	fi
	for file in "${files[@]}"; do
		cp -p "$good/$file" "$source/gateway/$file"
		# Newer than the source, as it was.
		cp "$good/${file%.c}.o" "$source/build/gateway/${file%.c}.o"
	done
}

build >/root/build.log 2>&1 || { tail -n 20 /root/build.log && exit 1; }
cp $source/build/stockade-gateway $source/build/stockade $good/
install_from $good
listeners
trap tear_down EXIT
landmarks
accounts
connect build
connect plain
neighbours
# shellcheck source-path=SCRIPTDIR source=list.sh
. $shows/list.sh
[ -n "${MUTANTS:-}" ] || [ "$declared" -ge 40 ] || not_ok "only $declared mutants"
echo "count: $declared mutants"
totals mutants
