"""How the site is built: `make docs`. Nothing is fetched while it is built or read."""

import re
from importlib.metadata import version as installed
from pathlib import Path

project = "surelabel"
author = "the surelabel contributors"
version = release = installed("surelabel")

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.intersphinx",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
templates_path = ["_templates"]
exclude_patterns = ["_build", "gallery", "**/*.jsonl"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
root_doc = "index"

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

autosummary_generate = True
autodoc_typehints = "none"
numpydoc_show_class_members = False
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

# Inventories are stored, so that links to other packages need no network while the site is built.
_ELSEWHERE = {
    "python": "https://docs.python.org/3/",
    "numpy": "https://numpy.org/doc/stable/",
    "scipy": "https://docs.scipy.org/doc/scipy/",
    "pandas": "https://pandas.pydata.org/docs/",
    "sklearn": "https://scikit-learn.org/stable/",
}
intersphinx_mapping = {
    name: (address, str(stored))
    for name, address in _ELSEWHERE.items()
    if (stored := Path(__file__).parent / "inventories" / f"{name}.inv").exists()
}

sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "auto_gallery",
    "filename_pattern": r"plot_",
    "within_subsection_order": "ExampleTitleSortKey",
    "download_all_examples": False,
    "remove_config_comments": True,
    "show_memory": False,
    "write_computation_times": False,
    "abort_on_example_error": True,
}

html_theme = "pydata_sphinx_theme"
html_title = "surelabel"
html_static_path = ["_static"]
html_css_files = ["surelabel.css"]
html_show_sourcelink = False
html_copy_source = False
html_context = {"default_mode": "auto"}
html_sidebars = {"start": [], "install": [], "changelog": []}
html_theme_options = {
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "navbar_end": ["theme-switcher"],
    "show_prev_next": False,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
}
project_copyright = "the surelabel contributors, BSD 3-Clause"

# Folders of stored runs, which pages name: in a clone they are links, on the site they are names.
_FOLDERS = ("reproduction", "suite", "suite_text")


def _without_folders(app, docname, source):
    for folder in _FOLDERS:
        source[0] = source[0].replace(f"[{folder}]({folder})", f"`docs/{folder}`")


# A page links to the script of a gallery's page, which a clone has; on the site that is the page made of it.
_SCRIPT = re.compile(r"\]\(((?:\.\./)*)gallery/(\w+)\.py\)")


def _with_gallery(app, docname, source):
    pages = _SCRIPT.sub(r"](\1auto_gallery/\2.rst)", source[0])
    source[0] = pages.replace("](gallery)", "](auto_gallery/index.rst)")


# In reStructuredText a word that ends with an underscore is a link; in docstrings it is what fit has learnt.
_LEARNT = re.compile(r"(?<![`*\\\w.])([A-Za-z]\w*)_(?=[\s.,;:)]|$)")


def _without_links(app, what, name, obj, options, lines):
    lines[:] = [_LEARNT.sub(r"\1\\_", line) for line in lines]


def setup(app):
    """Connect what is changed in pages and docstrings before they are read."""
    app.connect("source-read", _without_folders)
    app.connect("source-read", _with_gallery)
    app.connect("autodoc-process-docstring", _without_links, priority=900)
