"""Languages by their codes: ISO 639-1, and what else columns and tags call them."""

from __future__ import annotations

from collections.abc import Mapping


def _pairs(text: str) -> dict[str, str]:
    return {code: name for pair in text.replace("\n", "|").split("|") for code, name in [pair.strip().split(" ", 1)]}


IN_COLUMNS: Mapping[str, str] = _pairs(
    """ar arabic|bg bulgarian|bn bengali|ca catalan|cs czech|cz czech|da danish|de german|ee estonian
    el greek|en english|eng english|eo esperanto|es spanish|et estonian|eu basque|fa persian|fi finnish|fr french
    ga irish|kr korean|cn chinese
    gr greek|he hebrew|hi hindi|hr croatian|hu hungarian|is icelandic|it italian|ja japanese|jp japanese
    ka georgian|ko korean|la latin|lt lithuanian|lv latvian|ms malay|mt maltese|nl dutch|nb norwegian|pl polish
    pt portuguese|ro romanian|ru russian|sk slovak|sl slovenian|sq albanian|sr serbian|sv swedish|sw swahili
    th thai|tr turkish|uk ukrainian|ur urdu|vi vietnamese|zh chinese"""
)
"""The codes that are no words of columns besides, as `id`, `no` and `to` are; countries' codes that are used so too."""

_FURTHER = _pairs(
    """aa afar|ab abkhaz|af afrikaans|ak akan|am amharic|an aragonese|as assamese|av avar|ay aymara|az azerbaijani
    ba bashkir|be belarusian|bh bihari|bi bislama|bm bambara|bo tibetan|br breton|bs bosnian|ce chechen|ch chamorro
    co corsican|cu church slavonic|cv chuvash|cy welsh|dv maldivian|dz dzongkha|ee ewe|ff fula|fj fijian|fo faroese
    fy frisian|gd scottish gaelic|gl galician|gn guarani|gu gujarati|gv manx|ha hausa|ht haitian creole|hy armenian
    ia interlingua|id indonesian|ig igbo|ii yi|io ido|iu inuktitut|jv javanese|kg kongo|ki kikuyu|kk kazakh
    kl greenlandic|km khmer|kn kannada|kr kanuri|ks kashmiri|ku kurdish|kv komi|kw cornish|ky kyrgyz|lb luxembourgish
    lg ganda|li limburgish|ln lingala|lo lao|mg malagasy|mh marshallese|mi maori|mk macedonian|ml malayalam
    mn mongolian|mr marathi|my burmese|na nauruan|ne nepali|nn nynorsk|no norwegian|nv navajo|ny chichewa|oc occitan
    oj ojibwe|om oromo|or odia|os ossetian|pa punjabi|pi pali|ps pashto|qu quechua|rm romansh|rn kirundi
    rw kinyarwanda|sa sanskrit|sc sardinian|sd sindhi|se northern sami|sg sango|sh serbo-croatian|si sinhala|sm samoan
    sn shona|so somali|ss swazi|st sotho|su sundanese|ta tamil|te telugu|tg tajik|ti tigrinya|tk turkmen|tl tagalog
    tn tswana|to tongan|ts tsonga|tt tatar|tw twi|ty tahitian|ug uyghur|uz uzbek|ve venda|wa walloon|wo wolof
    xh xhosa|yi yiddish|yo yoruba|za zhuang|zu zulu|grc ancient greek|gsw swiss german|fil filipino|hsb sorbian
    ast asturian|nds low german|kok konkani|mni manipuri|kha khasi|sco scots|scn sicilian|vec venetian|yue cantonese"""
)

LANGUAGES: Mapping[str, str] = {**IN_COLUMNS, **_FURTHER}
"""The language, folded, of a code as RDF tags texts with it."""


def language_of(tag: str) -> str:
    """What a tag's language is called, an unknown one by its code; regions and scripts are left out: `pt-BR`."""
    code = tag.casefold().replace("_", "-").partition("-")[0]
    return LANGUAGES.get(code, code)


_SPOKEN = {name: name for name in LANGUAGES.values()} | {
    "farsi": "persian",
    "mandarin": "chinese",
    "oriya": "odia",
    "castilian": "spanish",
    "flemish": "dutch",
    "deutsch": "german",
    "français": "french",
    "francais": "french",
    "español": "spanish",
    "espanol": "spanish",
    "italiano": "italian",
    "português": "portuguese",
    "portugues": "portuguese",
    "nederlands": "dutch",
}


def spoken(word: str) -> str:
    """The language that a folded word is the name of; "" of any other word."""
    return _SPOKEN.get(word, "")
