/** What the files of words hold. Written by scripts/catalogues. */
export const INTEGRITY = {
  de: "sha256-btHBC6G+or2QW4GGV1DAkvw8RR68VaIs2Riv7zNi+N4=",
  fr: "sha256-H8ORDFAx/Occ+2do0PfzdkEpcbvlVp6ceOIwsLKDHYM=",
  es: "sha256-EGPj7XFLt3w+2R65rC6//YSNaNeT2T8cQeSkb7oNc1I=",
  pt: "sha256-xUe+TNRmhZXVCEpJWkAQ+CNB1tqiVPO0dcviMoNwwnY=",
  ar: "sha256-fQ0dvFpS43xztH5jztuD5lsjVDh2CehxNWYsXN4YwbU=",
  hi: "sha256-gJl/YtCAjM3qIo4XocgQZhPZErYusWuRfpv1+3Xbc3Q=",
  zh: "sha256-fhxQQGSK2KBqQSwnWehlIHfVxiV3LR8yX7RtuNfuqIc=",
  it: "sha256-aVCOqgUYWXipe39nefaL9oX08M3AMxWeEWzEdWxFlLA=",
  nl: "sha256-dml0rKFdlh2QiJt9pgVG38+xp+teZw8L8pcfOfpiJbc=",
  pl: "sha256-kjU5LdMXLp+8j8+KPMXJl4u/ofcC8KImLX7aOt5Dy1E=",
  tr: "sha256-jI1FHaPz1FEqycYv4Q+9Zz0r8ux8qbPDr8wAkV2Fx34=",
  uk: "sha256-I4AQLRW0KOYF7j0grGqGZ9UnJLjgBEj0eOvrudWXJuQ=",
};
