/** What the files of words hold. Written by scripts/catalogues. */
export const INTEGRITY = {
  de: "sha256-MRCCe972dXJ1/k1N6LJ7URjq05c9IYv3kpWEvSRtys0=",
  fr: "sha256-AwoKfiSqlXsATPOz2DQ2DBEUtncxPoRlH+hTEEywYlY=",
  es: "sha256-QV6OrWjkfKgRRZMF2vTT0JMXF5GekF4oEoYDtF5RHxw=",
  pt: "sha256-hm9R2YGxUmSl1h9uzPGmFXXqw21coE2psrEb5AJ1IP0=",
  ar: "sha256-f4RT7taoPHKw7Wv1vnndVH0pEhGzSPFSlavw2bBm2vI=",
  hi: "sha256-Y7X0kuahSqAqHsHdA7nHT7jLbHwgAovVKAwW4+ldwlw=",
  zh: "sha256-6k9RHF4Sg12U/BGJs1eEjqyT+r1n1McVxMVUUeCj8SQ=",
};
