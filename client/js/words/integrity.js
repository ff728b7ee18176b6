/** What the files of words hold. Written by scripts/catalogues. */
export const INTEGRITY = {
  de: "sha256-F+t0fiL8fcq2Om0LKcf+jPjBCMa3BtxFo1GL+TZK56s=",
  fr: "sha256-D7ZczS4R0n6IUEQomuKgrmpCnTLhxmM5b8Mz1DLCE4c=",
  es: "sha256-m7/FmCQXBGGODgre0d42tdDcWKnE7MTnvK2u3OsTuiI=",
  pt: "sha256-lsqUiKEpmsQd8+Hb4CDj6X4v5EZ/zkdNU7lbESOmHRg=",
  ar: "sha256-ry4/J/hPGjlfQTmkIfYYDhHBEPPdha/OaQ9LtIe3In8=",
  hi: "sha256-Eaq0zk7DkIr7u/7cNjqOps8OYjuhe+4fNgLAZHfJ9uw=",
  zh: "sha256-sQDEDshY0V7Db7t/xmIv/E1d3zqqg35igBQ2dLbd8rw=",
};
