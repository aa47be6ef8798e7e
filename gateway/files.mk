# SPDX-License-Identifier: ISC
# CORE files compute and touch nothing; EDGE files touch the system and decide nothing.
CORE := err strv text words rlimits keywords setting profile request rules paths view_sources view environment plan argv outcome record status identity sftplog report egress
EDGE := ini seccomp account source process connection load attempt probe session place removal scope log terminal relay lines sftprecords guard chain tree run tell decision serve manager quota hook_end hook resolver network
TOOL := stockade explain explain_json runs who journal last iniedit switch selftest probing admin enroll check check_config check_profile check_rules check_sshd check_keys check_pam check_account check_sudo check_jobs check_host layout check_start check_services check_files check_kernel
