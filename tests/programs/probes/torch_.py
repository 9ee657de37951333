# SPDX-License-Identifier: Apache-2.0
"""torch_.py init | fork | spawn | forkserver | loader | collect"""
import sys

import torch


def ask(_=None):
    try:
        torch.cuda.init()
        return "initialised"
    except Exception as error:
        return "%s: %s" % (type(error).__name__, str(error).replace("\n", " "))


class Answers(torch.utils.data.Dataset):
    def __len__(self):
        return 2

    def __getitem__(self, index):
        return ask()


def keep(batch):
    return batch


def main():
    what = sys.argv[1]
    if what == "init":
        print("torch", torch.__version__, "CUDA", torch.version.cuda)
        print("available", torch.cuda.is_available())
        print(ask())
    elif what == "loader":
        loader = torch.utils.data.DataLoader(Answers(), num_workers=2, collate_fn=keep)
        for batch in loader:
            print("worker:", batch[0])
        print(ask())
    elif what == "collect":
        from torch.utils import collect_env
        collect_env.main()
        print(ask())
    else:
        with torch.multiprocessing.get_context(what).Pool(2) as pool:
            for answer in pool.map(ask, range(2)):
                print("child:", answer)
        print(ask())


if __name__ == "__main__":
    main()
