/** What the files of words hold. Written by scripts/catalogues. */
export const INTEGRITY = {
  de: "sha256-7aKt8WUZf2RV7cVdoBk631CUIQ0i22MFmqlXcsLsYmI=",
  fr: "sha256-ghBXQdtXhSYm4xpmII8Na1K8gjODfESVW/bTPcfZFRY=",
  es: "sha256-ZVUl1iBt0S7h24OwEtNtaRZyB8zkOYW7Kofbr0zzk1M=",
  pt: "sha256-1kT+AX2K8FguUnKnsmNJ+v7UokEu86VPfuKjyUN3NbQ=",
  ar: "sha256-6FjaHi2arNrh5tcTUzlRgRjU2RVLlLI4ScojTJLoHlg=",
  hi: "sha256-PyefyBVZ+9HerHtOIjF59RIdFBfcwkWjp5jb2THh+2k=",
  zh: "sha256-LduEwdakyn/IR7yMRaNN5JBNwhNh8RlW87wVWxFzfsc=",
  it: "sha256-xdWQIITWk6KBKaNGgqLeqrmQbovZjj1LhhLP6JEgasA=",
  nl: "sha256-yijYgUY+MCM/fT6kFB6nz1+xCpsvoP2Ou9dHf6yVRX0=",
  pl: "sha256-B3UbINpCg9VsXuVzCJZ6Z/uochaoAjBUFUvJ3dfrxRw=",
  tr: "sha256-dBhpvpuIyXJIx9Dw8EsW6EIX7D9xO1sJeVEtOkPcS7A=",
  uk: "sha256-xteb6U9ou2KDzHfmveQeJVIyX32hiuIzfHl0wnFSdIg=",
};
