/** What the files of words hold. Written by scripts/catalogues. */
export const INTEGRITY = {
  de: "sha384-7Ln67YbTwDcd4usAW12Iefuh31Bv4h3J3uwQRVm5iOkKKIFGZKk7dNtgVzwonDcL",
  fr: "sha384-onI5buJPrZr3uDOniRTKJXIufFjhhpwDg0vLNydRGZqOZNn5ber6n4KkZpmdrs1x",
  es: "sha384-a/OpiOnJb9uCoMC6hUkfoQj+gAjqKF1ekQoWlRvuA13VTRMOi/Zi3IW3UQLoEdAo",
  pt: "sha384-Y3EltoGz2DvwIzmsz77czfsBFPDfkJrwCoFT+w8wLZG+u8fV0GlswVtBwgVsH/rg",
  ar: "sha384-qYgwOXaXDlQkbWHeIQvXbKdVqQ2hbZkbY1foRIHuaPWSuHACibuNf6LSHpFK5r0E",
  hi: "sha384-HMDyLRJVzDyzU+rJ66KTZbtD+8+eS2XhxZwQyP7/jlD03y/iY+AkHUga02oBGno+",
  zh: "sha384-j2Ox0gnQvxRgSkh6CFRUwy91Sx83iqdWyHZV+0Rt9ZhyAjiEwZfpjU6ei9QSFjun",
};
