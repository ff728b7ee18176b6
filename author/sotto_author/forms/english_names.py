"""What English calls the languages that forms are written in, and the tag that is meant: `label::French` is `fr`."""

from difflib import get_close_matches

from sotto_protocol.language_names import OWN_NAMES

_NAMES = """
af Afrikaans|ak Akan, Twi|am Amharic|ar Arabic|as Assamese|ay Aymara|az Azerbaijani, Azeri|ba Bashkir|be Belarusian
bg Bulgarian|bi Bislama|bm Bambara|bn Bengali, Bangla|bo Tibetan|br Breton|bs Bosnian|ca Catalan, Valencian
ceb Cebuano|ckb Sorani|co Corsican|cs Czech|cy Welsh|da Danish|de German|dv Dhivehi, Maldivian|dz Dzongkha|ee Ewe
el Greek|en English|eo Esperanto|es Spanish, Castilian|et Estonian|eu Basque|fa Persian, Farsi|ff Fulah, Fula, Fulfulde
fi Finnish|fil Filipino|fj Fijian|fo Faroese|fr French|fy Frisian|ga Irish|gd Gaelic|gl Galician|gn Guarani|gu Gujarati
ha Hausa|he Hebrew|hi Hindi|hr Croatian|ht Haitian, Haitian Creole, Creole|hu Hungarian|hy Armenian
id Indonesian, Bahasa Indonesia, Bahasa|ig Igbo|is Icelandic|it Italian|iu Inuktitut|ja Japanese|jv Javanese|ka Georgian
kg Kongo, Kikongo|ki Kikuyu|kk Kazakh|km Khmer, Cambodian|kn Kannada|ko Korean|kr Kanuri|ks Kashmiri|ku Kurdish
ky Kyrgyz, Kirghiz|la Latin|lb Luxembourgish|lg Luganda, Ganda|ln Lingala|lo Lao, Laotian|lt Lithuanian|lv Latvian
mg Malagasy|mi Maori|mk Macedonian|ml Malayalam|mn Mongolian|mr Marathi|ms Malay|mt Maltese|my Burmese, Myanmar
nb Bokmal|nd Ndebele|ne Nepali|nl Dutch, Flemish|nn Nynorsk|no Norwegian|ny Chichewa, Nyanja|oc Occitan|om Oromo
or Odia, Oriya|pa Punjabi, Panjabi|pl Polish|prs Dari|ps Pashto|pt Portuguese|pt-BR Brazilian, Brazilian Portuguese
qu Quechua|rm Romansh|rn Kirundi, Rundi|ro Romanian, Moldovan|ru Russian|rw Kinyarwanda|sd Sindhi|se Sami|sg Sango
si Sinhala, Sinhalese|sk Slovak|sl Slovenian, Slovene|sm Samoan|sn Shona|so Somali|sq Albanian|sr Serbian|ss Swati
st Sesotho, Sotho|su Sundanese|sv Swedish|sw Swahili, Kiswahili|ta Tamil|te Telugu|tet Tetum|tg Tajik|th Thai
ti Tigrinya|tk Turkmen|tl Tagalog|tn Setswana, Tswana|to Tongan|tpi Tok Pisin|tr Turkish|ts Tsonga|tt Tatar
ug Uyghur|uk Ukrainian|ur Urdu|uz Uzbek|ve Venda|vi Vietnamese|wo Wolof|xh Xhosa|yi Yiddish|yo Yoruba
zh Chinese, Mandarin|zh-Hans Simplified Chinese, Chinese Simplified|zh-Hant Traditional Chinese, Chinese Traditional
yue Cantonese|zu Zulu
"""


def _named() -> dict[str, str]:
    """Return the tags by what languages are called, folded."""
    rows = [row.strip().partition(" ") for line in _NAMES.split("\n") for row in line.split("|") if row.strip()]
    english = {name.strip().casefold(): tag for tag, _, names in rows for name in names.split(",")}
    return english | {own.casefold(): tag for tag, own in OWN_NAMES.items()}


_TAGS = _named()


def tag_named(name: str) -> str:
    """Return the tag of a language by its English name or its own, "" where none has it.

    >>> [tag_named(name) for name in ("French", "français", " chinese ", "Elvish")]
    ['fr', 'fr', 'zh', '']
    """
    return _TAGS.get(_folded(name), "")


def nearest_tag(name: str) -> str:
    """Return the tag that is most likely meant by a name that is none, "" where nothing is near.

    >>> [nearest_tag(name) for name in ("Frnech", "Chinese_HK", "Spanish of Peru", "Elvish")]
    ['fr', 'zh', 'es', '']
    """
    folded = _folded(name)
    near = get_close_matches(folded, _TAGS, 1, 0.8)
    words = [word for word in folded.split() if word in _TAGS]
    return _TAGS[(near or words)[0]] if near or words else ""


def _folded(name: str) -> str:
    return " ".join(name.casefold().replace("_", " ").replace("(", " ").replace(")", " ").split())
