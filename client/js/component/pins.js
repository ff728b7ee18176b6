/** What the files hold that only some surveys need. Written by scripts/bundle_client.mjs. */
export const PINS = {
  blind: "sha256-KsoAwVcVKKkiIKTlineY6GOJxRFfjaLb49FZpaMqVcs=",
  oblivious: "sha256-LVokbfN/fOzax9yUho/lMhC9uZDLlHvPwVLJQz6eZP0=",
};
