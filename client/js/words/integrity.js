/** What the files of words hold. Written by scripts/catalogues. */
export const INTEGRITY = {
  de: "sha256-CNT7CI+K3aXS+Z+SCWemoEwKAMJFSqywM8E+ZAz/ZsY=",
  fr: "sha256-NFw8Bgobb0nyd5GaEYsxzQq0jZc3peFZAwXQud1A2Y0=",
  es: "sha256-WPpp0UjLsL23kPEapHQXgl4TgI23M3oWpahZeYTeCXc=",
  pt: "sha256-H0LT/jyNHQzqbJFPhEukczd4yVaIvKweVJ9WqjNteoA=",
  ar: "sha256-5LpDIyBVqxLdz9b4cWq2It6SBo9bootAqqOqFrYuPqk=",
  hi: "sha256-255sMJpdIiWjBXau1yY8JhImJiEet3uD950FundAX60=",
  zh: "sha256-Gkem4aWQtqrkONYCGWA+w89PYjcgxJKM7R6KdJPrQfA=",
  it: "sha256-dNczN7OA1DYz61mjuA8KJP9HJQuklLex+eUFjmjTQhE=",
  nl: "sha256-WAI4+owVJgymhhyZ2KOLAN/kbiBVPhN/5BmBqYhmQoI=",
  pl: "sha256-FcATkr1+4ke1a3+eN+Qkn9LoRxQkJhZ8Nmt7U/WhX1A=",
  tr: "sha256-KVfo/1LZQBOGakuRH607c7aTBU2OKeFBk8qkJ56OAls=",
  uk: "sha256-ZxR9iOfdx3xmdPJQHYzOkiSXn11tsrSFJShhQk136k4=",
};
