/** What the files of words hold. Written by scripts/catalogues. */
export const INTEGRITY = {
  de: "sha256-Xrer/vWbU1KL13tSYt23E3H3mcK8bgM5jQLLQuy0yUs=",
  fr: "sha256-ZQnWPEgJu7u/Llt6mDslUAfAypYOYfLif5tWH2H4bNA=",
  es: "sha256-umqyhTafS2k4k2JbvLywF2hl3LWgpxcpoMNFVTOuu0w=",
  pt: "sha256-o1Ib0MhljamJFHyhehqQTi/io9/laAxha7bEsEUgXEU=",
  ar: "sha256-XVGQqlpWfdPBrdThNcE0Y1f7l/FSLrwbhOihOa5HrXU=",
  hi: "sha256-V6Yf4Xjg5PVmWLYpBgj5j0HuBwIx+HSA2S12F+X6kWQ=",
  zh: "sha256-z6OOgZFD2Evb4HnLHieGVGE9pJ+VHvNNgfm2T4oTFWs=",
  it: "sha256-HSv1Fob/D46K1/aGOXdSbHeb6KAvKGgLVuGNE3sMonw=",
  nl: "sha256-KHnzSsGoQYfwpLGJUVItHBJO6YmFW0s+AX4eWzc8CoQ=",
  pl: "sha256-09E3o8NSxRQsjELMeadGfZ6tE2d81sZtyTTxPLpvmq8=",
  tr: "sha256-7TObCsiQYXwpQNEqBqIq/I6Q3N8H2b4/vCtAwJz4d2I=",
  uk: "sha256-3CFMz/5Burg+ab7CUPeI0VVhdjXeY8j2u+IWasLYlN8=",
};
