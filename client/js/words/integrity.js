/** What the files of words hold. Written by scripts/catalogues. */
export const INTEGRITY = {
  de: "sha256-hKzdD4x9ugUEU3XA5HOA8HEQQpfgoIoz1jyW+A9+Sa4=",
  fr: "sha256-5B/p++vXI5VjLiUSmbkPTVTazKmnAhcPFt6oCVzfDok=",
  es: "sha256-AiY5pmBgxrePC7f72nwhNFW/PEYiw5tXOCQP6OqUvn0=",
  pt: "sha256-jo6eNgtlWtS4uVhhlhF2mV4zY5r+dOO4FLpU4H7Oc6M=",
  ar: "sha256-s7FfmMGM5jJG1JzLTPQvJpaf9hbB1WMbOt6jbXyJuy0=",
  hi: "sha256-IJtfcBfEnAxDnJdGmVkbIxSrunXmcqDX5yK7ZS0V9Ls=",
  zh: "sha256-A7pt3KhsdrN62eUB7Ii7/M8WGsyLQao1X69ju8DqVJ8=",
};
