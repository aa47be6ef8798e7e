# SPDX-License-Identifier: ISC
# Products only under build/.  V=1 shows every command.

PREFIX ?= /usr
BINDIR ?= $(PREFIX)/bin
MANDIR ?= $(PREFIX)/share/man
DATADIR ?= $(PREFIX)/share/stockade
SYSCONFDIR ?= /etc
STATEDIR ?= /var/lib
TMPFILESDIR ?= $(PREFIX)/lib/tmpfiles.d
PAMDIR ?= $(PREFIX)/lib/$(shell $(CC) -print-multiarch 2>/dev/null)/security
BUILD ?= build

CC ?= cc
INSTALL ?= install
VERSION := 0.1

ifeq ($(V),1)
Q :=
say = @:
else
Q := @
say = @printf '  %-8s %s\n'
endif

# --- flags: probed, not assumed ------------------------------------------------
has_flag = $(shell printf 'int main(void){return 0;}' | $(CC) -Werror $(1) -x c - -o /dev/null 2>/dev/null && printf '%s' '$(1)')
HARDEN_WANTED := -fstack-protector-strong -fstack-clash-protection -fcf-protection -ftrivial-auto-var-init=zero \
	-fno-strict-aliasing -fPIE
FORTIFY := -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3
HARDEN_LINK_WANTED := -pie -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack
WARN_WANTED := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wwrite-strings -Wformat=2 \
	-Wvla -Wundef -Wswitch-enum -Wimplicit-fallthrough -Wnull-dereference -Wno-format-truncation
ifeq ($(wildcard $(BUILD)/flags.mk),)
$(shell mkdir -p $(BUILD))
$(shell { \
	echo 'HARDEN := $(foreach f,$(HARDEN_WANTED),$(call has_flag,$(f)))'; \
	echo 'HARDEN_LINK := $(foreach f,$(HARDEN_LINK_WANTED),$(call has_flag,$(f)))'; \
	echo 'WARN := $(foreach f,$(WARN_WANTED),$(call has_flag,$(f)))'; } >$(BUILD)/flags.mk)
endif
include $(BUILD)/flags.mk

OPT ?= -O2 -g
BASE_CFLAGS := -std=gnu11 -D_GNU_SOURCE $(OPT) $(FORTIFY) $(WARN) $(HARDEN) \
	-iquote gateway -MMD -MP \
	-DSTOCKADE_VERSION='"$(VERSION)"' -DSTOCKADE_GATEWAY='"$(BINDIR)/stockade-gateway"' \
	-DSTOCKADE_ETC='"$(SYSCONFDIR)/stockade"' -DSTOCKADE_DATADIR='"$(DATADIR)"'
ALL_CFLAGS = $(BASE_CFLAGS) $(CFLAGS)
ALL_LDFLAGS = $(HARDEN_LINK) -Wl,--as-needed $(LDFLAGS)

# --- what is built ---------------------------------------------------------------
include gateway/files.mk

# libc first: most symbols are found there.
GATEWAY_LIBS := -lc -liniparser -lseccomp -lmd -ljson-c -lresolv
TOOL_LIBS := $(GATEWAY_LIBS)

OBJ = $(patsubst %,$(BUILD)/gateway/%.o,$(1))
PROGRAMS := $(BUILD)/stockade-gateway $(BUILD)/stockade
UNIT_NAMES := $(patsubst tests/unit/%.c,%,$(wildcard tests/unit/test_*.c))
UNIT_TESTS := $(patsubst %,$(BUILD)/unit/%,$(UNIT_NAMES))

all: $(PROGRAMS) $(if $(wildcard pam_module/pam_stockade.c),$(BUILD)/pam_stockade.so)

$(BUILD)/gateway/%.o: gateway/%.c $(BUILD)/flags.mk
	@mkdir -p $(@D)
	$(say) CC $<
	$(Q)$(CC) $(ALL_CFLAGS) -c $< -o $@

$(BUILD)/stockade-gateway: $(call OBJ,$(CORE) $(EDGE) stockade_gateway)
	$(say) LD $@
	$(Q)$(CC) $(ALL_CFLAGS) $^ -o $@ $(ALL_LDFLAGS) $(GATEWAY_LIBS)

$(BUILD)/stockade: $(call OBJ,$(CORE) $(EDGE) $(TOOL))
	$(say) LD $@
	$(Q)$(CC) $(ALL_CFLAGS) $^ -o $@ $(ALL_LDFLAGS) $(TOOL_LIBS)

$(BUILD)/pam_stockade.so: pam_module/pam_stockade.c pam_module/pam_stockade.map $(BUILD)/flags.mk
	@mkdir -p $(@D)
	$(say) LD $@
	$(Q)$(CC) $(filter-out -fPIE,$(ALL_CFLAGS)) -fPIC -shared $< -o $@ $(filter-out -pie,$(ALL_LDFLAGS)) \
		-Wl,--version-script=pam_module/pam_stockade.map -lpam

# --- tests -----------------------------------------------------------------------
$(BUILD)/unit/%: tests/unit/%.c $(call OBJ,$(CORE) $(EDGE) $(filter-out stockade,$(TOOL)))
	@mkdir -p $(@D)
	$(say) TEST $@
	$(Q)$(CC) $(ALL_CFLAGS) -iquote tests/unit $< $(filter %.o,$^) -o $@ $(ALL_LDFLAGS) $(GATEWAY_LIBS) -lcmocka

# The module once more, with paths of the test's own.
PAM_TEST_DIR := $(abspath $(BUILD))/pam-test
$(BUILD)/pam-test/pam_stockade.so: pam_module/pam_stockade.c $(BUILD)/flags.mk
	@rm -rf $(@D) && mkdir -p $(@D)/pam.d $(@D)/etc/profiles
	$(Q)for service in test systemd-user; do for kind in account session; do \
		printf '%s required pam_permit.so\n%s required %s\n' $$kind $$kind $(PAM_TEST_DIR)/pam_stockade.so; \
	done >$(@D)/pam.d/$$service; done
	$(say) LD $@
	$(Q)$(CC) $(filter-out -fPIE -DSTOCKADE_%,$(ALL_CFLAGS)) -fPIC -shared -DSTOCKADE_ETC='"$(PAM_TEST_DIR)/etc"' \
		-DSTOCKADE_GATEWAY='"$(PAM_TEST_DIR)/hook"' -DCONNECTION_DIR='"$(PAM_TEST_DIR)/connections"' $< -o $@ $(filter-out -pie,$(ALL_LDFLAGS)) -lpam

$(BUILD)/unit/test_pam: tests/pam/test_pam.c $(BUILD)/pam-test/pam_stockade.so
	@mkdir -p $(@D)
	$(say) TEST $@
	$(Q)$(CC) $(ALL_CFLAGS) -DPAM_TEST_DIR='"$(PAM_TEST_DIR)"' $< -o $@ $(ALL_LDFLAGS) -lpam -lcmocka

run-unit: all $(UNIT_TESTS) $(BUILD)/unit/test_pam
	$(Q)tests/run-unit $(BUILD) $(UNIT_NAMES) test_pam

# The same under AddressSanitizer and UndefinedBehaviorSanitizer.
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=undefined -U_FORTIFY_SOURCE
sanitize:
	$(Q)$(MAKE) BUILD=$(BUILD)/sanitized OPT='-O1 -g' CFLAGS='$(SANITIZE)' LDFLAGS='$(SANITIZE)' run-unit

check: all $(UNIT_TESTS) $(BUILD)/unit/test_pam
	$(Q)tests/lint --before $(BUILD)
	$(Q)tests/run-unit $(BUILD) $(UNIT_NAMES) test_pam
	$(Q)CC='$(CC)' MAKE='$(MAKE)' tests/lint $(BUILD)

FUZZ_SECONDS ?= 60
FUZZ_SOURCES = $(patsubst %,gateway/%.c,$(CORE) ini seccomp journal) pam_module/pam_stockade.c
fuzz:
	$(Q)tests/fuzz/run $(BUILD) $(FUZZ_SECONDS) $(FUZZ_SOURCES)

golden-update: $(BUILD)/unit/test_golden
	$(Q)GOLDEN_UPDATE=1 $(BUILD)/unit/test_golden

# Beds need root. MUTANTS="NAME..." weakens in these ways only.
mutants:
	$(Q)[ "$$(id -u)" -eq 0 ] || { echo 'make mutants: beds need root' >&2; exit 1; }
	$(Q)tests/mutants/run

analyze:
	$(Q)tests/analyze $(BUILD)

# --- install: modes on each line; configuration in place is never overwritten ------
install: all
	$(INSTALL) -d -m 0755 "$(DESTDIR)$(BINDIR)" "$(DESTDIR)$(MANDIR)/man5" "$(DESTDIR)$(MANDIR)/man8" \
		"$(DESTDIR)$(DATADIR)/templates" "$(DESTDIR)$(TMPFILESDIR)" "$(DESTDIR)$(SYSCONFDIR)/stockade/profiles"
	$(INSTALL) -m 0755 $(BUILD)/stockade-gateway "$(DESTDIR)$(BINDIR)/stockade-gateway"
	$(INSTALL) -m 0755 $(BUILD)/stockade "$(DESTDIR)$(BINDIR)/stockade"
	$(INSTALL) -m 0644 man/stockade.ini.5 "$(DESTDIR)$(MANDIR)/man5/stockade.ini.5"
	$(INSTALL) -m 0644 man/stockade.8 "$(DESTDIR)$(MANDIR)/man8/stockade.8"
	$(INSTALL) -m 0644 man/stockade-gateway.8 "$(DESTDIR)$(MANDIR)/man8/stockade-gateway.8"
	$(INSTALL) -m 0644 etc/tmpfiles.conf "$(DESTDIR)$(TMPFILESDIR)/stockade.conf"
	for f in etc/templates/*.ini; do $(INSTALL) -m 0644 "$$f" "$(DESTDIR)$(DATADIR)/templates/" || exit 1; done
	$(INSTALL) -d -m 0755 "$(DESTDIR)$(STATEDIR)/stockade" "$(DESTDIR)$(STATEDIR)/stockade/tmp"
	@if [ -e "$(DESTDIR)$(SYSCONFDIR)/stockade/stockade.ini" ]; then \
		echo "$(SYSCONFDIR)/stockade/stockade.ini is kept as it is"; \
	else $(INSTALL) -m 0644 etc/stockade.ini "$(DESTDIR)$(SYSCONFDIR)/stockade/stockade.ini"; fi
	$(if $(wildcard pam_module/pam_stockade.c),$(INSTALL) -d -m 0755 "$(DESTDIR)$(PAMDIR)" && \
		$(INSTALL) -m 0644 $(BUILD)/pam_stockade.so "$(DESTDIR)$(PAMDIR)/pam_stockade.so")

uninstall:
	rm -f "$(DESTDIR)$(BINDIR)/stockade-gateway" "$(DESTDIR)$(BINDIR)/stockade" "$(DESTDIR)$(MANDIR)/man5/stockade.ini.5" \
		"$(DESTDIR)$(MANDIR)/man8/stockade.8" "$(DESTDIR)$(MANDIR)/man8/stockade-gateway.8" \
		"$(DESTDIR)$(TMPFILESDIR)/stockade.conf" "$(DESTDIR)$(PAMDIR)/pam_stockade.so"
	rm -rf "$(DESTDIR)$(DATADIR)"
	@echo "$(SYSCONFDIR)/stockade and $(STATEDIR)/stockade are kept; remove them by hand"

clean:
	rm -rf $(BUILD)/sanitized $(BUILD)/gateway $(BUILD)/unit $(BUILD)/pam-test $(BUILD)/flags.mk $(PROGRAMS) $(BUILD)/pam_stockade.so

.PHONY: all check run-unit sanitize fuzz golden-update mutants analyze install uninstall clean
.DELETE_ON_ERROR:

-include $(wildcard $(BUILD)/gateway/*.d $(BUILD)/unit/*.d $(BUILD)/*.d)
