# SPDX-License-Identifier: Apache-2.0

set -l verbs status inspect trial run explain doctor matrix cdi dockerfile install uninstall path

function __cuarbiter_codes
    cuarbiter explain --list 2>/dev/null | string match -r '^  [a-z0-9]\S*' | string trim
end

complete -c cuarbiter -f
complete -c cuarbiter -n "not __fish_seen_subcommand_from $verbs" -l help -d help
complete -c cuarbiter -n "not __fish_seen_subcommand_from $verbs" -l version -d version

complete -c cuarbiter -n "not __fish_seen_subcommand_from $verbs" -a status -d 'drivers, GPUs, the verdict and why'
complete -c cuarbiter -n "not __fish_seen_subcommand_from $verbs" -a inspect -d 'who a libcuda is'
complete -c cuarbiter -n "not __fish_seen_subcommand_from $verbs" -a trial -d 'cuInit of this very file, in a child'
complete -c cuarbiter -n "not __fish_seen_subcommand_from $verbs" -a run -d 'a command under the shim'
complete -c cuarbiter -n "not __fish_seen_subcommand_from $verbs" -a explain -d 'what a reason code or a CUDA error means'
complete -c cuarbiter -n "not __fish_seen_subcommand_from $verbs" -a doctor -d 'what each process of a command got'
complete -c cuarbiter -n "not __fish_seen_subcommand_from $verbs" -a matrix -d 'images on machines, which pairs work'
complete -c cuarbiter -n "not __fish_seen_subcommand_from $verbs" -a cdi -d 'a CDI specification'
complete -c cuarbiter -n "not __fish_seen_subcommand_from $verbs" -a dockerfile -d 'the lines of a Dockerfile'
complete -c cuarbiter -n "not __fish_seen_subcommand_from $verbs" -a install -d 'into a root file system'
complete -c cuarbiter -n "not __fish_seen_subcommand_from $verbs" -a uninstall -d 'out of a root file system'
complete -c cuarbiter -n "not __fish_seen_subcommand_from $verbs" -a path -d 'the path of the shim, for LD_PRELOAD'

complete -c cuarbiter -n "__fish_seen_subcommand_from $verbs" -l help -d help
complete -c cuarbiter -n '__fish_seen_subcommand_from status inspect trial matrix' -l json -d 'as JSON'
complete -c cuarbiter -n '__fish_seen_subcommand_from status run matrix' -l policy -x -a 'auto host compat off'

complete -c cuarbiter -n '__fish_seen_subcommand_from status' -l prom -d 'as metrics'
complete -c cuarbiter -n '__fish_seen_subcommand_from status' -l pid -x -a '(__fish_complete_pids)' -d 'another process'
complete -c cuarbiter -n '__fish_seen_subcommand_from status' -l toolkit -x -d 'CUDA version of the program'
complete -c cuarbiter -n '__fish_seen_subcommand_from status' -l sysroot -x -a '(__fish_complete_directories)' -d 'an unpacked image'
complete -c cuarbiter -n '__fish_seen_subcommand_from status matrix' -l mounted -d 'with the machine\'s own libcuda'
complete -c cuarbiter -n '__fish_seen_subcommand_from status' -l kmd -x -d 'kernel driver version'
complete -c cuarbiter -n '__fish_seen_subcommand_from status' -l gpu -x -d 'GPU model'
complete -c cuarbiter -n '__fish_seen_subcommand_from status' -l cc -x -d 'compute capability'
complete -c cuarbiter -n '__fish_seen_subcommand_from status' -l visible -x -d CUDA_VISIBLE_DEVICES

complete -c cuarbiter -n '__fish_seen_subcommand_from inspect trial' -F
complete -c cuarbiter -n '__fish_seen_subcommand_from trial' -l timeout -x -d seconds
complete -c cuarbiter -n '__fish_seen_subcommand_from trial' -l contexts -d 'make contexts too'

complete -c cuarbiter -n '__fish_seen_subcommand_from run' -l libcuda -r -F -d 'this libcuda'
complete -c cuarbiter -n '__fish_seen_subcommand_from run' -l log -x -a 'error warn info debug'
complete -c cuarbiter -n '__fish_seen_subcommand_from run doctor' -x -a '(__fish_complete_subcommand)'

complete -c cuarbiter -n '__fish_seen_subcommand_from explain' -l list -d 'all of them'
complete -c cuarbiter -n '__fish_seen_subcommand_from explain' -a '(__cuarbiter_codes)'

complete -c cuarbiter -n '__fish_seen_subcommand_from matrix' -l images -r -a '(__fish_complete_directories)'
complete -c cuarbiter -n '__fish_seen_subcommand_from matrix' -l machines -r -F
complete -c cuarbiter -n '__fish_seen_subcommand_from matrix' -l env -x

complete -c cuarbiter -n '__fish_seen_subcommand_from cdi' -l dir -x -a '(__fish_complete_directories)'
complete -c cuarbiter -n '__fish_seen_subcommand_from cdi' -l merge -r -F -d 'into this specification'
complete -c cuarbiter -n '__fish_seen_subcommand_from cdi' -l remove -r -F -d 'out of this specification'
complete -c cuarbiter -n '__fish_seen_subcommand_from cdi' -l name -x -d 'of the device'
complete -c cuarbiter -n '__fish_seen_subcommand_from dockerfile' -l from -x -a '(__fish_complete_directories)'
complete -c cuarbiter -n '__fish_seen_subcommand_from dockerfile' -l to -x -d 'folder in the image'
complete -c cuarbiter -n '__fish_seen_subcommand_from cdi dockerfile' -l env -d 'LD_PRELOAD as a variable'

complete -c cuarbiter -n '__fish_seen_subcommand_from install uninstall' -l root -x -a '(__fish_complete_directories)'
complete -c cuarbiter -n '__fish_seen_subcommand_from install uninstall' -l dry-run -d 'change nothing'
complete -c cuarbiter -n '__fish_seen_subcommand_from install uninstall' -l yes -d 'this system'
