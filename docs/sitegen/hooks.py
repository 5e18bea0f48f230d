"""What MkDocs calls: generated pages, executed pages, links out of the site, and the files for language models."""

from __future__ import annotations

import logging
import re
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import generated
import problem_gallery
from execute import executed
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[2]
_log = logging.getLogger("mkdocs.hooks.qres")
_MARK = re.compile(r"^---\n.*?^execute: true$.*?^---\n", re.MULTILINE | re.DOTALL)
_OUTSIDE = {
    "../README.md#the-command-line": "getting-started.md",
    "../README.md": "index.md",
    "../CHANGELOG.md": "changelog.md",
}
_pages: dict[str, str] = {}
_texts: list[tuple[str, str, str]] = []


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are made from code, results and execution."""
    for name in generated.undocumented():
        _log.warning(f"{name} has no docstring")
    made = {
        "changelog.md": (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"),
        "gallery/index.md": problem_gallery.page(),
        "reference/cli.md": generated.command_page(),
        "reference/keys.md": generated.file_page(),
    }
    for title, text in generated.api_pages().items():
        made[f"reference/api/{title.split()[0].lower()}.md"] = f"# {title}\n\n{text}"
    for path, text in made.items():
        files.append(File.generated(config, path, content=text))
    for file in list(files.documentation_pages()):
        text = file.content_string
        if (mark := _MARK.match(text)) is not None:
            name = Path(file.src_uri).stem
            page, notebook = executed(text[mark.end() :], file.src_uri)
            _pages[file.src_uri] = page.replace(
                "\n", f"\n\n[This page as a notebook]({name}.ipynb){{ .qres-notebook }}\n", 1
            )
            files.append(File.generated(config, file.src_uri.replace(".md", ".ipynb"), content=notebook))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Put executed pages in place, and turn links out of the folder into links within the site."""
    markdown = _pages.get(page.file.src_uri, markdown).lstrip("\n")
    for outside, inside in _OUTSIDE.items():
        markdown = markdown.replace(f"]({outside})", f"]({inside})")
    if page.file.src_uri == "changelog.md":
        markdown = markdown.replace("](docs/", "](")
    return markdown


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Collect the text of pages."""
    text = re.sub(r'src=\\?"data:image[^"]*"', "", page.markdown or "")
    _texts.append((str(page.title or ""), page.url, text))
    return html


def on_post_build(config: MkDocsConfig) -> None:
    """Write `llms.txt`, an index, and `llms-full.txt`, all pages as Markdown."""
    about = f"# {config.site_name}\n\n> {config.site_description}\n\n"
    lines = [f"- [{title}]({url or 'index.html'}): {_summary(text)}\n" for title, url, text in _texts]
    site = Path(config.site_dir)
    (site / "llms.txt").write_text(about + "## Pages\n\n" + "".join(lines), encoding="utf-8")
    whole = "\n\n".join(f"<!-- {url} -->\n\n{text}" for _, url, text in _texts)
    (site / "llms-full.txt").write_text(about + whole + "\n", encoding="utf-8")


def on_nav(nav: Navigation, config: MkDocsConfig, files: Files) -> None:
    """A page that is in no menu ends a strict build."""
    listed = {page.file.src_uri for page in nav.pages}
    for file in files.documentation_pages():
        if file.src_uri not in listed and not file.inclusion.is_excluded():
            _log.warning(f"{file.src_uri} is in no menu")


def _summary(text: str) -> str:
    for paragraph in re.split(r"\n\s*\n", text):
        plain = paragraph.strip()
        if plain and plain[0] not in "#<[!|`:-":
            return re.sub(r"\s+", " ", plain).split(". ")[0].rstrip(".")[:200]
    return ""


def on_config(config: MkDocsConfig, **_: Any) -> MkDocsConfig:
    """A build starts with nothing collected."""
    _pages.clear()
    _texts.clear()
    return config
