"""The style sheet and the script of all pages, joined from what is written."""

import re

import pytest

from project.assets.bundles import SOURCES, STYLES, join_scripts, join_styles
from project.assets.naming import hash_of

# What other pages than ours ask for by itself.
ALONE = {"passkeys.js", "push.js", "service_worker.js", "api_docs.js"}


def write(folder, **sources):
    for name, text in sources.items():
        (folder / f"{name}.js").write_text(text)
    return join_scripts(folder).decode()


def test_every_style_sheet_is_in_it_once_and_whole():
    joined = join_styles().decode()
    assert {f"{name}.css" for name in STYLES} == {it.name for it in (SOURCES / "styles").iterdir()}
    assert len(set(STYLES)) == len(STYLES)
    for name in STYLES:
        assert joined.count((SOURCES / "styles" / f"{name}.css").read_text()) == 1


def test_no_style_sheet_leaves_a_block_open_for_the_next():
    for name in STYLES:
        text = re.sub(
            r"/\*.*?\*/", "", (SOURCES / "styles" / f"{name}.css").read_text(), flags=re.DOTALL
        )
        assert text.count("{") == text.count("}"), name
        assert "@import" not in text, name
        # An address would lead elsewhere from where the joined one lies.
        assert not re.search(r"url\((?!['\"]?data:)", text), name


def test_every_script_is_in_it_once_after_what_it_imports():
    joined = join_scripts().decode()
    names = re.findall(r"^// ([\w/]+\.js)$", joined, flags=re.MULTILINE)
    assert len(set(names)) == len(names)
    assert set(names) == {it.name for it in SOURCES.glob("*.js")} - ALONE
    for used in re.finditer(r'= modules\["(.+)"\];', joined):
        assert joined.index(f'modules["{used[1]}"] = ') < used.start()


def test_each_script_keeps_its_names_to_itself(tmp_path):
    joined = write(
        tmp_path,
        page='import { one } from "./first.js";\nconst wait = 1;\none();\n',
        first='import { two } from "./second.js";\nconst wait = 2;\nexport function one() {}\n',
        second="const wait = 3;\nexport async function two() {}",
    )
    assert re.findall(r"^// (\w+)", joined, flags=re.MULTILINE) == ["second", "first", "page"]
    assert joined.count("const wait") == 3
    assert "return { two };" in joined
    assert not re.search(r"^(import|export)", joined, flags=re.MULTILINE)


@pytest.mark.parametrize(
    "text",
    [
        'import * as all from "./first.js";\n',
        'import "./first.js";\n',
        'import { one as other } from "./first.js";\n',
        "export const one = 1;\n",
        "export default function one() {}\n",
        "const one = 1;\nexport { one };\n",
    ],
)
def test_another_form_of_import_or_export_is_refused(tmp_path, text):
    (tmp_path / "first.js").write_text("")
    with pytest.raises(ValueError, match=r"page\.js: .* cannot be joined"):
        write(tmp_path, page=text)


def test_its_hash_follows_what_is_written(tmp_path):
    names = {hash_of(write(tmp_path, page=text).encode()) for text in ("one();\n", "two();\n")}
    assert len(names) == 2
