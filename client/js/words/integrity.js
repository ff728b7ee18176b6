/** What the files of words hold. Written by scripts/catalogues. */
export const INTEGRITY = {
  de: "sha256-Zs27AOXMrXmZIsmdeyCuCJj2g3RP8aau1XI4lWzXA6I=",
  fr: "sha256-IM7w+tdkdv/LXxP26JEqFsL2/kqLsgdZK+NpH6GUOyE=",
  es: "sha256-fQU7Ln528nK1h5i3bZVxskq61BUd4bcN+XVUhYFkQZo=",
  pt: "sha256-MAmtwLpItA/prTnOi0R+sxiS6Fh308T42bXmZcIekEw=",
  ar: "sha256-4jOFpZQlnEgeTxTwyY2XNcMUPDfNx9YChbVYUCN3eyM=",
  hi: "sha256-jLOvT4C0YQLuSYkN3/34hbmZACp86XO6T/m5L3a02T8=",
  zh: "sha256-367hrr6e9RtpITsifzIDTaY/hLQPK4R8IFBg8xdd3+4=",
  it: "sha256-xs4Se2/NXjzma5wE0+rFUAiUjjoN+R0eeHka0tRvoDY=",
  nl: "sha256-21jqtETjghduAsYTNA2e2TPjOCEn93kAFXNOtPaViDY=",
  pl: "sha256-GWpFUHCsQM7yoMiiMh2BfzJIY1bhi3dcPMSFz9BbI80=",
  tr: "sha256-tk2Y3IxI5qZK9f8gIBI1bMfBfWCoIrc3m6tKOTOQUgE=",
  uk: "sha256-lUf2cSk/cLU+k8sngHHN+rplOt/SRan+zMsFeYEtNV4=",
};
