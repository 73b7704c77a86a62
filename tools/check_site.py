#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that links of a folder of HTML pages lead to files of it, and to places in them that there are.

Usage: check_site.py SITE_DIR

Links into other sites are not followed.
"""
import html.parser
import pathlib
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    """Where a page links to, and the places in it that can be linked to."""

    def __init__(self, path):
        super().__init__()
        self.links, self.places = set(), set()
        self.feed(path.read_text(encoding="utf-8", errors="replace"))

    def handle_starttag(self, tag, attrs):
        about = dict(attrs)
        self.places |= {about[name] for name in ("id", "name") if about.get(name)}
        self.links |= {about[name] for name in ("href", "src") if about.get(name)}


def dead_links(site):
    """Lines about links that lead nowhere, and how many pages were looked at."""
    pages = {path: Page(path) for path in site.rglob("*.html")}
    faults = []
    for path, page in sorted(pages.items()):
        for link in sorted(page.links):
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc or link.startswith("#") and link in ("#", "#!"):
                continue
            place = urllib.parse.unquote(parts.path)
            start = site if place.startswith("/") else path.parent
            target = (start / place.lstrip("/")).resolve() if place else path
            target = target / "index.html" if target.is_dir() else target
            if not target.exists():
                faults.append(f"{path.relative_to(site)}: there is no {link}")
            elif parts.fragment and target in pages and urllib.parse.unquote(parts.fragment) not in pages[target].places:
                faults.append(f"{path.relative_to(site)}: {link} has no such place")
    return faults, len(pages)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    faults, pages = dead_links(pathlib.Path(sys.argv[1]).resolve())
    if not pages:
        sys.exit(f"{sys.argv[1]} has no page")
    sys.exit("\n".join(faults) if faults else 0)


if __name__ == "__main__":
    main()
