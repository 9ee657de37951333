#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the links of a folder's Markdown pages that lead to no file, or to no heading of a page.

    links.py FOLDER
"""
import os
import re
import sys


def pages(folder):
    for path, folders, files in os.walk(folder):
        folders[:] = [f for f in folders if not f.startswith(('.', 'build')) or f == '.github']
        yield from (os.path.join(path, f) for f in files if f.endswith('.md'))


def text(page):
    """Without the blocks, in which brackets mean something else."""
    return re.sub(r'^```.*?^```', '', open(page, encoding='utf-8').read(), flags=re.M | re.S)


def anchors(page):
    """As forges make them of headings."""
    heads = re.findall(r'^#+ +(.*?) *$', text(page), flags=re.M)
    return {re.sub(r'[^\w\- ]', '', head.lower()).replace(' ', '-') for head in heads}


def dead(page):
    for link in re.findall(r'\]\(([^)\s]+)\)', text(page)):
        if re.match(r'[a-z]+:', link):
            continue
        name, _, anchor = link.partition('#')
        target = os.path.join(os.path.dirname(page), name) if name else page
        if not os.path.exists(target) or anchor and anchor not in anchors(target):
            yield link


lost = ['%s: %s' % (os.path.relpath(page, sys.argv[1]), link)
        for page in sorted(pages(sys.argv[1])) for link in dead(page)]
print('\n'.join(lost), end='\n' if lost else '')
sys.exit(bool(lost))
