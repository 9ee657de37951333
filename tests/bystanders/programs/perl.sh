# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# needs: perl
exec perl -e '
use strict; use warnings;
use POSIX (); use Socket; use Digest::SHA; use Encode; use List::Util; use Storable; use Time::HiRes;
use Data::Dumper; use Fcntl; use threads; use DynaLoader;
print Digest::SHA::sha256_hex("x" x 1000), "\n";
print POSIX::strftime("%F", gmtime(86400)), " ", List::Util::sum(1 .. 100), "\n";
print Encode::encode("UTF-16BE", "abc"), "\n";
print join(",", sort map { $_->join } map { my $n = $_; threads->create(sub { $n * $n }) } 1 .. 4), "\n";
my $no = DynaLoader::dl_load_file("/no/such/library.so", 0);
print defined $no ? "found" : DynaLoader::dl_error(), "\n";
my $pid = fork; exit 5 if !$pid; waitpid $pid, 0; print $? >> 8, "\n";
socketpair(my $a, my $b, AF_UNIX, SOCK_STREAM, PF_UNSPEC) or die; syswrite $a, "hi"; sysread $b, my $got, 2;
print "$got\n"; local $Data::Dumper::Sortkeys = 1; print Dumper({a => [1, 2], b => undef});'
