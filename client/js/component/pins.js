/** What the files hold that only some surveys need. Written by scripts/bundle_client.mjs. */
export const PINS = {
  blind: "sha256-oNdBe2Q2Nj39x5qXy0oP18Lp5jZJcQMHK/2Kzyu5Cj0=",
  oblivious: "sha256-LVokbfN/fOzax9yUho/lMhC9uZDLlHvPwVLJQz6eZP0=",
};
