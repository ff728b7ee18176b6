/** What the files of words hold. Written by scripts/catalogues. */
export const INTEGRITY = {
  de: "sha256-VJuFQLwJ1J0yaslkLbda3PSy6EWyFbuJLA3Noi77PGo=",
  fr: "sha256-xFZHy6vOCyAVweHhi4YRyvy2NTQQVBgkar83FbeGnYU=",
  es: "sha256-l8C3yr5tDPiMSax7mYxMqGj5Z2nGN7+az21CeyuZkzA=",
  pt: "sha256-mc/7yQhSGv3yijmEzBUVHMvhsq/XuMiEHtbmvK4HDPQ=",
  ar: "sha256-ivOB27IPDXyIKAWFhsa7AdZlCJUa96HR8fFn/Bw3emo=",
  hi: "sha256-Lsric48vlGSvBcnGlNT9t2s0nHI2TtW22SSuHZs9S3w=",
  zh: "sha256-Ulz4k/blAYh6Puf9HH5GUMNgh8ycGJUE22xkXnWOHXQ=",
};
