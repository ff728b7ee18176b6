/** What the files of words hold. Written by scripts/catalogues. */
export const INTEGRITY = {
  de: "sha256-ZXxhuscDQRI6tJFXDR6UUswd7inaV/CSlEQPDJ3/rLY=",
  fr: "sha256-Ce1zNDXYKFzqsmziSJ6kX4USvQxHc05N1ukhcvZFt4M=",
  es: "sha256-vXISbC+ruCNTxLXVSX0p3SA9KEgcAwRpqHSQpa12DS8=",
  pt: "sha256-/8Riews9wLN77XLKtLPTz+l5CJA55Ibs+gXXJHFTfGU=",
  ar: "sha256-o01/wJds0/v/XVIMjWUKMJUgjP7HpjW+PX8xsA4olHo=",
  hi: "sha256-g0HUkBZDbFIrxiILfrp+GWE7cKSz5p+wcwdf7ZlKrDs=",
  zh: "sha256-AC0/44r1VRTC9tTZqfXoQu8tjzGqEf9EBA3Tw2+Ji4s=",
};
