# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# needs: java
cat >One.java <<'J'
import java.util.concurrent.*;
import java.util.stream.*;
public class One {
    public static void main(String[] a) throws Exception {
        System.out.println(IntStream.range(0, 100000).parallel().mapToLong(i -> i).sum());
        Process p = new ProcessBuilder("/bin/sh", "-c", "echo child; exit 4").inheritIO().start();
        System.out.println("child " + p.waitFor());
        try {
            System.load("/no/such/library.so");
        } catch (UnsatisfiedLinkError e) {
            System.out.println(e.getMessage());
        }
        java.net.InetAddress.getLoopbackAddress();
        System.out.println(java.security.MessageDigest.getInstance("SHA-256").digest(new byte[9])[0]);
    }
}
J
# A runtime without the compiler runs what it brings itself.
if java --list-modules | grep -q jdk.compiler; then
    java -Xshare:auto One.java
else
    java -XshowSettings:vm -version 2>&1 | grep -v -i heap
fi
