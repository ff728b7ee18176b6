/** What the files of words hold. Written by scripts/catalogues. */
export const INTEGRITY = {
  de: "sha256-VJuFQLwJ1J0yaslkLbda3PSy6EWyFbuJLA3Noi77PGo=",
  fr: "sha256-xFZHy6vOCyAVweHhi4YRyvy2NTQQVBgkar83FbeGnYU=",
  es: "sha256-l8C3yr5tDPiMSax7mYxMqGj5Z2nGN7+az21CeyuZkzA=",
  pt: "sha256-mc/7yQhSGv3yijmEzBUVHMvhsq/XuMiEHtbmvK4HDPQ=",
  ar: "sha256-ivOB27IPDXyIKAWFhsa7AdZlCJUa96HR8fFn/Bw3emo=",
  hi: "sha256-Lsric48vlGSvBcnGlNT9t2s0nHI2TtW22SSuHZs9S3w=",
  zh: "sha256-Ulz4k/blAYh6Puf9HH5GUMNgh8ycGJUE22xkXnWOHXQ=",
  it: "sha256-L+NUsTVjoAfIzxddZ/Dqih1rS0yNQQWLplu3kropLk8=",
  nl: "sha256-R6eMOXuUIw848J3ODoB9qxyy4YvFDBeGHKpGTAJTGC0=",
  pl: "sha256-5pqC3ZSCojdwlGPkPtAVbTvZi8OrHeH8z2nrMl5d12g=",
  tr: "sha256-2C0kl1LCc8D7fJ5nHa18sAa/wyuc32ZcVd6eS/5xVlE=",
  uk: "sha256-goBpC0YLGSTm0SMTKEHIXY+PN/cvn6wGsfrKrFrqKX0=",
};
