// SPDX-License-Identifier: Apache-2.0

// What the CDI library of the engines makes of specifications: parser FILE... prints a line for each, the first word of
// which is "refused", or the number of devices; then the command of the first hook for all of them, or "-".
package main

import (
	"fmt"
	"os"

	"CDI/pkg/cdi"
)

func main() {
	for _, file := range os.Args[1:] {
		spec, err := cdi.ReadSpec(file, 0)
		if err != nil {
			fmt.Printf("refused %q\n", err.Error())
			continue
		}
		first := "-"
		if hooks := spec.ContainerEdits.Hooks; len(hooks) > 0 && len(hooks[0].Args) > 3 {
			first = hooks[0].Args[3]
		}
		fmt.Println(len(spec.Devices), first)
	}
}
