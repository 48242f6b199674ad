"""Domains at which anybody gets an address: what one sender does says nothing of the others."""

from typing import Final

PUBLIC_DOMAINS: Final = frozenset(
    {
        "126.com", "139.com", "163.com", "a1.net", "abv.bg", "alice.it", "aliyun.com", "aol.com",
        "aon.at", "arcor.de", "att.net", "bell.net", "bellsouth.net", "bigpond.com", "bk.ru",
        "bluemail.ch", "bluewin.ch", "bol.com.br", "btinternet.com", "centrum.cz", "charter.net",
        "chello.at", "comcast.net", "cox.net", "daum.net", "duck.com", "earthlink.net", "email.cz",
        "email.de", "fastmail.com", "fastmail.fm", "firemail.de", "foxmail.com", "free.fr",
        "freenet.ch", "freenet.de", "gmail.com", "gmx.at", "gmx.ch", "gmx.co.uk", "gmx.com",
        "gmx.de", "gmx.eu", "gmx.fr", "gmx.net", "gmx.us", "googlemail.com", "hanmail.net",
        "hey.com", "hispeed.ch", "home.nl", "hotmail.at", "hotmail.be", "hotmail.ca", "hotmail.ch",
        "hotmail.co.uk", "hotmail.com", "hotmail.com.br", "hotmail.de", "hotmail.es", "hotmail.fr",
        "hotmail.it", "hotmail.nl", "hushmail.com", "i.ua", "icloud.com", "ig.com.br", "inbox.ru",
        "interia.pl", "internode.on.net", "kabelmail.de", "kpnmail.nl", "laposte.net", "libero.it",
        "list.ru", "live.at", "live.be", "live.ca", "live.ch", "live.co.uk", "live.com",
        "live.com.au", "live.de", "live.dk", "live.fr", "live.it", "live.nl", "live.no", "live.se",
        "mac.com", "mail.com", "mail.de", "mail.ee", "mail.ru", "mailbox.org", "mailfence.com",
        "me.com", "msn.com", "naver.com", "neuf.fr", "ntlworld.com", "numericable.fr", "o2.pl",
        "ok.de", "onet.pl", "online.de", "online.no", "op.pl", "optonline.net", "optusnet.com.au",
        "orange.fr", "outlook.at", "outlook.be", "outlook.ch", "outlook.co.uk", "outlook.com",
        "outlook.com.au", "outlook.com.br", "outlook.de", "outlook.es", "outlook.fr", "outlook.it",
        "outlook.jp", "outlook.pt", "passport.com", "pm.me", "pobox.com", "posteo.de", "posteo.net",
        "proton.ch", "proton.me", "protonmail.ch", "protonmail.com", "qq.com", "rambler.ru",
        "rediffmail.com", "rocketmail.com", "rogers.com", "sapo.pt", "sbcglobal.net", "seznam.cz",
        "sfr.fr", "shaw.ca", "sina.cn", "sina.com", "sky.com", "skynet.be", "sohu.com",
        "sunrise.ch", "swissonline.ch", "sympatico.ca", "t-online.de", "talktalk.net", "telenet.be",
        "telia.com", "telus.net", "terra.com.br", "tiscali.it", "tuta.com", "tuta.io",
        "tutamail.com", "tutanota.com", "tutanota.de", "ukr.net", "unitybox.de", "uol.com.br",
        "verizon.net", "virgilio.it", "virginmedia.com", "vodafone.de", "vp.pl", "wanadoo.fr",
        "web.de", "windowslive.com", "wp.pl", "xs4all.nl", "ya.ru", "yahoo.at", "yahoo.be",
        "yahoo.ca", "yahoo.ch", "yahoo.co.id", "yahoo.co.in", "yahoo.co.jp", "yahoo.co.kr",
        "yahoo.co.nz", "yahoo.co.th", "yahoo.co.uk", "yahoo.co.za", "yahoo.com", "yahoo.com.ar",
        "yahoo.com.au", "yahoo.com.br", "yahoo.com.cn", "yahoo.com.hk", "yahoo.com.mx",
        "yahoo.com.ph", "yahoo.com.sg", "yahoo.com.tr", "yahoo.com.tw", "yahoo.com.vn", "yahoo.de",
        "yahoo.dk", "yahoo.es", "yahoo.fi", "yahoo.fr", "yahoo.gr", "yahoo.ie", "yahoo.in",
        "yahoo.it", "yahoo.nl", "yahoo.no", "yahoo.pl", "yahoo.pt", "yahoo.ro", "yahoo.se",
        "yandex.by", "yandex.com", "yandex.kz", "yandex.ru", "yandex.ua", "yeah.net", "ymail.com",
        "ziggo.nl", "zoho.com", "zohomail.com",
    }
)  # fmt: skip
