"""What a browser does not show of a mail is marked as hidden, whatever way its sheet says so."""

import random
import re

import pytest

from inbox.html.sanitiser import sanitise
from tests.cases import made_up

pytestmark = pytest.mark.services
CASES = made_up(1500)
_SELECTORS = (
    "p", ".a", ".b", "#c", "[class]", "[class~=a]", "[id=c]", "[data-d]", "[data-d='e f']", "p.a",
    ".a.b", "div", ".A", "*", "x-y", "[class^=a]", "p#c", ":is(.a,.q)", ":where(p)", "p:not(.z)",
    ".\\61 ", "label.a", "html", "body", ":root", "p:last-child", "i + *", ":nth-child(2)",
)  # fmt: skip
_DECLARATIONS = (
    "display:none", "display:block", "display:none!important", "display:block !important",
    "visibility:hidden", "visibility:visible", "color:red", "display:/*x*/none", "DISPLAY:NONE",
    "dis\\70lay:none", "visibility:collapse", "display:inline;color:blue",
)  # fmt: skip
_BLOCKS = (
    "{}", "{}", "{}", "{}", "{}", "@media screen{{{}}}", "@media (min-width:1px){{{}}}",
    "@media print{{{}}}", "@supports (display:block){{{}}}", "/* }} */{}", "@layer l{{{}}}",
    ".q{{content:'{{'}}{}",
)  # fmt: skip
_ATTRIBUTES = (
    "", " class=a", " class='b a'", " id=c", " class=a id=c", " data-d='e f'",
    " class=a style='display:block'", " style='display:none'", " hidden", " hidden class=b",
)  # fmt: skip
# Of each document: is the text x1 somewhere that is not displayed, or not visible?
_LOOK = """async (documents) => {
  const hidden = [];
  for (const each of documents) {
    const frame = document.createElement("iframe");
    frame.srcdoc = each;
    frame.style.width = "800px";
    document.body.append(frame);
    await new Promise((done) => { frame.onload = done; });
    const view = frame.contentWindow;
    const walker = view.document.createTreeWalker(view.document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode() && walker.currentNode.data !== "x1");
    let element = walker.currentNode.parentElement;
    let gone = view.getComputedStyle(element).visibility !== "visible";
    for (; element; element = element.parentElement) {
      gone = gone || view.getComputedStyle(element).display === "none";
    }
    hidden.push(gone);
    frame.remove();
  }
  return hidden;
}"""


def make_document(chance):
    rules = []
    for _ in range(chance.randint(1, 3)):
        selector = chance.choice(_SELECTORS)
        if chance.random() < 0.3:
            above = chance.choice(_SELECTORS[:12])
            selector = f"{above}{chance.choice((' ', ' > ', ' ~ ', ' + '))}{selector}"
        declared = ";".join(chance.choices(_DECLARATIONS, k=chance.randint(1, 2)))
        rules.append(chance.choice(_BLOCKS).format(f"{selector}{{{declared}}}"))
    tag, outer = chance.choice(("p", "label", "x-y", "div")), chance.choice(("div", "section"))
    return (
        f"<html><head><style>{''.join(rules)}</style></head><body><{outer} class=b><i>seen</i>"
        f"<{tag}{chance.choice(_ATTRIBUTES)}>x1</{tag}></{outer}></body></html>"
    )


def test_what_a_browser_does_not_show_is_marked(chromium):
    chance = random.Random(20261130)
    documents = [make_document(chance) for _ in range(CASES)]
    page = chromium.new_page()
    hidden = page.evaluate(_LOOK, documents)
    page.close()
    marked = [
        bool(re.search('<mark class="hidden-text">x1</mark>', sanitise(each).html))
        for each in documents
    ]
    told = list(zip(documents, hidden, marked, strict=True))
    assert [each for each, is_hidden, is_marked in told if is_hidden and not is_marked] == []
    # Where a rule may or may not be meant for the text it counts; that is seldom.
    seen = [is_marked for _each, is_hidden, is_marked in told if not is_hidden]
    assert len(seen) > CASES / 4
    assert sum(seen) < len(seen) / 3
