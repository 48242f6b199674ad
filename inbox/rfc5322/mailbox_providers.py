"""Domains at which anybody gets an address: what one sender does says nothing of the others."""

from typing import Final

PUBLIC_DOMAINS: Final = frozenset(
    {
        "126.com", "163.com", "aol.com", "att.net", "bluewin.ch", "btinternet.com", "comcast.net",
        "fastmail.com", "free.fr", "freenet.de", "gmail.com", "gmx.at", "gmx.ch", "gmx.com",
        "gmx.de", "gmx.net", "googlemail.com", "hey.com", "hotmail.co.uk", "hotmail.com",
        "hotmail.de", "hotmail.fr", "hushmail.com", "icloud.com", "laposte.net", "libero.it",
        "live.com", "live.de", "mac.com", "mail.com", "mail.ru", "mailbox.org", "me.com",
        "msn.com", "naver.com", "o2.pl", "orange.fr", "outlook.com", "outlook.de", "pm.me",
        "posteo.de", "proton.me", "protonmail.com", "qq.com", "rocketmail.com", "seznam.cz",
        "t-online.de", "tuta.com", "tutanota.com", "verizon.net", "web.de", "wp.pl", "yahoo.co.jp",
        "yahoo.co.uk", "yahoo.com", "yahoo.de", "yahoo.fr", "yandex.com", "yandex.ru", "ymail.com",
        "zoho.com",
    }
)  # fmt: skip
