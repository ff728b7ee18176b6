/** What the files of words hold. Written by scripts/catalogues. */
export const INTEGRITY = {
  de: "sha384-vE1Z4dwSZVCfqmh1+wGJ/wFxHnOfQLhJX9nOxmwNshp2Lkb58ocSYhQ33J6WJSrN",
  fr: "sha384-aa2pOjyGkOWdUDx78GrRC8Bk/k2+/qhHRXOGWfm1YaqwUgpoOJCIr2yCuLRVoEm7",
  es: "sha384-vCqXBaCnZeaZXrFUvDQiPAGzNbFcN16oeNNUUs0gHv8B+kpBsD0nyk4emz4/feQC",
  pt: "sha384-AMwkJi+j3dzdTLbouQh5UdTl7jr+Q7dVALxSJnAQmRWYliEP+ZUhfISHRTGvso76",
  ar: "sha384-O3PCsyeA1Ft3U1EtFnoWBbrGD1jlOU5ICVahB2U77Q+PNNV/WqSiGkjBRcqPahlS",
  hi: "sha384-aa2pOjyGkOWdUDx78GrRC8Bk/k2+/qhHRXOGWfm1YaqwUgpoOJCIr2yCuLRVoEm7",
  zh: "sha384-uCEq/pDxTYQBLTlpkUyCpnWZ1efZU7fmCVMYnYtJLGg33idBSora1bFsq4TEj5yW",
};
