/** What the files of words hold. Written by scripts/catalogues. */
export const INTEGRITY = {
  de: "sha256-2/QgbMjiU6InAaLGFViaNRLHm0rsqHYNRPgeMVbEQOk=",
  fr: "sha256-dh50QM8kubyy/EeKxdorH2fJ/fzncA3rDAVZqe49KbM=",
  es: "sha256-TLeJxTdwFG8+EXNj7ldq+dkMKXmJN7csR7mv71wODQE=",
  pt: "sha256-4gzViLFmotRxeJNM80l4I6wOtqnBmLylBUQpkPdtuQY=",
  ar: "sha256-UJB5bJ5GJTfPRrzqhXLVmpB0Es8goAfgX5QfWjesLL8=",
  hi: "sha256-Z54D/9wjNPKP0se738B+N/dmAwYyyl8sp7VtYyD0Vjk=",
  zh: "sha256-mGDKoV77FAQ3UHVImpEzMUtRyC9j6qQlw68IguHMfto=",
};
