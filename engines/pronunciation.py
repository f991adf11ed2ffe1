"""How written words are spoken: the words of PocketSphinx's dictionary that stand for one, and sounds for the rest.

This serves forced alignment only, where a sound that is half right is enough to find the word's place.
"""

import re

ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split()
TENS = "_ _ twenty thirty forty fifty sixty seventy eighty ninety".split()
SPOKEN = {
    "mr": "mister", "mrs": "missus", "ms": "miss", "dr": "doctor", "st": "saint", "vs": "versus", "etc": "et cetera",
    "%": "percent", "&": "and", "$": "dollars", "£": "pounds", "€": "euros", "+": "plus", "=": "equals", "@": "at",
    "1st": "first", "2nd": "second", "3rd": "third", "5th": "fifth", "okay": "ok",
}  # fmt: skip

# From spelling to the sounds of the CMU dictionary; the longest that fits is taken.
SOUNDS = {
    "tion": "SH AH N", "sion": "ZH AH N", "ture": "CH ER", "ough": "AO", "augh": "AO", "eigh": "EY", "igh": "AY",
    "sch": "SH", "tch": "CH", "dge": "JH", "eau": "OW", "ous": "AH S", "ch": "CH", "sh": "SH", "th": "TH", "ph": "F",
    "wh": "W", "ck": "K", "ng": "NG", "qu": "K W", "gh": "G", "kn": "N", "wr": "R", "ps": "P S", "ee": "IY",
    "ea": "IY", "oo": "UW", "ou": "AW", "ow": "OW", "oi": "OY", "oy": "OY", "ai": "EY", "ay": "EY", "au": "AO",
    "aw": "AO", "ie": "IY", "ei": "AY", "ey": "IY", "oa": "OW", "ue": "UW", "ui": "UW", "er": "ER", "ir": "ER",
    "ur": "ER", "ar": "AA R", "or": "AO R", "ce": "S", "ci": "S IH", "cy": "S IY", "ge": "JH", "gi": "JH IH",
    "a": "AE", "b": "B", "c": "K", "d": "D", "e": "EH", "f": "F", "g": "G", "h": "HH", "i": "IH", "j": "JH",
    "k": "K", "l": "L", "m": "M", "n": "N", "o": "OW", "p": "P", "q": "K", "r": "R", "s": "S", "t": "T", "u": "AH",
    "v": "V", "w": "W", "x": "K S", "y": "IY", "z": "Z",
}  # fmt: skip
# Ordinal numbers, numbers, words, signs.
PARTS = re.compile(r"\d+(?:st|nd|rd|th)|[\d,.]*\d|[^\W\d_]+(?:'[^\W\d_]+)*|[%&$£€+=@]")
LONGEST_SPELLING = max(map(len, SOUNDS))


def spoken_words(text):
    """Lower-case words without digits and signs: "Mr. Li's 42%" is mister, li's, forty, two, percent."""
    words = []
    for part in PARTS.findall(text.lower().replace("’", "'")):
        if part in SPOKEN:
            words.extend(SPOKEN[part].split())
        # "²" is a digit as well, but no number can be made of it.
        elif part[0].isdecimal():
            words.extend(number_words(re.sub(r"\D", "", part)))
        else:
            words.append(part)
    return words


def number_words(digits):
    if len(digits) > 6 or digits.startswith("0"):
        return [ONES[int(digit)] for digit in digits]
    number = int(digits)
    if 1100 <= number <= 1999 or 2010 <= number <= 2099:
        # Years and the like are said in pairs.
        rest = small_number(number % 100) if number % 100 else ["hundred"]
        return small_number(number // 100) + rest
    words = []
    for size, name in ((1000, "thousand"), (1, "")):
        part = number // size
        number %= size
        if part:
            words += (small_number(part) + [name]) if name else small_number(part)
    return words


def small_number(number):
    """Of 1 to 999."""
    words = []
    if number >= 100:
        words += [ONES[number // 100], "hundred"]
        number %= 100
    if number >= 20:
        words.append(TENS[number // 10])
        number %= 10
    if number:
        words.append(ONES[number])
    return words


def sounds(word):
    """Sounds for a word that no dictionary has, as "K AH T UW M B AH"; a letter of another alphabet is left out."""
    found = []
    at = 0
    while at < len(word):
        for length in range(LONGEST_SPELLING, 0, -1):
            spelling = word[at : at + length]
            # A final e is silent, and two of a consonant are one.
            if spelling in SOUNDS and not (spelling == "e" and at == len(word) - 1 and found):
                if not (length == 1 and at > 0 and word[at - 1] == spelling):
                    found.append(SOUNDS[spelling])
                at += length
                break
        else:
            at += 1
    return " ".join(found)
