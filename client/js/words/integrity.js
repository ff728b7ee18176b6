/** What the files of words hold. Written by scripts/catalogues. */
export const INTEGRITY = {
  de: "sha256-WIWOil5mYlTx87rJ+ew4LhSAhvsWOZkHb1ACnoacOlw=",
  fr: "sha256-lxaKIQeKtXU10lwvO8+fDoBfCf+YyEgrx+Vnd/5AwW8=",
  es: "sha256-+uRGXWEsQSKsOsn1BxrUo8FfgsvkGCSSw47/AZQLCHI=",
  pt: "sha256-05BCC6ScrpJdjp+6+/m41pRz8/wbJPgOlwxV0V4gNOg=",
  ar: "sha256-46E4son8CxiCy2K2w/DiKBx9vqJxoJo7lknRPRtdm3I=",
  hi: "sha256-rChRYvug6BZBosge7/rKdHq4a499PG0aacECqitn14U=",
  zh: "sha256-1X3OowmsjLRAQ9BaGXf06LU5ri9zq6R3rVL6xIL3P60=",
  it: "sha256-Q1JGHzyj1HaRo2n3XpB2Akz7hMTTPg0Hu1e7dVzLQqY=",
  nl: "sha256-5l+6jDBUOZIy5ulu7ikaNGbC6vn8ECOBCarpQjkSaeo=",
  pl: "sha256-C0CTIrCQ5Jjddd8WIR1jpOb5OMWjPgbcTZQ3p4TAVjk=",
  tr: "sha256-zFcq0JgTchyHCmVdgjSHAvC4744TqHMoXBhOFBRF4vE=",
  uk: "sha256-yT4W9xseXfnhTJsXiKXH8EU2GyrRi5O3+lIEVks1vs4=",
};
