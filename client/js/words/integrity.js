/** What the files of words hold. Written by scripts/catalogues. */
export const INTEGRITY = {
  de: "sha256-ZitUkumhOj92LmaBMjZ4AN4s/Twe6RJF1BPcEhiyx1k=",
  fr: "sha256-uTIDQplaDausd8IUOubledAXl2LSpP49lmTyvYNy8gQ=",
  es: "sha256-ZhiyqvM1+ckXzap1t88BJzsAeFFn0f0RAkE1C6Aznqc=",
  pt: "sha256-sc2bqHaLEuCfZgL0ZINzUyhlkzWRbApL4bhIu/5PLH0=",
  ar: "sha256-NhhtTzlb1G0PlPgvtBLcjfauCNDNeviIzzUfFovvnWE=",
  hi: "sha256-M2ek4aMjS2+AkqL9zPw4Em/AmUUs6TbhVBE5Fb1VykA=",
  zh: "sha256-HacfuNKFL2qQ0fW5rNSCa7Qf8hFjeF9vEroRh2SCXM0=",
};
