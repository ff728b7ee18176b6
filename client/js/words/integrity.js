/** What the files of words hold. Written by scripts/catalogues. */
export const INTEGRITY = {
  de: "sha256-xrk9+OVVi+CmBAy/m5/B4jjK4UZKj2ZlgbFt7W5h7Ag=",
  fr: "sha256-5IWz9e7wMP27tmnRHNYnlAAI5pPElWHUpnQOphwsXOg=",
  es: "sha256-/H9fPu5lEJsDyRQ5KraKdWRLmDK4xi5ELG8cyOabF6c=",
  pt: "sha256-Y1Y84LC67dQ7s4iGxG4YdsZk6sHu9bfynUsQcB8252M=",
  ar: "sha256-FuNNgHIDSgKzg1HuTeZsBGT81aLLrXKt3uSye2YDWKE=",
  hi: "sha256-AFXi+2YY+OgAKbzZWV/1mT38IzFYsHI6Bf+rit20kmo=",
  zh: "sha256-RR7RPNeW741q6xxu9K5yIyn4oE0KiWujkTceTHuOBwQ=",
  it: "sha256-lkKJY11012PEgwyGkhE7ZxIK8PFeUa/wOf172b2qOQ4=",
  nl: "sha256-XV6+qZU5UNzxYLpRaJ6Wh4g82bGHQfEVxnGvUqEGDFY=",
  pl: "sha256-MEy0jq1iDCaWKvpJTcit1b4vaYtHxSl9BSiNjreKkGI=",
  tr: "sha256-Q+T1AEyY9mopC2e1n67XGIaWnyCVTscVSfbR0/GTUP8=",
  uk: "sha256-F7LExNyU15RIssIoTLh69GZ5RKWsuRGmN52vWdV+X6s=",
};
