/** What the files of words hold. Written by scripts/catalogues. */
export const INTEGRITY = {
  de: "sha384-u93pcwl0XoTHZ00Yvy9uyrJD7nwchj+VIeX7QKQlFrPakZYDfX+sVsjCLFEWyqBh",
  fr: "sha384-rZkGRvCGFuLsX/gU9/DMpejDUYH+YuR+Ry7nkgnKdkcexme1llwjgT+FGJQuhH+j",
  es: "sha384-8TGYNzEQ/88X0zWbQ1UOvfnXDP+r+Z2op7iJZcWRTE2d6T4PvnU/m69eybe+SVhv",
  pt: "sha384-KXXoPeNq2wrt3IW/i9c9/F4g7tlYpTyHjq7xweX4yU/U/K1DqDpu64eHw6DqAEaI",
  ar: "sha384-/sJBuEGDBtV7AZP4f2mo1wX+4ob9w1/s6XHtGYGs4UluNaPQv5OkVJ1WSu1nN0Of",
  hi: "sha384-TuNV7fCJDpRqnk8Cesegc/oc9XLGGd4nkG2Ta8S7rRhup7OqdN7x2jRQ5JzVB1dw",
  zh: "sha384-uCEq/pDxTYQBLTlpkUyCpnWZ1efZU7fmCVMYnYtJLGg33idBSora1bFsq4TEj5yW",
};
