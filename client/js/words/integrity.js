/** What the files of words hold. Written by scripts/catalogues. */
export const INTEGRITY = {
  de: "sha256-w4/imPIdOeeO0S9oaJE1jmU3gXB2aEPhBGyns+MvT5Y=",
  fr: "sha256-J26QetLB29iiD6Vl5elxGxHk8DpGA48qrqHjOnkKcO4=",
  es: "sha256-jkWkMbmHyktOfxOKWFgOSfLr28ASMVRJv82YMXedbTE=",
  pt: "sha256-lpYb4LQHKkvrKVink/MeJZUaCjKbPScjUYbus9ax4xU=",
  ar: "sha256-84Ylfj0X1opQUSKUnjx+iFVymFD0LdTsceJfVMB6w7s=",
  hi: "sha256-2k0MOIuXW/FtSdyJbXx2QifPQk8VwjDE4anvlywHXQU=",
  zh: "sha256-14AaG45H6XODxciXJ+u145PlP1p68WpYxo04alWr/94=",
};
