/** What the files of words hold. Written by scripts/catalogues. */
export const INTEGRITY = {
  de: "sha256-odaAY1JvMkNcStqFrUTGYP6fdcTUFo2GUgVcKAlZSaE=",
  fr: "sha256-O7sMv+ZasWToSG2r3RCYk24eXUwoHsOBkHDY3+l4XII=",
  es: "sha256-6LkQ73yLVKU/WYaQklnlPtE/m1lpL3gJ67F7xfKDOao=",
  pt: "sha256-V0MyWZ6X94bYMPiTxG7UzG8K2iT9cGJThUsJ6Lapg1Q=",
  ar: "sha256-n/Sk8DbVOcLfPW8TlNjXUg85zIm4UWp/arvNwOaH1kQ=",
  hi: "sha256-1cUH2j272S0IPF6fwAndBDLn11bUQ+gi9qxkZq/0AsM=",
  zh: "sha256-Ui+O1NIwLJgDoZ3BHS3irXs81pvfDunMJ6IJzcBwztA=",
  it: "sha256-2Vxs2pjE4+QZ78f64khDatutvtVFG1CszDRW5XXlBxk=",
  nl: "sha256-3nEN1ILTbwBY355pc4ir4LLQriupsdPUi6HHX8eTgMM=",
  pl: "sha256-9zsopMN3a8ekiKSIL9NA++VyIfFSylLV+K3nVBqN2vs=",
  tr: "sha256-/qJgy+coGzGtifSbjnP5liTmyR3LLEaDsO/fFFAJlxA=",
  uk: "sha256-d0TntzSYU3A3hpkb5zDDoj6r60w571eG7D6r4NDPXnU=",
};
