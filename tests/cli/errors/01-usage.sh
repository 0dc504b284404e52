# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154,SC2016
# Sourced by errors_golden.sh: words and options.
title 'words and options'
t statsu
t xyzzyxyzzy
t retry pay-1
t resend pay-1
t cancel pay-1
t delete pay-1
t help statsu
t list --statee recorded
t list --xyzzyxyzzy
t list -x
t list --by ann
t list --limit
t list --all --all
t list --all=yes
t --json
t --json statsu
t show
t show pay-1 pay-2
t status now
t resolve pay-1 --outcome applied --by ann
t list --state open
t list --outcome maybe
t list --limit many
t list --older-than soon
t states --format dot
t --json states --format mermaid
