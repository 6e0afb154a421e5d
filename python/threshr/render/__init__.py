"""Draws pages with an installed Chromium: the command `threshr-render`.

It writes each page as it is after its scripts, and where its elements are drawn. Chromium is driven by Playwright, which
`pip install threshr[render]` installs. No browser is downloaded.
"""
