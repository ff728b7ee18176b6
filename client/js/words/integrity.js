/** What the files of words hold. Written by scripts/catalogues. */
export const INTEGRITY = {
  de: "sha256-HCxfW4cfrNumjsYx5kOuzDzJHiJPyUs1ZgSkwNnv4GA=",
  fr: "sha256-NFd6nE+rTQoG2bUVs5t6agNwR3ab54gLba4VfLZBJhw=",
  es: "sha256-9nUZE4/gF4vLfG+0LlKZ2f9qFYBb+3McDvQBJ6XZM3s=",
  pt: "sha256-DelVN9WDHFMW7cny+zsmxwR6Flbxi6KQ/A6v1C/WzF8=",
  ar: "sha256-6VUQ5OgphcPMxCb13Nketrr0xQeBOCRQoAvf9wZGDlM=",
  hi: "sha256-RADWd7g1bElAEdLrEb7dzN7paMaW7WuqM4rw0bvzfMI=",
  zh: "sha256-FnhBLPkU7IBiPWGEboybzSMlMAaQJjgpyXUP9tRKIa8=",
  it: "sha256-DzN/hr3/BDUDv3iJARdGUP5KVJD5+/LC3GaBEHJrm0o=",
  nl: "sha256-6PRBiekHwpUnn6FwKH1B6VUipPUWNemr26rgDo4Mf7c=",
  pl: "sha256-OUNfFJAt/4NwA7Yl4ZGf5/DUWkwW0brnTq9qQnxLPtw=",
  tr: "sha256-b9gvEVwrHrZT58FsR8E8oaD5Q7g53sOGURXibiALWOI=",
  uk: "sha256-ewNxrBLxFUiptgWNLHdJ0TWyf3rOC30JaoNw8Mx/Z84=",
};
