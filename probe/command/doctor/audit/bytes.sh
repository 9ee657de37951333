#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Prints a file as the bytes between the braces of a C array.
set -eu
od -v -An -tx1 "$1" | sed 's/ \([0-9a-f][0-9a-f]\)/0x\1,/g'
