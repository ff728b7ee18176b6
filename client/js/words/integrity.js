/** What the files of words hold. Written by scripts/catalogues. */
export const INTEGRITY = {
  de: "sha256-rmuiQhGoX9lwK6MmOJy3hDpfVDT1yxbW55zst1ONmgA=",
  fr: "sha256-co6CaSzdOrUdTKPodC8ogXbYHHnkAcXU+p6wRheok2I=",
  es: "sha256-2rWJzC48nKJX+i8Ook5Nt+6a7UoAz3QDxMbD/L77ji0=",
  pt: "sha256-w3zYx1QLYP/lKdjL+Vyi6x5xtQOyj6sSzwlSjLV5Rds=",
  ar: "sha256-GIrYrKMPAXiSz5SvuCSFYlfoxz+pQhPoa3Tr0yP4B5g=",
  hi: "sha256-jOvUT6tWTh97YhRdaOtSxygKIb45+Bj4pLqdhWt/fGk=",
  zh: "sha256-fRf8TW7NkajyTUwuNm/9g2gGxHglQWA+c2rDXkq1ySU=",
};
