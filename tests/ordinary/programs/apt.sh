# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# needs: apt-get dpkg
apt-get -s install dash no-such-package-at-all
echo "status $?"
apt-get -s install dash 2>&1 | tail -n 1
apt-config dump | cksum
dpkg-query -W | cksum
dpkg -S /bin/sh
