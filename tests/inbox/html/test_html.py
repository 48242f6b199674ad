"""HTML mail made harmless, and as text."""

import re
from html.parser import HTMLParser

from inbox.html import sanitise, sanitiser
from tests.cases import in_one_test, made_up
from tests.growth import assert_linear

HARMFUL = [
    "<script>alert(1)</script>",
    "<script src=//evil.example/x.js></script>",
    "<scr<script>ipt>alert(1)</scr</script>ipt>",
    "<img src=x onerror=alert(1)>",
    '<img src="https://evil.example/p.gif" width=1 height=1>',
    '<img srcset="//evil.example/x 2x">',
    '<img src="cid:logo" alt="Logo">',
    '<picture><source srcset="//evil.example/x"><img src=y></picture>',
    "<svg onload=alert(1)><image href=//evil.example/x></svg>",
    "<svg><style><img src=x onerror=alert(1)></style></svg>",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
    '<a href="javascript:alert(1)">x</a>',
    '<a href="jav&#x0A;ascript:alert(1)">x</a>',
    '<a href=" &#14; javascript:alert(1)">x</a>',
    '<a href="vbscript:x">x</a>',
    '<a href="data:text/html,<script>alert(1)</script>">x</a>',
    '<a href="file:///etc/passwd">x</a>',
    '<a href="//evil.example">x</a>',
    '<a href="/local">x</a>',
    '<a href="https://ok.example" onclick="alert(1)" style="x" ping="//evil.example">x</a>',
    '<a href="https://ok.example/&quot;onmouseover=&quot;alert(1)">x</a>',
    '<a href="https://ok.example/<img src=x onerror=alert(1)>">x</a>',
    "<form action=//evil.example><input name=p type=password><button>Go</button></form>",
    "<textarea><img src=x onerror=alert(1)></textarea>",
    "<style>body{background:url(//evil.example/x)}</style>",
    "<style>@import url(//evil.example/x.css);</style>",
    "<link rel=stylesheet href=//evil.example/x.css>",
    '<meta http-equiv=refresh content="0;url=//evil.example">',
    '<base href="//evil.example/">',
    "<div style=\"background-image:url('//evil.example/x')\">x</div>",
    '<div style="width:expression(alert(1))">x</div>',
    "<table background=//evil.example/x><td background=//evil.example/y>x</table>",
    "<video poster=//evil.example/x src=//evil.example/y autoplay></video>",
    "<audio src=//evil.example/y></audio>",
    "<iframe src=//evil.example srcdoc='<script>alert(1)</script>'></iframe>",
    "<object data=//evil.example/x><embed src=//evil.example/y></object>",
    "<applet code=x></applet>",
    "<frameset><frame src=//evil.example></frameset>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'></noscript>",
    "<!--[if gte mso 9]><script>alert(1)</script><![endif]-->",
    "<!--><img src=x onerror=alert(1)>-->",
    "<?xml version='1.0'?><x:script xmlns:x='http://www.w3.org/1999/xhtml'>alert(1)</x:script>",
    "<body onload=alert(1) background=//evil.example/x>x",
    "<template><script>alert(1)</script></template>",
    "<p title='<img src=x onerror=alert(1)>'>x</p>",
    '<p dir="&quot;><script>alert(1)</script>">x</p>',
    '<td colspan="1&quot; onclick=&quot;x">x</td>',
    "<b/onmouseover=alert(1)//x>x",
    "<details open ontoggle=alert(1)>x</details>",
    "<marquee onstart=alert(1)>x</marquee>",
    "<isindex action=javascript:alert(1) type=image>",
    "<img src=`javascript:alert(1)`>",
    '<img alt="<script>alert(1)</script>" src=x>',
    "<xmp><img src=x onerror=alert(1)></xmp>",
    "<plaintext><script>alert(1)</script>",
    "<select><option><img src=x onerror=alert(1)></select>",
    "<a href='https://ok.example' target=_self rel=opener>x</a>",
    "<img src=x\x00onerror=alert(1)>",
    "<<img src=x onerror=alert(1)>>",
    "<img src='x' alt=''><p",
]
TAGS = {
    "a", "abbr", "address", "article", "aside", "b", "bdi", "big", "blockquote", "br",
    "caption", "center", "cite", "code", "col", "colgroup", "dd", "del", "details", "dfn",
    "div", "dl", "dt", "em", "figcaption", "figure", "font", "footer", "h1", "h2", "h3",
    "h4", "h5", "h6", "header", "hr", "i", "ins", "kbd", "li", "main", "mark", "nav", "ol",
    "p", "pre", "q", "s", "samp", "section", "small", "span", "strike", "strong", "sub",
    "summary", "sup", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "tt", "u", "ul",
    "var", "wbr",
}  # fmt: skip
ATTRIBUTES = {"href", "rel", "target", "colspan", "rowspan", "dir", "lang", "start", "class"}


class Inspector(HTMLParser):
    """Collects whatever should not be in safe HTML."""

    def __init__(self) -> None:
        super().__init__()
        self.bad: list[tuple[str, str, str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in TAGS:
            self.bad.append((tag, "", None))
        for name, value in attrs:
            link = name == "href" and not re.match("https?://|mailto:", value or "")
            marked = name == "class" and value not in {"image-blocked", "hidden-text"}
            if name not in ATTRIBUTES or link or marked:
                self.bad.append((tag, name, value))


def bad_parts(html: str) -> list[tuple[str, str, str | None]]:
    inspector = Inspector()
    inspector.feed(html)
    inspector.close()
    return inspector.bad


@in_one_test("html", HARMFUL)
def test_nothing_harmful_is_left(html: str):
    assert bad_parts(sanitise(f"<p>before</p>{html}<p>after</p>").html) == []


@in_one_test("html", HARMFUL)
def test_what_is_safe_stays_safe_when_cleaned_again(html: str):
    once = sanitise(html).html
    assert bad_parts(sanitise(once).html) == []


def test_images_are_visible_placeholders():
    safe = sanitise('<img src="https://x.example/a.png" alt="A &lt;b&gt;"><img src="cid:1">')
    assert safe.html == (
        '<span class="image-blocked">[image: A &lt;b&gt;]</span>'
        '<span class="image-blocked">[image]</span>'
    )
    assert safe.remote_images == 1
    assert safe.text == "[image: A <b>]"


def test_cleaning_again_changes_nothing():
    html = '<p dir="rtl">a <img src=x alt="b"> <a href="https://x.example/?a=1&amp;b=2">c</a></p>'
    once = sanitise(html).html
    assert sanitise(once).html == once


def test_links_open_apart_and_are_listed():
    safe = sanitise('<a href="https://x.example/a?b=1&amp;c=2">the <b>offer</b></a>')
    assert 'rel="noopener noreferrer" target="_blank"' in safe.html
    assert safe.links == (("the offer", "https://x.example/a?b=1&c=2"),)
    assert safe.text == "the offer <https://x.example/a?b=1&c=2>"


def test_a_link_that_shows_its_target_is_written_once():
    assert sanitise('<a href="mailto:a@x.example">a@x.example</a>').text == "a@x.example"
    assert (
        sanitise('<a href="https://x.example/">https://x.example</a>').text == "https://x.example"
    )


@in_one_test(
    ("html", "text"),
    [
        ("<p>One</p><p>Two</p>", "One\n\nTwo"),
        ("<div>One</div><div>Two</div>", "One\nTwo"),
        ("one<br>two<br><br>three", "one\ntwo\n\nthree"),
        ("<ul><li>a<li>b<ol><li>c<li>d</ol></ul>", "- a\n- b\n  1. c\n  2. d"),
        ("<ol start=1><li>a</li><li>b</li></ol>", "1. a\n2. b"),
        ("<table><tr><th>Item<th>Price<tr><td>Chair<td>40</table>", "Item | Price\nChair | 40"),
        ("<blockquote>old<blockquote>older</blockquote></blockquote>", "> old\n>\n> > older"),
        ("<pre>a\n  b</pre>", "a\n  b"),
        ("  a \n\n b&nbsp;c ", "a b c"),
        ("a<hr>b", "a\n--------------------\nb"),
        ("x &lt;tag&gt; &amp; y", "x <tag> & y"),
        ("<h1>Title</h1>text", "Title\n\ntext"),
        ("<b>bo</b>ld", "bold"),
        ("in\u200bvi\u202esible", "invisible"),
        ("", ""),
    ],
)
def test_text_is_laid_out(html: str, text: str):
    assert sanitise(html).text == text


@in_one_test(
    "html",
    [
        '<p style="display:none">x</p>',
        '<p style="DISPLAY : NONE !important">x</p>',
        '<p style="display:/**/none">x</p>',
        '<p style="visibility:hidden">x</p>',
        '<p style="font-size:0">x</p>',
        '<p style="font-size:1px">x</p>',
        '<p style="opacity:0">x</p>',
        '<p style="color:#fff">x</p>',
        '<p style="color:#fefefe">x</p>',
        "<font color=white>x</font>",
        '<div bgcolor="#000"><p style="color:black">x</p></div>',
        '<p style="color:transparent">x</p>',
        '<p style="position:absolute;left:-9999px">x</p>',
        '<p style="text-indent:-500px">x</p>',
        '<p style="max-height:0;overflow:hidden">x</p>',
        '<p style="mso-hide:all">x</p>',
        "<p hidden>x</p>",
        "<style>.gone{display:none}</style><p class=gone>x</p>",
        "<sTyLe>.gone{display:none}</sTyLe><p class=gone>x</p>",
        "<style>p#it, b{visibility:hidden}</style><p id=it>x</p>",
        '<div style="display:none"><p style="display:block">x</p></div>',
        # Elements that are not shown as such may be hidden as well.
        '<label style="display:none">x</label>',
        "<o:p hidden>x</o:p>",
        "<style>mine{display:none}</style><mine>x</mine>",
        # Other ways to say it.
        f'<p style="{"a:b;" * 1200}display:none">x</p>',
        '<p style="display:none!important;display:block">x</p>',
        '<p style="opacity:1e-9">x</p>',
        '<p style="filter:opacity(0)">x</p>',
        '<p style="content-visibility:hidden">x</p>',
        '<p style="transform:rotate(1deg) scale(0, 1)">x</p>',
        '<p style="transform:translateX(-9999px)">x</p>',
        '<p style="translate:-9999px">x</p>',
        '<p style="scale:0">x</p>',
        '<p style="position:absolute;right:9999px">x</p>',
        '<p style="overflow:hidden;block-size:0">x</p>',
        '<p style="overflow:hidden;line-height:0">x</p>',
        '<p style="font-size:calc(0px)">x</p>',
        '<p style="font-size:0.1em">x</p>',
        '<p style="font:0/0 a">x</p>',
        '<p style="font:bold 1px/1 Arial">x</p>',
        '<p style="color:#00000000">x</p>',
        '<p style="color:#0000">x</p>',
        '<p style="color:rgb(100%, 100%, 100%)">x</p>',
        '<p style="color:rgb(0 0 0 / 5%)">x</p>',
        '<p style="color:hsl(120deg, 50%, 100%)">x</p>',
        '<p style="color:oklch(1 0 0)">x</p>',
        '<p style="color:mintcream">x</p>',
        '<p style="color:var(--a, #fff)">x</p>',
        '<p style="background:teal;color:teal">x</p>',
        '<p style="-webkit-text-fill-color:transparent">x</p>',
        # Other selectors, and other places for rules.
        "<style>[class=a]{display:none}</style><p class=a>x</p>",
        "<style>p[data-a^='b']{display:none}</style><p data-a=bc>x</p>",
        "<style>.a.b{display:none}</style><p class='c b a'>x</p>",
        "<style>i:is(.a, #b):not(.c){display:none}</style><i id=b>x</i>",
        "<style>\\69:is(.a){display:none}</style><i class=a>x</i>",
        "<style>.\\61 {display:none}</style><p class=a>x</p>",
        "<style>.a{display:none}.a{color:#333}</style><p class=a>x</p>",
        f"<style>{'.q{color:red}' * 3000}.a{{display:none}}</style><p class=a>x</p>",
        "<style>@media screen{.a{display:none}}</style><p class=a>x</p>",
        "<style>@media (min-width:1px){.a{display:none}}</style><p class=a>x</p>",
        "<style>@layer b{@supports (color:red){.a{display:none}}}</style><p class=a>x</p>",
        "<style>@media print{.b{content:'{'}}.a{display:none}</style><p class=a>x</p>",
        "<style>div{color:red; .a{display:none}}</style><p class=a>x</p>",
        "<style>.a{display:none</style><p class=a>x</p>",
        "<style>.a{dis\\70lay:none}</style><p class=a>x</p>",
    ],
)
def test_text_that_would_not_be_seen_is_marked_and_kept_apart_from_the_text(html: str):
    safe = sanitise(f"before {html} after")
    assert safe.hidden_text
    assert '<mark class="hidden-text">x</mark>' in safe.html
    assert safe.text.split() == safe.new_text.split() == ["before", "after"]
    assert sanitise(f"before {html} after", with_hidden=True).text.split() == [
        "before",
        "x",
        "after",
    ]


@in_one_test(
    "inside", ['<a href="https://evil.example/x">pay</a>', '<img alt="pay evil" src="cid:a">']
)
def test_links_and_images_that_would_not_be_seen_are_kept_apart_from_the_text(inside: str):
    html = f'seen <div style="display:none">{inside}</div>'
    assert sanitise(html).text == "seen"
    assert "evil" in sanitise(html, with_hidden=True).text


@in_one_test(
    "html",
    [
        "<p>x</p>",
        '<p style="color:#333;font-size:14px;opacity:.8">x</p>',
        '<div style="font-size:0"><p style="font-size:14px">x</p></div>',
        "<body bgcolor=black><font color=white>x</font>",
        '<div style="background:#000"><p style="color:#fff">x</p></div>',
        '<div style="background:url(x)"><p style="color:#fff">x</p></div>',
        '<div style="display:none">&nbsp;&zwnj;</div>x',
        "<style>@media print{.m{display:none}}</style><p class=m>x</p>",
        "<style media=print>.m{display:none}</style><p class=m>x</p>",
        "<style>@media screen and (max-width:600px){.m{display:none}}</style><p class=m>x</p>",
        "<style>@media (prefers-color-scheme:dark){.m{color:#fff}}</style><p class=m>x</p>",
        "<style>[data-ogsc] .m{color:#fff !important}</style><p class=m>x</p>",
        "<style>.m{display:none} p.m{display:block}</style><p class=m>x</p>",
        "<style>.m{display:none}</style><p class=m style='display:block'>x</p>",
        "<style>a:hover{color:#fff}</style><a>x</a>",
        "<style>p:not(.m){display:none} , ,{display:none}</style><div>x</div>",
        '<p style="background:navy;color:#fff">x</p>',
        "<div bgcolor=darkblue><font color=white>x</font></div>",
        '<p style="color:#333f">x</p>',
        '<p style="color:rgb(0 0 0 / 90%)">x</p>',
        '<p style="transform:translate(-50%, -50%)">x</p>',
        '<p style="overflow:hidden;height:20px;line-height:0">x</p>',
        '<p bgcolor="a;display:none">x</p>',
    ],
)
def test_text_that_is_seen_is_not_called_hidden(html: str):
    assert not sanitise(html).hidden_text


def test_a_sheet_that_is_too_large_to_be_held_against_all_hides_what_it_may():
    seen = "".join(f"<p class=c{number}>x</p>" for number in range(2000))
    few, many = (f"<style>{'*{color:red}' * rules}</style>{seen}" for rules in (20, 2000))
    assert not sanitise(few).hidden_text
    assert sanitise(many).hidden_text
    assert len(sanitise(many, with_hidden=True).text.split()) == 2000
    long = f"<style>{'.a,' * 60_000}.a{{color:red}}</style><p>x</p>"
    assert sanitise(long).hidden_text
    assert sanitise(f"<style>/**/{' ' * 1_000_001}</style><p>x</p>").hidden_text
    assert sanitise(f"<style>.{'a' * 3000}{{display:none}}</style><p>x</p>").hidden_text


@in_one_test(
    ("before", "unit", "after", "times"),
    [
        ("", "<div>", "", 20_000),
        ("", "<blockquote>", "", 10_000),
        ("", "<ul><li>", "", 10_000),
        ("", "<div></b>", "", 10_000),
        ("", "<p><font color=1></p>", "", 5_000),
        ("", "<a ", "", 20_000),
        ("<p ", "a=b ", ">", 10_000),
        ("<style>", "<style>", "", 10_000),
        ("<style>", "/*", "</style>", 10_000),
        ("<style>", ".a{", "</style><p class=a>", 10_000),
        ("<style>", ".a{color:red}", "</style><p class=a>", 4_000),
        ("<style>", "a:is(b,", "</style>", 10_000),
        ("<style>", "'", "</style>", 10_000),
        ("<style>", "[a=", "]{color:red}</style>", 10_000),
        ("<style>.a{color:red}</style>", "<p class=a>", "", 4_000),
        ('<p style="', "a", '">', 20_000),
        ('<p style="transform:', "scale(", '">', 10_000),
        ("", "<label>", "", 10_000),
        ("<style>", "a,", "</style>", 10_000),
        ("", "<body ", "", 10_000),
        ("", "&", "", 100_000),
        ("", "&amp;", "", 30_000),
        ("", "&notit", "", 20_000),
        ("", "&#", "", 40_000),
        ("", "<", "", 20_000),
        ("", "<p>Hello <b>big</b> world</p>\n", "", 4_000),
    ],
)
def test_deep_and_long_documents_take_linear_time(before, unit, after, times):
    assert_linear(lambda size: sanitise(f"{before}{unit * size}{after}the end"), times)


def test_very_many_attributes_take_linear_time():
    def read(size: int) -> None:
        sanitise("<p " + " ".join(f"a{number}=b" for number in range(size)) + ">the end")

    assert_linear(read, 10_000)


def test_what_comes_of_a_long_document_is_bounded(monkeypatch):
    # The parser takes seconds for as many as are read of a real one.
    most = made_up(sanitiser._MOST)
    monkeypatch.setattr(sanitiser, "_MOST", most)
    for html in ("&" * 6 * most, "&not " * most + "a" * 10 * most):
        assert len(sanitise(html + "the end").html) < 20 * most


@in_one_test(
    "words",
    ["a&b", "a &amp; b", "&lt;b&gt;", "&notin; &notit &not;", "&#65;&#x42;", "&fjlig;", "&x; &;",
     '<a href="https://a.example/?a=1&copy=2&amp;b=3&lt">x</a>'],
)  # fmt: skip
def test_references_mean_the_same_where_there_are_very_many(words: str):
    many = "<p>" + "&nbsp;" * 10_000
    assert sanitise(f"{words}{many}").html.startswith(sanitise(words).html)
