"""The tests run the examples of pages; what builds the site, and the gallery, is not imported."""

collect_ignore_glob = [
    "conf.py",
    "pictures.py",
    "screenshots.py",
    "comparisons.py",
    "promise_tables.py",
    "gallery/*",
    "_build/*",
    "auto_gallery/*",
    "generated/*",
]
