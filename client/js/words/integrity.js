/** What the files of words hold. Written by scripts/catalogues. */
export const INTEGRITY = {
  de: "sha256-u6dDghaKLW11rFuSPvtZ+EnZgh36hFbY1tH8y/oZaaE=",
  fr: "sha256-+4Cdd46BqsFD5WbmhdaNLHrTs/S2XRb5opSGp4JFGes=",
  es: "sha256-BrUxB4yyQmVYNvzgJFHFfxQdjty0pYu6+Y/6w5PHoRw=",
  pt: "sha256-IogoSrvi0/MqQd+a7DWrcTo4vswYBhnZZCooe5Rc0p4=",
  ar: "sha256-TP0MnpAXxb0HjTAcbbLMfcO6e/Y/7Kj3cGX5HV5gyPk=",
  hi: "sha256-gsx45pEBvcZDQwcmapWDnoPnYdhpEB0rEZC/eG3inoI=",
  zh: "sha256-SOi1MtHm0OkyUFtVv+lRizMAhnNLHCanr4ADpWSvtII=",
  it: "sha256-V9CClv9NFsi+nmQw+2ebcTwVbbaZdEZaTIs7Pro5zUw=",
  nl: "sha256-QndVQKoOmg04AFtlmuWllWKg2AC4bNgX1d+W+C3r7oQ=",
  pl: "sha256-vev9honTrXHG/TGs2Hxi1dVS+eoTeidwR6bE+axmBvA=",
  tr: "sha256-muPCZo8TfXJf4xJh591nw+Sa3MTX/0dAN0r0Am4XjQQ=",
  uk: "sha256-s06KSkwMiz8z46epjxM6yYZyNSvalMODn6t0mwJ1pws=",
};
