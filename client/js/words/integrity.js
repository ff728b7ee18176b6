/** What the files of words hold. Written by scripts/catalogues. */
export const INTEGRITY = {
  de: "sha256-YM+nies6jnm40tNLalB2O3xoAw+sImAonnvFKlrLUHk=",
  fr: "sha256-5UBvBJJUL8r5VhItSU1Hnjs7bbwd1xhrIIbT+oMoP3o=",
  es: "sha256-qdH1KUw1EYjdC3qAqJyinA3YCkYFiE2QhnWhyKQ+tfk=",
  pt: "sha256-UWrt4Gb4Nn2aOTN5cQxuTbpJKKgbAZnLiGSU2DZbsW8=",
  ar: "sha256-sCSEmJmyKrN27K06JS+rZTq2QPTqinDAtLjfwrKxJiI=",
  hi: "sha256-1r0q/aPmXoY1IRwJZpz4wsE1esGpe3Det/y7oRl/4t0=",
  zh: "sha256-l35b9Jfcv9BsiXjspoJkpvLCwBiWI2ph2xFAKGd9xQQ=",
  it: "sha256-rsehesO6QWdOgwqGGCZeoKahIp6FddKQsKXtEPaW2lQ=",
  nl: "sha256-zJfR+0Bv+oICEpg+UAEnqeBsD5KslCraKl3xPzgJHnw=",
  pl: "sha256-g52Gmq/SlvWh83T0brYbT9Hk6meiJX4KnDsXBwlWo20=",
  tr: "sha256-7gqJtJhw2kWO5s5HdAzrkb+2r5wxG4Icf7whrjvu1pI=",
  uk: "sha256-XjAo4vunfWKG3kxlYEOqFXcMI5Q1SAiosTZAT6vCgIM=",
};
