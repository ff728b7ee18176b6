/** What the files of words hold. Written by scripts/catalogues. */
export const INTEGRITY = {
  de: "sha256-BkHMjn1H78ANjFeEVgu+HheO0tK63Ou9fOkTkXzbgwU=",
  fr: "sha256-QqjjPd2xFZ0enzEVkLp5wipx9YMgRtcW1IyZXzfgFdI=",
  es: "sha256-wIgnEIKxvPQO2wY8dITgo3uSyibctH7J6rD3EG06a7I=",
  pt: "sha256-lqA49NSGIkOclp4H4BcEubs6gG+ROlafsUVt5qZ1Pk0=",
  ar: "sha256-UbX9dgO76MncXFaBqt/n0tdbf8jqkNNwmupaM+dJfXM=",
  hi: "sha256-ukQkDmJFXl+YwloR+laWjiUt1BJqmehQi623CfGftfE=",
  zh: "sha256-DzjNK8fT7cvki3ZD16g3Wy0eUxt4ZqUsy5oFiiKp2pA=",
  it: "sha256-gZoU5fa7TTHBol0WAftzeUnVNJHX4Vbdoi/G5huUGU4=",
  nl: "sha256-JFLK9nrga5y8P54yzVSEnwkbKwRdUG/dWOA0dvp1PRU=",
  pl: "sha256-IOXjzsrljkEBZ+m8jQFyt3pHiIfljNUxBJxDmiYcDcU=",
  tr: "sha256-u44RMJoeGgqIMocpym5Or781HLFRroiKO6ZlIr5yF9k=",
  uk: "sha256-tLB11sxx8PIwlHT+H970hme9cE1UvJZiVK3TobRPEQI=",
};
