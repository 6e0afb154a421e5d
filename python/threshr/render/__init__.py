"""Renders pages in an installed Chromium: the command `threshr-render`.

It writes the HTML of each page after its scripts have run, and the position and style of its elements.
Playwright, which the extra `render` of the package installs, controls Chromium. No browser is downloaded.
"""
