/** What the files of words hold. Written by scripts/catalogues. */
export const INTEGRITY = {
  de: "sha256-2AqGsBq+16Geiojwn+G4+zeX8lyLBP/U6qxZetErcxQ=",
  fr: "sha256-lnkVgNw1NDCoiGTaDlbpVscwvFUUDU0Kw2id6Y4e/PE=",
  es: "sha256-E2gjYt/1tTXmkqoy2lbL5UsjfGLqelj97efJKFwCdek=",
  pt: "sha256-MR4yVOmqnl89a/QyggHinwXp+7rxTjdhk4FnCpr4O/o=",
  ar: "sha256-MOssZPlMfC5fv4oNZ3BCx8CIMKLfRSDbPE2qkS+Uk18=",
  hi: "sha256-0HDAnPwwKU5cG+JnTQuRZ1n0JyFZfroLHXx4ts7Wxec=",
  zh: "sha256-B/NBwDg24bBKyCC3df/VU5pwV9w30IOwaMejQ9cytPQ=",
  it: "sha256-2mXqmZzg6cRUFBspQPcGn2vTTAY+Vv0CMa7a4wlfnPw=",
  nl: "sha256-y4z38BE65z6qR+0yyzURxR/QaUqlFa7J2f3ZuKEFMCI=",
  pl: "sha256-orUTK5bjdKTtDnyV0X+rft5k1a25FOUyQtLabQrT10g=",
  tr: "sha256-CkCXyrTT1famkK3tuY/vauLzqqnqfpJnLQu3Ja7CmB8=",
  uk: "sha256-lK5+CAovFgXon5If2NiPfEG28u3tes1pjoIHBnZEOAw=",
};
