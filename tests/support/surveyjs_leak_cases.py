"""Forms of SurveyJS that would give answers away, and why neither side takes them: (what, the form, the reasons)."""

from typing import Any

WORD = {"type": "text", "name": "word"}
IMAGE = {"type": "image", "name": "photo", "imageLink": "https://a.example/a.png"}
INLINE = {"type": "image", "name": "inline", "imageLink": "data:image/png;base64,aaaa"}


def _form(*elements: dict[str, Any], title: Any = "", **members: Any) -> dict[str, Any]:
    return {"pages": [{"name": "p", "title": title, "elements": [WORD, *elements]}], **members}


def _named(kind: str, name: str, **members: Any) -> dict[str, Any]:
    return {"type": kind, "name": name, **members}


def _html(html: Any, **members: Any) -> dict[str, Any]:
    return _named("html", "note", html=html, **members)


def _written(where: str, what: str, name: str = "word") -> str:
    return f"{where} must not have {{{name}}} in it: {what} could give the answer away"


def _hidden(where: str) -> str:
    return f"{where} fetches only where answers say so: show it to everybody, or write what it fetches as data:"


def _held(what: str, why: str) -> str:
    return f"{what} fetches what it holds, so the form must not have {why}"


_CONDITION = {"expression": "{word} = 'a'"}
_ADDRESS = "https://a.example/{word}"
_MANY_ADDRESSES = {
    "logo": _ADDRESS,
    "backgroundImage": _ADDRESS,
    "navigateToUrl": _ADDRESS,
    "cookieName": "c-{word}",
}
_MANY_TEXTS = {
    "completedHtml": "{word}",
    "completedBeforeHtml": {"default": "a", "fr": "{word}"},
    "loadingHtml": "{word}",
    "completedHtmlOnCondition": [{**_CONDITION, "html": "<b>{word}</b>"}],
}
_PLAIN = {
    "description": {"default": "a", "de": "{word}"},
    "questionTitleTemplate": "{no}. {title}",
    "completedHtml": '<style>b{color:red}</style><img src="https://a.example/a.png">',
    "navigateToUrl": "https://a.example/thanks",
    "triggers": [{"type": "setvalue", **_CONDITION, "setToName": "word", "setValue": "{b}"}],
    "calculatedValues": [{"name": "twice", "expression": "{word} + {word}", "includeIntoResult": True}],
}
_PLAIN_ELEMENTS = (
    IMAGE,
    _named("text", "b", visibleIf="{word} = 'a'", title="{word}?", placeholder="{word}", defaultValue="{word}"),
    _named("text", "c", validators=[{"type": "regex", "regex": "^a{2}$", "text": "not {word}"}]),
    _named("radiogroup", "d", choices=["a {word}", {"value": "{b}", "text": {"default": "{word}", "de": "b"}}]),
    _named("matrix", "e", rows=["{word}"], columns=["{word}"], cells={"a": {"b": {"default": "{word}"}}}),
    _named("expression", "f", expression="{word}", format="is {0}"),
    _html('<p class="a">See <a href="https://a.example">this</a>.</p>', visibleIf="{word} = 'a'"),
    {**INLINE, "visibleIf": "{word} = 'a'"},
    _named("flowpanel", "flow", content="<p>{element:inner}</p>", elements=[_named("text", "inner")]),
    _named("imagepicker", "g", choices=[{"value": 1, "text": "{word}", "imageLink": "a.png"}]),
)

LEAKS: list[tuple[str, dict[str, Any], list[str]]] = [
    ("nothing but plain text", _form(*_PLAIN_ELEMENTS, title="{word}", **_PLAIN), []),
    ("a title in no menu", _form(title="{word}", showProgressBar="off"), []),
    ("files that nothing else fills in", _form(_named("file", "f"), _named("signaturepad", "s")), []),
    ("an answer in HTML", _form(_html(f"<img src='{_ADDRESS}'>")), [_written('html of "note"', "HTML")]),
    ("an answer in HTML's text", _form(_html("<p>{word}</p>")), [_written('html of "note"', "HTML")]),
    (
        "an answer in HTML of one language",
        _form(_html({"default": "a", "de": "{ word }"})),
        [_written('html.de of "note"', "HTML", " word ")],
    ),
    (
        "an answer in an image's address",
        _form({**IMAGE, "imageLink": _ADDRESS}),
        [_written('imageLink of "photo"', "an address")],
    ),
    (
        "an answer in an image's address in one language",
        _form({**IMAGE, "imageLink": {"default": "a.png", "fr": _ADDRESS}}),
        [_written('imageLink.fr of "photo"', "an address")],
    ),
    (
        "an answer in a choice's image",
        _form(_named("imagepicker", "pick", choices=[{"value": 1}, {"value": 2, "imageLink": _ADDRESS}])),
        [_written('choices[1].imageLink of "pick"', "an address")],
    ),
    (
        "an answer in an image to click on",
        _form(_named("imagemap", "map", imageLink=_ADDRESS)),
        [_written('imageLink of "map"', "an address")],
    ),
    (
        "an answer behind a signature",
        _form(_named("signaturepad", "sign", backgroundImage=_ADDRESS)),
        [_written('backgroundImage of "sign"', "an address")],
    ),
    (
        "an answer where choices are loaded",
        _form(_named("dropdown", "town", choicesByUrl={"url": _ADDRESS, "path": "{word}"})),
        [_written('choicesByUrl.url of "town"', "an address"), _written('choicesByUrl.path of "town"', "an address")],
    ),
    (
        "an answer where a column's choices are loaded",
        _form(
            _named(
                "matrixdynamic",
                "rows",
                columns=[{"name": "town", "cellType": "dropdown", "choicesByUrl": {"url": "a/{row.x}"}}],
            )
        ),
        [_written('choicesByUrl.url of "town"', "an address", "row.x")],
    ),
    (
        "an answer in the form's own addresses",
        _form(**_MANY_ADDRESSES),
        [_written(f"{name} of the form", "an address") for name in _MANY_ADDRESSES],
    ),
    (
        "an answer in what is shown before and after",
        _form(**_MANY_TEXTS),
        [
            _written(f"{where} of the form", "HTML")
            for where in (
                "completedHtml",
                "completedBeforeHtml.fr",
                "loadingHtml",
                "completedHtmlOnCondition[0].html",
            )
        ],
    ),
    (
        "an answer in a page's title, in a menu",
        _form(title={"default": "a", "de": "{word}"}, showTOC=True),
        ['title of "p" must not have {word} in it while it is in a menu: have a navigationTitle'],
    ),
    (
        "an image that answers show",
        _form({**IMAGE, "visibleIf": "{word} = 'a'"}),
        [_hidden('imageLink of "photo"')],
    ),
    (
        "an image in HTML that answers show",
        _form(_html('<p><img src="a.png"></p>', visibleIf="{word} = 'a'")),
        [_hidden('html of "note"')],
    ),
    (
        "an image by a style that answers show",
        _form(_html('<p style="background:url(a.png)">a</p>', visibleIf="{word} = 'a'")),
        [_hidden('html of "note"')],
    ),
    (
        "an image in a panel that answers show",
        _form(_named("panel", "more", visibleIf="{word} = 'a'", elements=[_named("panel", "in", elements=[IMAGE])])),
        [_hidden('imageLink of "photo"')],
    ),
    (
        "a choice's image that answers show",
        _form(_named("imagepicker", "pick", choices=[{"value": 1, "imageLink": "a.png", "visibleIf": "{word} = 1"}])),
        [_hidden('choices[0].imageLink of "pick"')],
    ),
    (
        "choices that are loaded where answers say so",
        _form(_named("dropdown", "town", visibleIf="{word} = 1", choicesByUrl={"url": "a"})),
        [_hidden('choicesByUrl.url of "town"')],
    ),
    (
        "images of choices that answers carry over",
        _form(_named("imagepicker", "pick", choicesFromQuestion="other")),
        ['choicesFromQuestion of "pick" fetches only the images that answers say: list its choices'],
    ),
    (
        "an image beside a choice",
        _form(_named("radiogroup", "pick", choices=[{"value": 1, "elements": [IMAGE]}])),
        [_hidden('imageLink of "photo"')],
    ),
    (
        "an image in a panel that is added",
        _form(_named("paneldynamic", "many", templateElements=[IMAGE])),
        [_hidden('imageLink of "photo"')],
    ),
    (
        "the form's own image, whatever triggers do",
        _form(logo="https://a.example/a.png", triggers=[{"type": "complete", **_CONDITION}]),
        [],
    ),
    (
        "an image on the way of a trigger",
        _form(IMAGE, triggers=[{"type": "skip", **_CONDITION, "gotoName": "word"}]),
        [_hidden('imageLink of "photo"')],
    ),
    (
        "a file that an expression fills in",
        _form(_named("signaturepad", "sign", setValueExpression="{word}")),
        [_held('"sign" (signaturepad)', "setValueExpression")],
    ),
    (
        "a file in a panel that an expression fills in",
        _form(
            _named(
                "paneldynamic",
                "many",
                defaultValueExpression="{word}",
                templateElements=[_named("file", "photo")],
            )
        ),
        [_held('"photo" (file)', "defaultValueExpression")],
    ),
    (
        "a file that a trigger fills in",
        _form(
            _named("file", "photo"),
            triggers=[{"type": "copyvalue", **_CONDITION, "fromName": "word", "setToName": "photo"}],
        ),
        [_held('"photo" (file)', "setToName of a trigger")],
    ),
    (
        "a file that a calculated value fills in",
        _form(
            _named("file", "photo"),
            calculatedValues=[{"name": "photo", "expression": "{word}", "includeIntoResult": True}],
        ),
        [_held('"photo" (file)', "another of its name, includeIntoResult")],
    ),
    (
        "a file that another element fills in",
        _form(_named("file", "photo"), _named("text", "other", valueName="photo")),
        [_held('"photo" (file)', "another of its name")],
    ),
]
