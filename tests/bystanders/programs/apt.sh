# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# needs: apt-get dpkg
apt-get -s install dash no-such-package-at-all
echo "status $?"
apt-config dump | cksum
dpkg-query -W | cksum
dpkg -S /bin/sh
